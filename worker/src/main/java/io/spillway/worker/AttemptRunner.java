package io.spillway.worker;

import io.spillway.core.overload.HandlingStats;
import io.spillway.core.retry.AttemptResult;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Runs attempts, each on a virtual thread of its own, which then brings the next ones on their way. Where the handler leaves
 * its thread clean, the thread goes on with one of them itself.
 */
final class AttemptRunner {
    private final Handler handler;
    private final WorkerMetrics metrics;
    private final HandlingStats pulse;
    private final WorkerCore core;
    private final LongSupplier nanoClock;
    private final Consumer<Throwable> onFault;
    private final Thread.Builder threads = Thread.ofVirtual().name("handler");

    /**
     * Makes a runner.
     *
     * @param onFault told when memory ran out or the worker itself has failed: nothing is committed any more
     */
    AttemptRunner(
            Handler handler, WorkerMetrics metrics, HandlingStats pulse, WorkerCore core, LongSupplier nanoClock,
            Consumer<Throwable> onFault) {
        this.handler = handler;
        this.metrics = metrics;
        this.pulse = pulse;
        this.core = core;
        this.nanoClock = nanoClock;
        this.onFault = onFault;
    }

    /** Starts these attempts. */
    void run(List<Attempt> attempts) {
        for (Attempt attempt : attempts) {
            threads.start(() -> run(attempt));
        }
    }

    private void run(Attempt attempt) {
        try {
            List<Attempt> next = handle(attempt);
            while (handler.leavesThreadClean() && !next.isEmpty()) {
                if (next.size() > 1) {
                    run(next.subList(1, next.size()));
                }
                // Whoever interrupted meant the call that is over.
                Thread.interrupted();
                next = handle(next.getFirst());
            }
            run(next);
        } catch (RuntimeException | Error e) {
            core.broken();
            onFault.accept(e);
        }
    }

    /** Carries an attempt out; answers those to run next. */
    private List<Attempt> handle(Attempt attempt) {
        attempt.begin(Thread.currentThread());
        metrics.started(attempt);
        LaneItem item = attempt.item;
        pulse.begun(item.lane(), !item.attemptedBefore(), attempt.startedAtMillis - item.enqueuedAtMillis());
        AttemptResult result = call(attempt);
        Attempt.Interruption interruption = attempt.finish();
        long durationNanos = nanoClock.getAsLong() - attempt.startedNanos;
        AttemptEnd end = new AttemptEnd(interpret(result, interruption, durationNanos), durationNanos);
        metrics.ended(end);
        pulse.ended(durationNanos);
        return core.ended(attempt, end);
    }

    private AttemptResult call(Attempt attempt) {
        try {
            return switch (handler.handle(new LaneDelivery(attempt.item, attempt))) {
                case Outcome.Done done -> new AttemptResult.Succeeded();
                case Outcome.Retry retry -> new AttemptResult.Failed(
                        retry.after().map(after -> OptionalLong.of(Math.max(0, after.toMillis()))).orElse(OptionalLong.empty()), retry.detail());
                case Outcome.Dead dead -> new AttemptResult.FailedForGood(dead.reason());
                case null -> new AttemptResult.Failed(OptionalLong.empty(), "the handler answered null");
            };
        } catch (OutOfMemoryError e) {
            // Says nothing about this item; the process must go, and it comes again as a suspect.
            throw e;
        } catch (Throwable e) {
            return new AttemptResult.Failed(OptionalLong.empty(), describe(e));
        }
    }

    /** What a handler throws is its own code too, and may throw, or answer null, when it is asked what it is. */
    private static String describe(Throwable thrown) {
        try {
            return String.valueOf(thrown.toString());
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return thrown.getClass().getName();
        }
    }

    /** An interrupted call that says that it is done is done; any other end of it is the interrupt's. */
    private static AttemptResult interpret(AttemptResult result, Attempt.Interruption interruption, long durationNanos) {
        if (result instanceof AttemptResult.Succeeded) {
            return result;
        }
        return switch (interruption) {
            case NONE -> result;
            case LEASE_ENDED -> new AttemptResult.TimedOut(TimeUnit.NANOSECONDS.toMillis(durationNanos));
            case PARTITION_LEFT -> new AttemptResult.Interrupted();
        };
    }
}
