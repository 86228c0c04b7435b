package io.spillway.worker;

import io.spillway.core.overload.HandlingStats;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.Subscription;
import io.spillway.core.retry.AttemptRules;
import io.spillway.core.text.Printable;
import io.spillway.handler.BatchHandler;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.tracing.AttemptSpan;
import io.spillway.tracing.Tracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of attempts: one virtual thread for each, which then starts the next attempts. Where the handler leaves its
 * thread clean, the thread runs one of them itself. Attempts that share a call share its thread
 * too. A thread of its own starts those that wait for a rate of attempts.
 */
final class AttemptRunner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptRunner.class);
    private static final int MAX_DETAIL = 1_000;
    private static final int MAX_DESTINATION = 255;

    private final Handler handler;
    private final WorkerMetrics metrics;
    private final HandlingStats stats;
    private final WorkerCore core;
    private final Tracing tracing;
    private final String group;
    private final LongSupplier nanoClock;
    private final Consumer<Throwable> onFailure;
    private final Drills drills;
    private final HandlerFailures failures = new HandlerFailures();
    /** The thread of one call starts those of the next calls, which must find nothing of it. */
    private final Thread.Builder threads = Thread.ofVirtual().name("handler").inheritInheritableThreadLocals(false);
    private final Thread pacing = Thread.ofPlatform().name("worker-pacing").daemon().unstarted(this::pace);
    private final ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

    /**
     * Creates a runner.
     *
     * @param drills    runs the items that no handler gets
     * @param group     consumer group of the workers, for the spans
     * @param onFailure called when memory ran out or the worker itself failed; no commit follows
     */
    AttemptRunner(
            Handler handler, Drills drills, WorkerMetrics metrics, HandlingStats stats, WorkerCore core,
            Tracing tracing, String group, LongSupplier nanoClock, Consumer<Throwable> onFailure) {
        this.handler = handler;
        this.drills = drills;
        this.metrics = metrics;
        this.stats = stats;
        this.core = core;
        this.tracing = tracing;
        this.group = group;
        this.nanoClock = nanoClock;
        this.onFailure = onFailure;
    }

    /** Returns how many items of a workload a call of a handler may have; see {@link BatchHandler#maxItems}. */
    static ToIntFunction<LaneItem> batchItems(Handler handler) {
        return handler instanceof BatchHandler batches
                ? first -> Drills.has(first) ? 1 : BatchCall.maxItems(batches, first.workload())
                : first -> 1;
    }

    void start() {
        pacing.start();
    }

    @Override
    public void close() {
        pacing.interrupt();
    }

    private void pace() {
        try {
            while (!Thread.interrupted()) {
                run(core.awaitStart());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            core.stopCommits();
            onFailure.accept(e);
        }
    }

    void run(List<Attempt> attempts) {
        for (Attempt attempt : attempts) {
            threads.start(() -> run(attempt));
        }
    }

    private void run(Attempt attempt) {
        Thread.currentThread().setContextClassLoader(classLoader);
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
        if (!attempt.riders().isEmpty()) {
            handleAll(attempt);
            return core.ended(attempt, attempt.result);
        }
        Outcome result;
        try (AttemptSpan span = tracing.isOn() ? begin(attempt) : AttemptSpan.NONE) {
            attempt.span = span;
            begun(attempt);
            Outcome returned = call(attempt);
            Attempt.Interruption interruption = attempt.finish();
            result = ended(attempt, returned, interruption, nanoClock.getAsLong() - attempt.startedNanos, 1);
        }
        return core.ended(attempt, result);
    }

    /** Runs the call of several attempts, and gives each its result. */
    private void handleAll(Attempt first) {
        List<Attempt> all = new ArrayList<>(first.riders());
        all.addFirst(first);
        // The span of the first one is the current one during the call.
        for (Attempt attempt : all.reversed()) {
            attempt.span = tracing.isOn() ? begin(attempt) : AttemptSpan.NONE;
            begun(attempt);
        }
        List<Outcome> returned = BatchCall.run(all, (BatchHandler) handler, this::instead);
        Attempt.Interruption interruption = first.finish();
        long durationNanos = nanoClock.getAsLong() - first.startedNanos;
        for (int i = 0; i < all.size(); i++) {
            Attempt attempt = all.get(i);
            attempt.result = ended(attempt, returned.get(i), interruption, durationNanos, all.size());
            attempt.span.close();
        }
    }

    private AttemptSpan begin(Attempt attempt) {
        LaneItem item = attempt.item;
        return tracing.attempt(item.record().topic(), name -> ItemHeaders.text(item.record().headers(), name),
                () -> item.facts(group, attempt.startedAtMillis));
    }

    /** Returns the type of the error that a span has; empty if the attempt has not failed. */
    private static Optional<String> errorType(Attempt attempt, Outcome result) {
        return switch (result) {
            case Outcome.Done done -> Optional.empty();
            case Outcome.Later later -> Optional.empty();
            case Outcome.Interrupted interrupted -> Optional.empty();
            case Outcome.Retry retry when attempt.thrown != null -> Optional.of(attempt.thrown.getClass().getName());
            case Outcome failed -> Optional.of(WorkerMetrics.outcomeOf(failed));
        };
    }

    private void begun(Attempt attempt) {
        if (attempt.deathsBefore > 0) {
            // The last line of the log if the item ends the process in a way that leaves no trace.
            LOG.warn("Runs an item alone with which {} workers have died, {}", attempt.deathsBefore,
                    HandlerFailures.describe(attempt));
        }
        LaneItem item = attempt.item;
        long ageMillis = Math.max(0, attempt.startedAtMillis - item.ageSinceMillis());
        metrics.started(item, ageMillis, attempt.startedAtMillis);
        stats.begun(item.lane(), !item.attemptedBefore(), ageMillis);
    }

    /** Returns the result of an attempt, one of so many in its call. */
    private Outcome ended(
            Attempt attempt, Outcome returned, Attempt.Interruption interruption, long durationNanos, int ofCall) {
        LaneItem item = attempt.item;
        Outcome result = interpret(attempt, returned, interruption, durationNanos);
        // An interrupted call says nothing of a single item.
        attempt.isJudged &= ofCall == 1 || result == returned;
        failures.ended(attempt, result, nanoClock.getAsLong());
        metrics.ended(item, result, attempt.startedAtMillis, durationNanos);
        stats.ended(item.lane(), durationNanos / ofCall);
        attempt.tookMillis = TimeUnit.NANOSECONDS.toMillis(durationNanos / ofCall);
        if (attempt.span.isOn()) {
            attempt.span.ended(
                    WorkerMetrics.outcomeOf(result), errorType(attempt, result), () -> Printable.of(attempt.detail));
        }
        return result;
    }

    private Outcome call(Attempt attempt) {
        Optional<Outcome> instead = instead(attempt);
        if (instead.isPresent()) {
            return instead.get();
        }
        try {
            return AttemptRules.ofHandler(handler.handle(attempt));
        } catch (Throwable e) {
            return failed(attempt, "", e);
        }
    }

    /** Returns the result of an attempt that no handler gets; else sets its destination. */
    private Optional<Outcome> instead(Attempt attempt) {
        Optional<Outcome> drilled = drills.run(attempt);
        return drilled.isPresent() ? drilled : name(attempt);
    }

    /** Sets the destination of an attempt; returns its result if that cannot be done. */
    private Optional<Outcome> name(Attempt attempt) {
        try {
            Optional<String> named = attempt.policy.destination().map(NamedDestination::name);
            String name = named.isPresent() ? named.get() : handler.destination(attempt);
            if (name == null) {
                return Optional.of(Outcome.retry(
                        "The handler's method destination returned null. It must return a name, or an empty one."));
            }
            // Subscribers are told apart also where the handler does not.
            attempt.destination = plain(Subscription.isDelivery(attempt.workload()) ? name + attempt.workload() : name);
            return Optional.empty();
        } catch (Throwable e) {
            return Optional.of(failed(attempt, "The handler's method destination failed: ", e));
        }
    }

    /** Returns the result of an attempt of which the handler threw this. */
    static Outcome failed(Attempt attempt, String what, Throwable thrown) {
        if (thrown instanceof OutOfMemoryError memory) {
            // Not a failure of this item: the process ends, and the item is delivered again as a suspect.
            LOG.error("Memory ran out in the handler, {}", HandlerFailures.describe(attempt));
            throw memory;
        }
        attempt.thrown = thrown;
        return Outcome.retry(what + FailureText.describe(thrown, MAX_DETAIL - what.length()));
    }

    /** Returns the name of a destination as headers, metrics and logs can have it. */
    private static String plain(String name) {
        boolean isPlain = name.length() <= MAX_DESTINATION;
        for (int i = 0; isPlain && i < name.length(); i++) {
            char c = name.charAt(i);
            isPlain = c >= ' ' && c <= '~' && c != '\\';
        }
        return isPlain ? name : Printable.of(name, MAX_DESTINATION);
    }

    /**
     * An interrupted call counts as done when it returns done, and as anything that a consumer on demand has been told
     * to be accepted. Any other result is replaced by the interruption.
     */
    private Outcome interpret(
            Attempt attempt, Outcome result, Attempt.Interruption interruption, long durationNanos) {
        boolean isAnswer = handler instanceof Worker.OnDemand && attempt.thrown == null;
        if (isAnswer || result instanceof Outcome.Done) {
            return result;
        }
        return switch (interruption) {
            case NONE -> result;
            case LEASE_ENDED -> new Outcome.TimedOut(Duration.ofNanos(durationNanos));
            case PARTITION_LEFT -> new Outcome.Interrupted();
        };
    }
}
