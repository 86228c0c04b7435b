package io.spillway.core.routing;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.text.Printable;

/** Routing decision for one record. */
public sealed interface Route {
    /** To a lane. */
    record ToLane(Lane lane, LaneReason reason) implements Route {}

    /** Dropped by a rule. */
    record Drop(DropReason reason) implements Route {}

    /**
     * To the dead-letter lane, for a cause that people read: escaped, at most {@link Printable#MAX_LENGTH} characters.
     */
    record DeadLetter(DeadReason reason, String detail) implements Route {
        public DeadLetter {
            detail = Printable.of(detail);
        }
    }

    /** Shared instances: the router uses a million a second. */
    ToLane HOT = new ToLane(Lane.HOT, LaneReason.FRESH);
    ToLane RETRIED = new ToLane(Lane.HOT, LaneReason.RETRY);
    ToLane DUE = new ToLane(Lane.HOT, LaneReason.DUE);
    ToLane OVERFLOW = new ToLane(Lane.OVERFLOW, LaneReason.RATE);
    ToLane SURPLUS = new ToLane(Lane.OVERFLOW, LaneReason.SHARE);
    ToLane AGED = new ToLane(Lane.AGED, LaneReason.AGE);
    ToLane SCHEDULED = new ToLane(Lane.DELAY, LaneReason.SCHEDULED);
    ToLane PAUSED = new ToLane(Lane.DELAY, LaneReason.PAUSED);
    ToLane FAN_OUT = new ToLane(Lane.DELAY, LaneReason.FAN_OUT);
    ToLane ORDERED = new ToLane(Lane.DELAY, LaneReason.ORDER);
    Drop SWEPT = new Drop(DropReason.SWEEP);
    Drop PAST_TTL = new Drop(DropReason.TTL);
    Drop CANCELLED = new Drop(DropReason.CANCELLED);
    Drop DUPLICATE = new Drop(DropReason.DUPLICATE);
}
