package io.spillway.core.engine;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.SuspectMark;
import io.spillway.core.retry.AttemptRules;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.FairDispatch;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Ends of items: tells which items are over or leave their lane ({@link ItemEnds}), finishes items in the progress of
 * their partition and adds the steps that follow.
 *
 * <p>Owner: the {@link WorkerEngine}.
 */
final class Settlement<T extends EngineItem, A extends EngineAttempt<T>> {
    private static final Route.DeadLetter STUCK = new Route.DeadLetter(DeadReason.STUCK, "the handler had not returned "
            + TimeUnit.NANOSECONDS.toSeconds(EngineAttempt.STUCK_AFTER_NANOS) + " s after its interrupt");

    private static final Outcome CUT_SHORT =
            Outcome.retry("its call was interrupted, because the partition of another item of the call was lost");

    private static final long PUT_OFF_MILLIS = 10_000;
    private static final Map<Lane, Route> TO_OWN_PARTITION = Lane.WORKED.stream().collect(Collectors.toUnmodifiableMap(
            Function.identity(), lane -> new Route.ToLane(lane, LaneReason.ISOLATED)));
    /** 2,000 moves a second, so that a backlog of any size delays other tenants by little. */
    private static final long MICROS_PER_RELOCATION = 500;
    /** As many as one poll of a partition has. */
    private static final long RELOCATIONS_AHEAD_MICROS = 250_000;
    private static final long MOST_RELOCATIONS_AHEAD_MICROS = 60_000_000;

    private final DestinationHealth health;
    private final ItemPolicies<T> policies;
    private final ItemEnds ends;
    private final FairDispatch<T> dispatch;
    private final EarlyItems<T, A> early;
    private final List<Step<T, A>> steps;
    /** When the moves to other partitions so far are within their rate, epoch microseconds. */
    private long relocatedMicros;

    Settlement(
            DestinationHealth health, ItemPolicies<T> policies, FairDispatch<T> dispatch, EarlyItems<T, A> early,
            List<Step<T, A>> steps) {
        this.health = health;
        this.policies = policies;
        this.ends = new ItemEnds(policies::sweptBeforeMillis, health::hasFailedFor, policies::clockAheadMillis);
        this.dispatch = dispatch;
        this.early = early;
        this.steps = steps;
    }

    /**
     * Returns what happened to the item since it was routed: drop, dead letter, a move to delay because it is paused,
     * in hot and overflow a move to aged, or a move within its lane.
     */
    Optional<Route> staleness(T item, TenantPolicy policy, long nowMillis) {
        if (policies.isCancelled(item, nowMillis)) {
            return Optional.of(Route.CANCELLED);
        }
        Optional<Route> end = ends.now(item.tenant(), item.workload(), item.times(), policy, nowMillis);
        boolean isAged = end.isPresent() && end.get().equals(Route.AGED);
        Optional<Route> due = isAged && item.partition().lane() == Lane.AGED ? Optional.empty() : end;
        return due.isEmpty() && policies.isMisplaced(item)
                ? Optional.of(TO_OWN_PARTITION.get(item.partition().lane())) : due;
    }

    /** Returns whether no more items may be moved to other partitions now. */
    boolean hasRelocatedEnough(long nowMillis) {
        long aheadMicros = relocatedMicros - nowMillis * 1_000;
        // The clock may go back.
        return aheadMicros > RELOCATIONS_AHEAD_MICROS && aheadMicros < MOST_RELOCATIONS_AHEAD_MICROS;
    }

    /** Returns what happened to a waiting item, except that it is aged. */
    Optional<Route> end(T item, long nowMillis) {
        TenantPolicy policy = policies.policyOf(item);
        return policies.isCancelled(item, nowMillis) || ItemEnds.mayBeOver(item.times(), policy, nowMillis)
                        || policy.isPaused(item.workload()) || policies.isMisplaced(item)
                ? staleness(item, policy, nowMillis).filter(route -> !route.equals(Route.AGED)) : Optional.empty();
    }

    /** Drops or ends an item, or moves it to aged, because of its age; or to delay, because it is paused. */
    void setAside(T item, Route stale, long nowMillis) {
        switch (stale) {
            case Route.Drop drop -> end(item, new Step.Drop<>(item, drop.reason()));
            case Route.ToLane to when to.lane() == Lane.DELAY ->
                    move(item, to.lane(), to.reason(), item.moves(), nowMillis);
            case Route.ToLane to when to.lane() == item.partition().lane() -> {
                relocatedMicros = Math.max(relocatedMicros, nowMillis * 1_000) + MICROS_PER_RELOCATION;
                item.partition().relocates = true;
                move(item, to.lane(), to.reason(), item.moves(), 0);
            }
            case Route.ToLane to -> move(item, to.lane(), to.reason(), item.moves() + 1, 0);
            case Route.DeadLetter why -> deadLetter(item, Optional.empty(), why, item.attempts());
        }
    }

