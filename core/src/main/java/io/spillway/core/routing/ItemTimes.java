package io.spillway.core.routing;

import io.spillway.core.item.ItemLimits;

/**
 * Times of one item, in epoch milliseconds, derived from its headers in this class alone. {@link ItemEnds} applies the
 * limits of a policy to them.
 *
 * <table>
 * <caption>Where each time comes from</caption>
 * <tr><th>time</th><th>from</th><th>not beyond</th></tr>
 * <tr><td>enqueued</td><td>its producer; now if that is before 2000 or after now, which is a clock error</td>
 * <td>now</td></tr>
 * <tr><td>entered</td><td>the broker, when it appended the item to ingress</td><td></td></tr>
 * <tr><td>age since</td><td>the latest of enqueued, replayed and deliver-at</td>
 * <td>{@link ReplayRules#LONGEST_WAIT_MILLIS} from now for a replay, {@link ItemLimits#MAX_AHEAD_MILLIS} from now for
 * deliver-at; now when it has waited</td></tr>
 * <tr><td>due</td><td>who put it into the delay lane</td>
 * <td>{@link ItemLimits#MAX_AHEAD_MILLIS} from now if its producer set it, otherwise
 * {@link ReplayRules#LONGEST_WAIT_MILLIS}</td></tr>
 * </table>
 *
 * @param enqueuedAtMillis creation at its producer, plausible
 * @param enteredAtMillis  time at which the broker appended it to ingress
 * @param ageSinceMillis   start of its age; in the future while it waits for a time that its producer or a replay set
 * @param dueMillis        when its last delay is or was over; 0 for none
 * @param attempted        whether an attempt was made since it was enqueued or replayed
 */
public record ItemTimes(
        long enqueuedAtMillis, long enteredAtMillis, long ageSinceMillis, long dueMillis, boolean attempted) {
    /**
     * Returns the times of an item that enters.
     *
     * @param claimedMillis creation by the producer's clock, any value
     */
    public static ItemTimes entered(long claimedMillis, long enteredAtMillis, long nowMillis) {
        long enqueuedAtMillis = isPlausible(claimedMillis, nowMillis) ? claimedMillis : nowMillis;
        return new ItemTimes(enqueuedAtMillis, enteredAtMillis, enqueuedAtMillis, 0, false);
    }

    /** Returns whether an enqueue time is plausible: not before 2000, not after now. Others are clock errors. */
    public static boolean isPlausible(long claimedMillis, long nowMillis) {
        return claimedMillis >= ItemLimits.EARLIEST_MILLIS && claimedMillis <= nowMillis;
    }

    /** Returns the times with the time of the first attempt that its producer set, any value. */
    public ItemTimes deliverAt(long millis, long nowMillis) {
        return ageSince(Math.min(millis, nowMillis + ItemLimits.MAX_AHEAD_MILLIS));
    }

    /** Returns the times of an item that a replay makes due at a time, any value. */
    public ItemTimes replayedAt(long millis, long nowMillis) {
        return ageSince(Math.min(millis, nowMillis + ReplayRules.LONGEST_WAIT_MILLIS));
    }

    /** Returns the times with the end of a delay, any value. */
    public ItemTimes due(long millis, boolean isSetByProducer, long nowMillis) {
        long latestMillis =
                nowMillis + (isSetByProducer ? ItemLimits.MAX_AHEAD_MILLIS : ReplayRules.LONGEST_WAIT_MILLIS);
        return new ItemTimes(
                enqueuedAtMillis, enteredAtMillis, ageSinceMillis, Math.clamp(millis, 1, latestMillis), attempted);
    }

    /** Returns the times of an item whose wait is over, even if its producer or a replay set a later time. */
    public ItemTimes waited(long nowMillis) {
        return ageSinceMillis <= nowMillis ? this
                : new ItemTimes(enqueuedAtMillis, enteredAtMillis, nowMillis, dueMillis, attempted);
    }

    /** Returns the times with whether an attempt was made. */
    public ItemTimes attempted(boolean isAttempted) {
        return isAttempted == attempted ? this
                : new ItemTimes(enqueuedAtMillis, enteredAtMillis, ageSinceMillis, dueMillis, isAttempted);
    }

    /**
     * Returns the time that sweeps compare: the later of its creation and its entry. A slow clock of its producer alone
     * cannot make it look older than it is, nor can that of the broker.
     */
    public long sweepAtMillis() {
        return Math.max(enqueuedAtMillis, enteredAtMillis);
    }

    private ItemTimes ageSince(long millis) {
        return millis <= ageSinceMillis ? this
                : new ItemTimes(enqueuedAtMillis, enteredAtMillis, millis, dueMillis, attempted);
    }
}
