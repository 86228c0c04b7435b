package io.spillway.operator;

import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Replays and discards of this process, each on a thread of its own. They take turns, because a run fences the one
 * before it. A run that is interrupted is safe: what is committed is done exactly once, and another run continues.
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
    private final InstantSource clock;
    private final LongSupplier randomBits;
    private final Semaphore turn = new Semaphore(1, true);
    /** By id, oldest first; under the lock of this map. */
    private final Map<String, DisposalThread> runs = new LinkedHashMap<>();
    private boolean isClosed;

    /** @param randomBits returns 64 random bits; thread-safe */
    DisposalRuns(OperatorQueue queue, ActionRecorder recorder, InstantSource clock, LongSupplier randomBits) {
        this.queue = queue;
        this.recorder = recorder;
        this.clock = clock;
        this.randomBits = randomBits;
    }

    /** Starts a run and returns its id. */
    String start(DisposalOrder order, String by) {
        DisposalThread run = new DisposalThread(
                String.format(Locale.ROOT, "%016x", randomBits.getAsLong()), order, by, queue, turn, this::record);
        synchronized (runs) {
            long active = runs.values().stream().filter(earlierRun -> !earlierRun.isEnded()).count();
            if (isClosed || active >= MAX_ACTIVE) {
                throw OperatorException.conflict(isClosed ? "The gateway is stopping." : active
                        + " runs of this gateway have not ended, the maximum. Wait for one, or cancel it.");
            }
            runs.values().removeIf(earlierRun -> earlierRun.isEnded() && runs.size() >= MAX_KEPT);
            runs.put(run.id(), run);
        }
        try {
            record(run, "Started run " + run.id() + ".");
            run.start();
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
            return new ArrayList<>(runs.values()).reversed().stream().map(DisposalThread::fields).toList();
        }
    }

    Optional<Map<String, Object>> get(String id) {
        return find(id).map(DisposalThread::fields);
    }

    /** Asks a run to stop after its current batch, and returns it; empty if there is no such run. */
    Optional<Map<String, Object>> cancel(String id, String by) {
        return find(id).map(run -> {
            if (run.isEnded()) {
                throw OperatorException.conflict("The run " + id + " has ended.");
            }
            run.stop("cancelled by " + by);
            return run.fields();
        });
    }

    private Optional<DisposalThread> find(String id) {
        synchronized (runs) {
            return Optional.ofNullable(runs.get(id));
        }
    }

    /** Writes what a run did to the action log. */
    private void record(DisposalThread run, String result) {
        DisposalOrder order = run.order();
        try (CompactedStore store = queue.open()) {
            recorder.record(store, run.by(), order.kind().label(), order.filter().tenant().orElse(""),
                    order.options(), result);
        } catch (KafkaFailure e) {
            DisposalThread.LOG.warn("Not in the action log: {} by {}: {} ({})", order.kind().label(), run.by(),
                    result, Printable.onOneLine(e.getMessage()));
        }
    }

    /** Stops the runs after their current batches, and waits for them, at most 10 s together. */
    @Override
    public void close() {
        List<DisposalThread> active;
        synchronized (runs) {
            isClosed = true;
            active = runs.values().stream().filter(run -> !run.isEnded()).toList();
        }
        active.forEach(run -> run.stop("the gateway stops"));
        long endNanos = TimeUnit.MILLISECONDS.toNanos(clock.millis() + STOP_MILLIS);
        for (DisposalThread run : active) {
            run.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos) - clock.millis()));
        }
    }
}
