package io.spillway.runtime;

import io.spillway.core.item.Printable;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must be closed when the process ends, last opened first, each part once, whether the end comes by SIGTERM, by a
 * fault or by itself. Called from the main thread and from the shutdown hook, hence synchronized.
 */
public final class Shutdown implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private boolean failed;

    /** Notes a part that was opened, and hands it back. */
    public synchronized <T extends AutoCloseable> T closing(T part) {
        parts.push(part);
        return part;
    }

    /** Closes everything; a part that fails does not keep the others from closing. */
    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                failed = true;
                LOG.error("Closing {} failed: {}", part.getClass().getSimpleName(), Printable.of(e.toString()));
            }
        }
    }

    public synchronized boolean isClean() {
        return !failed;
    }
}
