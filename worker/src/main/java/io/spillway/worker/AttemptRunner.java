package io.spillway.worker;

import io.spillway.core.item.Printable;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.retry.AttemptResult;
import io.spillway.handler.Handler;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.tracing.AttemptSpan;
import io.spillway.tracing.Tracing;
import io.spillway.worker.handlers.OutcomeResults;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of attempts: one virtual thread for each, which then starts the next attempts. Where the handler leaves its
 * thread clean, the thread runs one of them itself.
 */
final class AttemptRunner {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptRunner.class);
    private static final int MAX_DETAIL = 1_000;

    private final Handler handler;
    private final WorkerMetrics metrics;
    private final HandlingStats stats;
    private final WorkerCore core;
    private final Tracing tracing;
    private final String group;
    private final LongSupplier nanoClock;
    private final Consumer<Throwable> onFailure;
    private final HandlerFailures failures = new HandlerFailures();
    private final Thread.Builder threads = Thread.ofVirtual().name("handler");

    /**
     * Creates a runner.
     *
     * @param group     consumer group of the workers, for the spans
     * @param onFailure called when memory ran out or the worker itself failed; no commit follows
     */
    AttemptRunner(
            Handler handler, WorkerMetrics metrics, HandlingStats stats, WorkerCore core, Tracing tracing, String group,
            LongSupplier nanoClock, Consumer<Throwable> onFailure) {
        this.handler = handler;
        this.metrics = metrics;
        this.stats = stats;
        this.core = core;
        this.tracing = tracing;
        this.group = group;
        this.nanoClock = nanoClock;
        this.onFailure = onFailure;
    }

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
                // A late interrupt was for the call that has returned.
                Thread.interrupted();
                next = handle(next.getFirst());
            }
            run(next);
        } catch (RuntimeException | Error e) {
            core.stopCommits();
            onFailure.accept(e);
        }
    }

    /** Runs an attempt and returns the attempts to run next. */
    List<Attempt> handle(Attempt attempt) {
        attempt.begin(Thread.currentThread());
        AttemptResult result;
        try (AttemptSpan span = tracing.isOn() ? begin(attempt) : AttemptSpan.NONE) {
            result = result(attempt, span);
        }
        return core.ended(attempt, result);
    }

    private AttemptSpan begin(Attempt attempt) {
        LaneItem item = attempt.item;
        return tracing.attempt(item.record().topic(), name -> ItemHeaders.text(item.record().headers(), name),
                () -> item.facts(group, attempt.startedAtMillis));
    }

    /** Returns the type of the error that a span has; empty if the attempt has not failed. */
    private static Optional<String> errorType(Attempt attempt, AttemptResult result) {
        return switch (result) {
            case AttemptResult.Succeeded succeeded -> Optional.empty();
            case AttemptResult.Deferred later -> Optional.empty();
            case AttemptResult.Interrupted interrupted -> Optional.empty();
            case AttemptResult.TimedOut late -> Optional.of(WorkerMetrics.outcomeOf(late));
            case AttemptResult.Failed failed when attempt.thrown != null ->
                Optional.of(attempt.thrown.getClass().getName());
            case AttemptResult failed -> Optional.of(WorkerMetrics.outcomeOf(failed));
        };
    }

    private AttemptResult result(Attempt attempt, AttemptSpan span) {
        if (attempt.deathsBefore > 0) {
            // The last line of the log if the item ends the process in a way that leaves no trace.
            LOG.warn("Runs an item alone with which {} workers have died, {}", attempt.deathsBefore,
                    HandlerFailures.describe(attempt));
        }
        LaneItem item = attempt.item;
        long ageMillis = Math.max(0, attempt.startedAtMillis - item.ageSinceMillis());
        metrics.started(item, ageMillis, attempt.startedAtMillis);
        stats.begun(item.lane(), !item.attemptedBefore(), ageMillis);
        AttemptResult returned = call(attempt, span);
        Attempt.Interruption interruption = attempt.finish();
        long durationNanos = nanoClock.getAsLong() - attempt.startedNanos;
        AttemptResult result = interpret(attempt, returned, interruption, durationNanos);
        failures.ended(attempt, result, nanoClock.getAsLong());
        metrics.ended(item, result, durationNanos);
        stats.ended(item.lane(), durationNanos);
        if (span.isOn()) {
            span.ended(WorkerMetrics.outcomeOf(result), errorType(attempt, result), () -> Printable.of(attempt.detail));
        }
        return result;
    }

    private AttemptResult call(Attempt attempt, AttemptSpan span) {
        LaneDelivery delivery = new LaneDelivery(attempt.item, attempt, span);
        try {
            attempt.destination = Destinations.of(handler, delivery);
            return OutcomeResults.of(handler.handle(delivery));
        } catch (OutOfMemoryError e) {
            // Not a failure of this item: the process ends, and the item is delivered again as a suspect.
            LOG.error("Memory ran out in the handler, {}", HandlerFailures.describe(attempt));
            throw e;
        } catch (Destinations.UnknownException e) {
            attempt.thrown = e.thrown();
            return new AttemptResult.Failed(OptionalLong.empty(), e.getMessage());
        } catch (Throwable e) {
            attempt.thrown = e;
            return new AttemptResult.Failed(OptionalLong.empty(), FailureText.describe(e, MAX_DETAIL));
        }
    }

    /**
     * An interrupted call counts as done when it returns done, and as anything that a consumer on demand has been told
     * to be accepted. Any other result is replaced by the interruption.
     */
    private AttemptResult interpret(
            Attempt attempt, AttemptResult result, Attempt.Interruption interruption, long durationNanos) {
        boolean isAnswer = handler instanceof Worker.OnDemand && attempt.thrown == null;
        if (isAnswer || result instanceof AttemptResult.Succeeded) {
            return result;
        }
        return switch (interruption) {
            case NONE -> result;
            case LEASE_ENDED -> new AttemptResult.TimedOut(TimeUnit.NANOSECONDS.toMillis(durationNanos));
            case PARTITION_LEFT -> new AttemptResult.Interrupted();
        };
    }
}
