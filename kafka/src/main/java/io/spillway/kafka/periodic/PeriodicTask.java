package io.spillway.kafka.periodic;

import io.spillway.core.text.Printable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Task that a thread of its own repeats until it is closed. A failure, or an Error, does not end the repetition. */
public final class PeriodicTask implements AutoCloseable {
    private final String name;
    private final ScheduledExecutorService thread;
    private final Runnable task;

    /**
     * Creates a task that is not started.
     *
     * @param name      name of the task and its thread
     * @param onFailure receives the message, printable, of the first of several failures in a row
     */
    public PeriodicTask(String name, Runnable task, Consumer<String> onFailure) {
        this.name = name;
        this.thread = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name(name).factory());
        this.task = resilient(task, message -> {
            if (!thread.isShutdown()) {
                onFailure.accept(message);
            }
        });
    }

    /**
     * Returns a task that does not throw, for executors, which silently give up a task that does.
     *
     * @param onFailure receives the message, printable, of the first of several failures in a row
     */
    public static Runnable resilient(Runnable task, Consumer<String> onFailure) {
        AtomicBoolean failed = new AtomicBoolean();
        return () -> {
            try {
                task.run();
                failed.set(false);
            } catch (RuntimeException | Error e) {
                if (!failed.getAndSet(true)) {
                    boolean isClear = e instanceof RuntimeException && e.getMessage() != null;
                    onFailure.accept(Printable.of(isClear ? e.getMessage() : e.toString()));
                }
            }
        };
    }

    /** Starts after this task's delay. The period is the time from the end of a run to the start of the next. */
    public void start(StartDelays delays, long periodMillis) {
        thread.scheduleWithFixedDelay(
                task, delays.millis(name, periodMillis), periodMillis, TimeUnit.MILLISECONDS);
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
