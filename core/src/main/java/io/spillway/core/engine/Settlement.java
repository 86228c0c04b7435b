package io.spillway.core.engine;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.progress.SuspectDecision;
import io.spillway.core.retry.AttemptResult;
import io.spillway.core.retry.AttemptRules;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.retry.ItemHistory;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.FairDispatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Finishes items in the progress of their partition and reports the effects.
 *
 * <p>Owner: the {@link WorkerEngine}.
 */
final class Settlement<T extends EngineItem, A extends EngineAttempt<T>> {
    private static final Route.DeadLetter STUCK = new Route.DeadLetter(DeadReason.STUCK, "the handler had not returned "
            + TimeUnit.NANOSECONDS.toSeconds(EngineAttempt.STUCK_AFTER_NANOS) + " s after its interrupt");

    private static final long PUT_OFF_MILLIS = 10_000;

    private final DestinationHealth health;
    private final FairDispatch<T> dispatch;
    private final EngineEffects<T, A> effects;

    Settlement(DestinationHealth health, FairDispatch<T> dispatch, EngineEffects<T, A> effects) {
        this.health = health;
        this.dispatch = dispatch;
        this.effects = effects;
    }

    /** Drops or ends an item, or moves it to aged, because of its age; or to delay, because it is paused. */
    void setAside(T item, Route stale, long nowMillis) {
        switch (stale) {
            case Route.Drop drop -> {
                finish(item);
                effects.dropped(item, drop.reason());
            }
            case Route.ToLane to when to.lane() == Lane.DELAY ->
                    move(item, to.lane(), to.reason(), item.moves(), nowMillis);
            case Route.ToLane to -> move(item, to.lane(), to.reason(), item.moves() + 1, 0);
            case Route.DeadLetter why -> {
                finish(item);
                effects.ended(item, why, nowMillis);
            }
        }
    }

    /** Lets an item of a tenant with a conviction, of which enough wait as suspects, come later. */
    void putOff(T item, long nowMillis) {
        move(item, Lane.DELAY, LaneReason.CAPPED, item.moves() + 1, nowMillis + PUT_OFF_MILLIS);
    }

    /** Moves an item to another lane without an attempt. */
    void move(T item, Lane to, LaneReason reason, int moves, long dueMillis) {
        finish(item);
        effects.moved(item, to, reason, moves, dueMillis);
    }

    /**
     * Applies the rules after an attempt, unless its partition is lost or it was given up. An interrupted attempt
     * leaves its item unfinished.
     */
    void settle(A attempt, AttemptResult result, RandomGenerator random, long nowMillis) {
        T item = attempt.item;
        if (item.partition().gone || attempt.isGivenUp()) {
            return;
        }
        ItemHistory before = new ItemHistory(item.attempts(), item.blameThousandths(), item.waitMillis());
        int blame = observe(attempt, result, nowMillis);
        switch (AttemptRules.nextStep(result, before, blame, attempt.policy, random, nowMillis)) {
            case NextStep.Done done -> {
                finish(item);
                effects.done(item);
            }
            case NextStep.DeadLetter dead -> {
                finish(item);
                effects.deadLettered(
                        attempt, new Route.DeadLetter(dead.reason(), dead.detail()), dead.attempts(), nowMillis);
            }
            case NextStep.Delay delay -> {
                finish(item);
                effects.retried(attempt, delay);
            }
            case NextStep.PutOff later ->
                    move(item, Lane.DELAY, LaneReason.LATER, item.moves(), later.dueMillis());
            case NextStep.GiveBack giveBack -> { }
        }
    }

    /**
     * Dead-letters the item of an attempt that does not end. A retry could run beside it, and each would take a slot
     * for good.
     */
    void giveUp(A attempt, long nowMillis) {
        attempt.giveUp();
        T item = attempt.item;
        if (!item.partition().gone) {
            finish(item);
            effects.deadLettered(attempt, STUCK, item.attempts() + 1, nowMillis);
        }
    }

    /** Dead-letters an item that was read again after its partition came back, while its stuck attempt goes on. */
    void giveUp(T item, long nowMillis) {
        finish(item);
        effects.convicted(item, STUCK, item.attempts() + 1, nowMillis);
    }

    /** Records what the result tells about the destination; returns what it adds to the item's blame if it failed. */
    private int observe(A attempt, AttemptResult result, long nowMillis) {
        if (result instanceof AttemptResult.Interrupted || result instanceof AttemptResult.Deferred) {
            return 0;
        }
        String tenant = attempt.item.tenant();
        boolean failed = result.isFailure();
        health.ended(attempt.destination, tenant, attempt.item.attempts() == 0, attempt.item.grantedBy(), !failed,
                nowMillis);
        return failed && !(result instanceof AttemptResult.Unavailable)
                ? health.blame(attempt.destination, tenant, nowMillis) : 0;
    }

    /** Dead-letters a suspect that was marked in too many deaths of workers. */
    void convict(T suspect, SuspectDecision.Convict convict, long nowMillis) {
        int deaths = convict.deaths();
        String detail = (deaths == 1 ? "1 worker died with it alone"
                : deaths + " workers died with it, the last ones with it alone")
                + (convict.isolated() ? ", after others with another item of its tenant" : "");
        finish(suspect);
        effects.convicted(suspect, new Route.DeadLetter(DeadReason.KILLED_WORKER, detail),
                (int) Math.min((long) suspect.attempts() + deaths, Integer.MAX_VALUE), nowMillis);
    }

    private void finish(T item) {
        EnginePartition partition = item.partition();
        partition.finished(item.offset());
        dispatch.hold(partition.lane(), partition.leaving ? 0 : -1, -partition.release(item.bytes()));
    }
}