    /** Lets an item of a tenant with a conviction, of which enough wait as suspects, come later. */
    void putOff(T item, long nowMillis) {
        move(item, Lane.DELAY, LaneReason.CAPPED, item.moves() + 1, nowMillis + PUT_OFF_MILLIS);
    }

    /** Moves an item to another lane without an attempt. */
    void move(T item, Lane to, LaneReason reason, int moves, long dueMillis) {
        end(item, new Step.Move<>(item, to, reason, moves, dueMillis));
    }

    /**
     * Applies the rules after an attempt, unless its partition is lost, it was given up or it started early and was not
     * confirmed. An interrupted attempt leaves its item unfinished.
     */
    void settle(A attempt, Outcome result, RandomGenerator random, long nowMillis) {
        T item = attempt.item;
        if (isWithoutEffect(attempt) || attempt.isGivenUp()) {
            return;
        }
        int blame = observe(attempt, result, nowMillis);
        boolean isGivenBack = attempt.isJudged || attempt.isClaimed() || item.partition().leaving;
        NextStep next = AttemptRules.nextStep(
                result instanceof Outcome.Interrupted && !isGivenBack ? CUT_SHORT : result, item, blame,
                attempt.policy, random, nowMillis);
        if (attempt.isClaimed()) {
            steps.add(new Step.Settle<>(attempt, next));
            return;
        }
        switch (next) {
            case NextStep.Done done -> end(item, new Step.Done<>(attempt));
            case NextStep.DeadLetter dead -> deadLetter(item, Optional.of(attempt), dead.why(), dead.attempts());
            case NextStep.Delay delay -> end(item, new Step.Retry<>(attempt, delay));
            case NextStep.PutOff later ->
                    move(item, Lane.DELAY, LaneReason.LATER, item.moves(), later.dueMillis());
            case NextStep.GiveBack giveBack -> {
                if (early.giveBack(item)) {
                    release(item);
                }
            }
        }
    }

    /**
     * Dead-letters the item of an attempt that does not end. A retry could run beside it, and each would take a slot
     * for good.
     */
    void giveUp(A attempt) {
        attempt.giveUp();
        T item = attempt.item;
        if (isWithoutEffect(attempt)) {
            return;
        }
        if (attempt.isClaimed()) {
            steps.add(new Step.Settle<>(attempt, new NextStep.DeadLetter(STUCK, item.attempts() + 1)));
        } else {
            deadLetter(item, Optional.of(attempt), STUCK, item.attempts() + 1);
        }
    }

    private boolean isWithoutEffect(A attempt) {
        return attempt.isForgotten || attempt.item.partition().gone && !attempt.isClaimed();
    }

    /** Lets an item leave its partition while its attempt goes on. */
    void claim(A attempt) {
        attempt.claim();
        end(attempt.item, new Step.Claim<>(attempt));
    }

    /** Dead-letters an item that was read again after its partition came back, while its stuck attempt goes on. */
    void giveUp(T item) {
        deadLetter(item, Optional.empty(), STUCK, item.attempts() + 1);
    }

    /** Records what the result tells about the destination; returns what it adds to the item's blame if it failed. */
    private int observe(A attempt, Outcome result, long nowMillis) {
        if (result instanceof Outcome.Interrupted || result instanceof Outcome.Later) {
            return 0;
        }
        String tenant = attempt.item.tenant();
        boolean failed = AttemptRules.isFailure(result);
        health.ended(attempt.destination, tenant, attempt.item.workload(), attempt.item.attempts() == 0,
                attempt.item.grantedBy(), !failed, nowMillis);
        return failed && attempt.isJudged && !(result instanceof Outcome.Unavailable)
                ? health.blame(attempt.destination, tenant, nowMillis) : 0;
    }

    /** Dead-letters a suspect that was marked in too many deaths of workers. */
    void convict(T suspect, SuspectMark mark) {
        int deaths = mark.deaths();
        String detail = (deaths == 1 ? "1 worker died with it alone"
                : deaths + " workers died with it, the last ones with it alone")
                + (mark.isolated() ? ", after others with another item of its tenant" : "");
        deadLetter(suspect, Optional.empty(), new Route.DeadLetter(DeadReason.KILLED_WORKER, detail),
                (int) Math.min((long) suspect.attempts() + deaths, Integer.MAX_VALUE));
    }

    private void deadLetter(T item, Optional<A> attempt, Route.DeadLetter why, int attempts) {
        end(item, new Step.DeadLetter<>(item, attempt, why, attempts));
    }

    /** Ends an item: at once, or when the transaction is committed that moves it to its lane. */
    void end(T item, Step<T, A> step) {
        if (!early.keep(item, step)) {
            finish(item);
            steps.add(step);
        }
    }

    private void finish(T item) {
        item.partition().finished(item.offset());
        release(item);
    }

    /** Frees the room of an item in the read-ahead. */
    void release(T item) {
        EnginePartition partition = item.partition();
        dispatch.hold(partition.lane(), partition.leaving ? 0 : -1, -partition.release(item.bytes()));
    }
}
