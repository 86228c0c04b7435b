package io.spillway.core.engine;

import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import java.util.Optional;

/**
 * What the caller of the {@link WorkerEngine} must do after an event. An item that is done, dropped, moved, retried or
 * dead-lettered is finished in its partition: write its effect in the transaction of the next snapshot.
 */
public sealed interface Step<T, A> {
    /** Run an attempt, and pass it to {@link WorkerEngine#ended} once. */
    record Start<T, A>(A attempt) implements Step<T, A> {}

    /**
     * Run an attempt in the call of one that was to be started before, and pass it to {@link WorkerEngine#ended} once:
     * before that of the other, which holds the slot.
     */
    record Ride<T, A>(A lead, A rider) implements Step<T, A> {}

    /** An attempt has succeeded. */
    record Done<T, A>(A attempt) implements Step<T, A> {}

    /** A rule drops the item. */
    record Drop<T, A>(T item, DropReason reason) implements Step<T, A> {}

    /**
     * Move the item to another lane without an attempt.
     *
     * @param to        overflow, aged or delay
     * @param moves     moves since the last attempt, including this one where it counts
     * @param dueMillis when it is due, epoch milliseconds; 0 except for the delay lane
     */
    record Move<T, A>(T item, Lane to, LaneReason reason, int moves, long dueMillis) implements Step<T, A> {}

    /** Move the item to the delay lane after a failed attempt, with the reason {@link LaneReason#RETRY}. */
    record Retry<T, A>(A attempt, NextStep.Delay next) implements Step<T, A> {}

    /**
     * Move the item to the dead-letter lane.
     *
     * @param attempt  the attempt that ended, or is stuck; empty if its time is over, it cannot be read, workers died
     *                 with it, or an earlier attempt of it is stuck
     * @param attempts attempts made, this one and those counted that ended with the death of their worker
     */
    record DeadLetter<T, A>(T item, Optional<A> attempt, Route.DeadLetter why, int attempts) implements Step<T, A> {}

    /**
     * Move the item to the delay lane while its attempt goes on, with the reason {@link LaneReason#CLAIMED}, until its
     * lease ends. Tell the attempt when that is committed ({@link EngineAttempt#claimHeld}).
     */
    record Claim<T, A>(A attempt) implements Step<T, A> {}

    /** Tell the delay lane what becomes of a claimed item whose attempt has ended. Its partition has no part in it. */
    record Settle<T, A>(A attempt, NextStep next) implements Step<T, A> {}

    /** Commit before the end of the commit interval, since an item waits for it. */
    record Commit<T, A>() implements Step<T, A> {}

    /** Stop a running attempt of a lost partition. Its result has no effect. */
    record Abandon<T, A>(A attempt) implements Step<T, A> {}
}
