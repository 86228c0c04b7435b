package io.spillway.core.engine;

import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.SlotLease;

/**
 * Effects of the engine's decisions. The engine calls these methods on its caller's thread, and they must not call it
 * back. An item that is done, dropped, ended, moved, retried or dead-lettered is finished in its partition: write its
 * effect in the transaction of the next snapshot.
 */
public interface EngineEffects<T, A> {
    /** Returns whether an attempt may start in a slot while this many run. Default: always. */
    default boolean mayStart(int running) {
        return true;
    }

    /**
     * Starts an attempt.
     *
     * @param slot    for {@link EngineAttempt}; null for a suspect
     * @param policy  of the item's tenant
     * @param timeout after which the caller stops the attempt
     * @return the attempt, to be passed to {@link WorkerEngine#ended} once
     */
    A start(
            T item, SlotLease<T> slot, TenantPolicy policy, AttemptTimeout timeout, long nowMillis, long nowNanos);

    /** Records that an attempt has succeeded. */
    void done(T item);

    /** Records that a rule drops the item. */
    void dropped(T item, DropReason reason);

    /** Moves an item whose time is over to the dead-letter lane without an attempt. */
    void ended(T item, Route.DeadLetter why, long nowMillis);

    /**
     * Moves the item to another lane without an attempt.
     *
     * @param to        overflow, aged or delay
     * @param reason    for the item's header
     * @param moves     moves since the last attempt, including this one where it counts
     * @param dueMillis when it is due, epoch milliseconds; 0 except for the delay lane
     */
    void moved(T item, Lane to, LaneReason reason, int moves, long dueMillis);

    /** Moves the item to the delay lane after a failed attempt, with the reason {@link LaneReason#RETRY}. */
    void retried(A attempt, NextStep.Delay next);

    /** Moves the item to the dead-letter lane after an attempt; {@code attempts} are those made, this one counted. */
    void deadLettered(A attempt, Route.DeadLetter why, int attempts, long nowMillis);

    /**
     * Moves an item to the dead-letter lane because workers died with it, or an earlier attempt of it is stuck.
     *
     * @param attempts attempts made, those counted that ended with the death of their worker
     */
    void convicted(T item, Route.DeadLetter why, int attempts, long nowMillis);

    /** Requests a commit before the end of the commit interval, since an item waits for it. */
    void commitWanted(long nowNanos);

    /** Stops a running attempt of a lost partition. Its result has no effect. */
    default void abandoned(A attempt) {}
}
