package io.spillway.cli.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Stop flag that SIGTERM and Ctrl-C set, checked by long work between its batches. The process then exits when the work
 * is closed, after {@link #STOP_SECONDS} at the latest, with the code of the signal: 130 for Ctrl-C.
 */
public final class StopSignal implements AutoCloseable {
    private static final int STOP_SECONDS = 28;
    /** Name that the JDK gives to the thread that runs the end of the process after Ctrl-C. */
    private static final String CTRL_C_THREAD = "SIGINT handler";

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable lastWork;
    private final Thread hook = Thread.ofPlatform().name("stop").unstarted(this::stop);
    private final CountDownLatch signalled = new CountDownLatch(1);

    /** Creates a flag for work that notices it soon. */
    public StopSignal() {
        this.lastWork = this::awaitEnd;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Creates a flag for work that may be blocked when the signal arrives.
     *
     * @param lastWork runs in another thread after the flag is set, in place of waiting for the end of the work
     */
    public StopSignal(Runnable lastWork) {
        this.lastWork = lastWork;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    public boolean isStopped() {
        return signalled.getCount() == 0;
    }

    /** Waits for some time, or until the signal. */
    public void pause(long millis) {
        try {
            signalled.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
            awaitExit();
        }
    }

    /** Returns whether the process is being stopped by Ctrl-C; for shutdown hooks. */
    public static boolean isCtrlC() {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().equals(CTRL_C_THREAD));
    }

    /** Returns the code with which the JVM exits after the signal. */
    public static int exitCode() {
        return isCtrlC() ? CommandFailure.INTERRUPTED : CommandFailure.TERMINATED;
    }

    /** Waits for the JVM to exit, with the code of the signal, when all hooks have returned. */
    private static void awaitExit() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stop() {
        signalled.countDown();
        lastWork.run();
    }

    private void awaitEnd() {
        try {
            ended.await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
