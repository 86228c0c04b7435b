package io.spillway.cli.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Stop flag that SIGTERM and Ctrl-C set, checked by long work between its batches. The process then exits with code 1
 * when the work is closed, after {@link #STOP_SECONDS} at the latest.
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

    /** Ends the work; does not return if the process is being stopped. */
    @Override
    public void close() {
        ended.countDown();
        remove(hook);
    }

    /** Removes a shutdown hook that ends the process; does not return if it already runs. */
    public static void remove(Thread hook) {
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
        // Otherwise the exit code would be that of the signal.
        Runtime.getRuntime().halt(CommandFailure.FAILED);
    }
}
