package io.spillway.bench.load;

import java.util.concurrent.TimeUnit;

/**
 * Items at a steady rate, from a few tenants in turn, in bursts, or all at once.
 *
 * @param firstTenant number of the first tenant
 * @param tenants     how many, 1 or more
 * @param items       how many, 0 or more
 * @param fromNanos   when the first is to be sent, since the start of the run
 * @param perSecond   items a second of all these tenants together; 0 for all at once
 * @param together    items that are to be sent at the same time, 1 or more
 */
public record Flow(int firstTenant, int tenants, int items, long fromNanos, double perSecond, int together) {

    /** A steady rate for some seconds. */
    public static Flow steady(int firstTenant, int tenants, double perSecond, double fromSeconds, double seconds) {
        return new Flow(
                firstTenant, tenants, (int) Math.round(perSecond * seconds), nanos(fromSeconds), perSecond, 1);
    }

    /** One tenant's items all at once. */
    public static Flow burst(int tenant, int items, double atSeconds) {
        return new Flow(tenant, 1, items, nanos(atSeconds), 0, 1);
    }

    /** One tenant's items at an average rate, in bursts at equal intervals. */
    public static Flow bursts(int tenant, double perSecond, double everySeconds, double fromSeconds, double seconds) {
        int together = (int) Math.max(1, Math.round(perSecond * everySeconds));
        return new Flow(tenant, 1, together * (int) (seconds / everySeconds), nanos(fromSeconds),
                together / everySeconds, together);
    }

    /** When an item of this flow is to be sent. */
    long atNanos(int item) {
        int first = item - item % together;
        return perSecond == 0 ? fromNanos : fromNanos + (long) (first * (TimeUnit.SECONDS.toNanos(1) / perSecond));
    }

    /** Whose it is. */
    int tenant(int item) {
        return firstTenant + item % tenants;
    }

    public static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }
}
