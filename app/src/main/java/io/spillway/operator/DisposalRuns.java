package io.spillway.operator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Replays and discards of this process, one after another on one thread, because a run fences the one before it. A run
 * that is interrupted is safe: what is committed is done exactly once, and another run continues.
 *
 * <p>Thread-safe. Bounds: {@value #MAX_ACTIVE} runs that have not ended, and {@value #MAX_KEPT} in all, of which the
 * oldest ended ones are forgotten.
 */
final class DisposalRuns implements AutoCloseable {
    static final int MAX_ACTIVE = 4;
    static final int MAX_KEPT = 100;
    /** Longer than a transaction takes. */
    private static final long STOP_MILLIS = 10_000;

    private final OperatorQueue queue;
    private final ActionRecorder recorder;
    private final LongSupplier randomBits;
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("dead-letter-runs").factory());
    /** By id, oldest first; under the lock of this map. */
    private final Map<String, DisposalTask> runs = new LinkedHashMap<>();

    /** @param randomBits returns 64 random bits; thread-safe */
    DisposalRuns(OperatorQueue queue, ActionRecorder recorder, LongSupplier randomBits) {
        this.queue = queue;
        this.recorder = recorder;
        this.randomBits = randomBits;
    }

    /** Starts a run and returns its id. */
    String start(DisposalOrder order, String by) {
        DisposalTask run = new DisposalTask(
                String.format(Locale.ROOT, "%016x", randomBits.getAsLong()), order, by, queue, recorder);
        synchronized (runs) {
            long active = runs.values().stream().filter(earlierRun -> !earlierRun.isEnded()).count();
            if (executor.isShutdown() || active >= MAX_ACTIVE) {
                throw OperatorException.conflict(executor.isShutdown() ? "The gateway is stopping." : active
                        + " runs of this gateway have not ended, the maximum. Wait for one, or cancel it.");
            }
            runs.values().removeIf(earlierRun -> earlierRun.isEnded() && runs.size() >= MAX_KEPT);
            runs.put(run.id(), run);
        }
        try {
            run.record("Started run " + run.id() + ".");
            executor.execute(run);
        } catch (RejectedExecutionException closedMeanwhile) {
            run.cancel("the gateway stops");
        } catch (RuntimeException | Error e) {
            synchronized (runs) {
                runs.remove(run.id());
            }
            throw e;
        }
        return run.id();
    }

    /** Returns the runs, newest first. */
    List<Map<String, Object>> all() {
        synchronized (runs) {
            return new ArrayList<>(runs.values()).reversed().stream().map(DisposalTask::fields).toList();
        }
    }

    Optional<Map<String, Object>> get(String id) {
        return find(id).map(DisposalTask::fields);
    }

    /** Asks a run to stop after its current batch, and returns it; empty if there is no such run. */
    Optional<Map<String, Object>> cancel(String id, String by) {
        return find(id).map(run -> {
            if (run.isEnded()) {
                throw OperatorException.conflict("The run " + id + " has ended.");
            }
            run.cancel("cancelled by " + by);
            return run.fields();
        });
    }

    private Optional<DisposalTask> find(String id) {
        synchronized (runs) {
            return Optional.ofNullable(runs.get(id));
        }
    }

    /** Stops the runs after their current batches, and waits for them, at most 10 s together. */
    @Override
    public void close() {
        synchronized (runs) {
            executor.shutdown();
            runs.values().forEach(run -> run.stop("the gateway stops"));
        }
        try {
            executor.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
