package io.spillway.kafka.topics;

import io.spillway.core.item.Printable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Task that a thread of its own repeats until it is closed. A failure does not end the repetition. */
public final class PeriodicTask implements AutoCloseable {
    private final String name;
    private final ScheduledExecutorService thread;
    private final Runnable task;
    private final Consumer<String> onFailure;
    private boolean failed;

    /**
     * Creates a task that is not started.
     *
     * @param name      name of the task and its thread
     * @param onFailure receives the message, printable, of the first of several failures in a row
     */
    public PeriodicTask(String name, Runnable task, Consumer<String> onFailure) {
        this.name = name;
        this.thread = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name(name).factory());
        this.task = task;
        this.onFailure = onFailure;
    }

    /** Starts after this task's delay. The period is the time from the end of a run to the start of the next. */
    public void start(StartDelays delays, long periodMillis) {
        thread.scheduleWithFixedDelay(
                this::run, delays.millis(name, periodMillis), periodMillis, TimeUnit.MILLISECONDS);
    }

    private void run() {
        try {
            task.run();
            failed = false;
        } catch (RuntimeException e) {
            if (!failed && !thread.isShutdown()) {
                onFailure.accept(Printable.of(e.getMessage()));
            }
            failed = true;
        }
    }

    /** Interrupts the task and waits for its end, at most 2 s; returns whether it has ended. */
    public boolean stop() {
        thread.shutdownNow();
        try {
            return thread.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        stop();
    }
}
