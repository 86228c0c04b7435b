package io.spillway.cli.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns SIGTERM and Ctrl-C into a question that long work asks between its batches. The process then ends with exit
 * code 1 when the work is closed, or after {@link #STOP_SECONDS} in any case.
 */
public final class StopSignal implements AutoCloseable {
    private static final int STOP_SECONDS = 28;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = Thread.ofPlatform().name("stop").unstarted(this::stop);
    private volatile boolean stopped;

    public StopSignal() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    public boolean isStopped() {
        return stopped;
    }

    /** Does not return when the process is being stopped: all has been said by then. */
    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException stopping) {
            try {
                hook.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void stop() {
        stopped = true;
        try {
            ended.await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // The exit code of a signal would not be one of ours.
        Runtime.getRuntime().halt(CommandFailure.FAILED);
    }
}
