package io.spillway.core.engine;

import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.SlotLease;

/**
 * What the engine's decisions change outside it. It calls these on the thread of its caller, and they must not call it
 * back. An item that is done, dropped, moved, retried or dead-lettered is finished in its partition: the next snapshot
 * says so, and what the implementation writes for it belongs into the same transaction.
 *
 * @param <T> the caller's item
 * @param <A> the caller's attempt
 */
public interface EngineEffects<T, A> {
    /**
     * Starts an attempt.
     *
     * @param item      not null
     * @param slot      to be handed to {@link EngineAttempt}; null for a suspect
     * @param policy    of its tenant, not null
     * @param nowMillis epoch milliseconds
     * @param nowNanos  the same moment on the clock for durations
     * @return the attempt, to be handed to {@link WorkerEngine#ended} once
     */
    A start(T item, SlotLease<T> slot, TenantPolicy policy, long nowMillis, long nowNanos);

    /** An attempt has succeeded. */
    void done(T item);

    /** A rule says that the item need not be handled. */
    void dropped(T item, DropReason reason);

    /**
     * The item goes to another lane without an attempt.
     *
     * @param to        overflow, aged or delay
     * @param reason    for the item's header
     * @param moves     moves since the last attempt, this one counted where it counts
     * @param dueMillis when it is due, epoch milliseconds; 0 but for the delay lane
     */
    void moved(T item, Lane to, LaneReason reason, int moves, long dueMillis);

    /**
     * The item goes to the delay lane after a failed attempt.
     *
     * @param attempts  made so far, this one counted
     * @param dueMillis when the next is due, epoch milliseconds
     */
    void retried(A attempt, int attempts, long dueMillis);

    /**
     * The item goes to the dead-letter lane.
     *
     * @param attempts  made so far
     * @param nowMillis epoch milliseconds
     */
    void deadLettered(T item, Route.DeadLetter why, int attempts, long nowMillis);

    /** A retry was granted or refused by its tenant's retry budget; for measurements alone. */
    default void retryAsked(T item, boolean granted) {}

    /**
     * Something cannot start before the next commit, which should not wait for its interval.
     *
     * @param nowNanos on the clock for durations
     */
    void commitWanted(long nowNanos);

    /** A running attempt belongs to a partition that was lost: it should stop, and its result has no effect. */
    default void abandoned(A attempt) {}
}
