package io.spillway.core.engine;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Claims of running attempts: a claimed item leaves its partition into the delay lane while its attempt goes on, and
 * is due there when the lease has ended. So neither the loss of the partition nor that of the worker starts a second
 * attempt while the lease holds. Suspects stay, because their partition counts the deaths of workers with them.
 *
 * <p>Owner: the {@link WorkerEngine}. Bound: the slots.
 */
public final class Claims<T extends EngineItem, A extends EngineAttempt<T>> {
    /** Half of the time after which a worker without a sign of life loses its partitions. */
    public static final long AFTER_MILLIS = 5_000;
    /** Time by which a claim outlasts its lease: for clocks that differ, and for calls to return after their end. */
    public static final long MARGIN_MILLIS = 5_000;

    private final Settlement<T, A> settlement;
    private final Quarantine<T, A> quarantine;
    private final RunningAttempts<T, A> running;
    private final EarlyItems<T, A> early;
    private final List<Step<T, A>> steps;

    Claims(
            Settlement<T, A> settlement, Quarantine<T, A> quarantine, RunningAttempts<T, A> running,
            EarlyItems<T, A> early, List<Step<T, A>> steps) {
        this.settlement = settlement;
        this.quarantine = quarantine;
        this.running = running;
        this.early = early;
        this.steps = steps;
    }

    /** Claims the items of attempts that have run for {@value #AFTER_MILLIS} ms. */
    public List<Step<T, A>> ofLong(long nowNanos) {
        long byNanos = nowNanos - TimeUnit.MILLISECONDS.toNanos(AFTER_MILLIS);
        return claim(attempt -> attempt.startedNanos - byNanos <= 0);
    }

    /** Claims the items of the attempts of partitions that are being revoked. */
    public List<Step<T, A>> ofLeaving() {
        return claim(attempt -> attempt.item.partition().isLeaving());
    }

    private List<Step<T, A>> claim(Predicate<A> which) {
        steps.clear();
        for (A attempt : running.all()) {
            if (!attempt.isClaimed() && which.test(attempt) && mayClaim(attempt)) {
                settlement.claim(attempt);
            }
        }
        return steps;
    }

    private boolean mayClaim(A attempt) {
        return attempt.slot != null && !attempt.isForgotten && !attempt.item.partition().gone && attempt.mayBeClaimed()
                && !early.contains(attempt.item) && !quarantine.isMember(attempt.item);
    }
}
