package io.spillway.runtime;

import io.spillway.core.text.Printable;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts to close when the process ends, in the reverse order of their start, each once. Thread-safe: the main thread
 * and the shutdown hook use it.
 */
public final class Shutdown implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private boolean failed;

    /** Adds an opened part and returns it. */
    public synchronized <T extends AutoCloseable> T closing(T part) {
        parts.push(part);
        return part;
    }

    /** Gives a part away: another one closes it from now on. */
    public synchronized void release(AutoCloseable part) {
        parts.remove(part);
    }

    /** Closes all parts, also if some of them fail. */
    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                failed = true;
                LOG.error("Could not close {}: {}", part.getClass().getSimpleName(), Printable.of(e.toString()));
            }
        }
    }

    public synchronized boolean isClean() {
        return !failed;
    }
}
