package io.spillway.core.routing;

/**
 * Cancel of waiting items: of a tenant, of one of its workloads or of one id.
 *
 * @param beforeMillis     entry time before which items are covered, by the broker's clock
 * @param recordedAtMillis when it was recorded
 */
public record Cancel(long beforeMillis, long recordedAtMillis) {
    /** How long a cancel is in force: a day longer than the longest wait in the delay lane. */
    public static final long KEPT_MILLIS = ReplayRules.LONGEST_WAIT_MILLIS + 24 * 60 * 60 * 1000;

    /** Returns whether an item that entered then is dropped now. */
    public boolean covers(long enteredAtMillis, long nowMillis) {
        return enteredAtMillis < beforeMillis && isInForce(nowMillis);
    }

    /** Returns whether it is not over yet. */
    public boolean isInForce(long nowMillis) {
        return nowMillis - recordedAtMillis < KEPT_MILLIS;
    }
}
