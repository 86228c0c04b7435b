package io.spillway.bench.load;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Items of a run that one sender sends: when each is due, and whose it is. */
public sealed interface Flow {
    /** Number of the first tenant. */
    int firstTenant();

    /** How many tenants, 1 or more. */
    int tenants();

    /** How many items, 0 or more. */
    int items();

    /** When an item of this flow is to be sent. */
    long atNanos(int item);

    /** Whose it is. */
    int tenant(int item);

    /** A steady rate for some seconds. */
    static Flow steady(int firstTenant, int tenants, double perSecond, double fromSeconds, double seconds) {
        return new Regular(
                firstTenant, tenants, (int) Math.round(perSecond * seconds), nanos(fromSeconds), perSecond, 1);
    }

    /** One tenant's items all at once. */
    static Flow burst(int tenant, int items, double atSeconds) {
        return new Regular(tenant, 1, items, nanos(atSeconds), 0, 1);
    }

    /** One tenant's items at an average rate, in bursts at equal intervals. */
    static Flow bursts(int tenant, double perSecond, double everySeconds, double fromSeconds, double seconds) {
        int together = (int) Math.max(1, Math.round(perSecond * everySeconds));
        return new Regular(tenant, 1, together * (int) (seconds / everySeconds), nanos(fromSeconds),
                together / everySeconds, together);
    }

    /** Random, independent items at an average rate for some seconds; the same ones for the same seed. */
    static Flow poisson(
            int firstTenant, int tenants, double perSecond, double fromSeconds, double seconds, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double meanNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        long[] due = LongStream.iterate(
                        nanos(fromSeconds) + (long) (meanNanos * random.nextExponential()),
                        atNanos -> atNanos < nanos(fromSeconds + seconds),
                        atNanos -> atNanos + (long) (meanNanos * random.nextExponential()))
                .toArray();
        return new Poisson(
                firstTenant, tenants, due,
                random.ints(due.length, firstTenant, firstTenant + tenants).toArray());
    }

    static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /**
     * Items at a steady rate, from a few tenants in turn, in bursts, or all at once.
     *
     * @param fromNanos   when the first is to be sent, since the start of the run
     * @param perSecond   items a second of all these tenants together; 0 for all at once
     * @param together    items that are to be sent at the same time, 1 or more
     */
    record Regular(int firstTenant, int tenants, int items, long fromNanos, double perSecond, int together)
            implements Flow {
        @Override
        public long atNanos(int item) {
            int first = item - item % together;
            return perSecond == 0 ? fromNanos : fromNanos + (long) (first * (TimeUnit.SECONDS.toNanos(1) / perSecond));
        }

        @Override
        public int tenant(int item) {
            return firstTenant + item % tenants;
        }
    }

    /**
     * Items with exponential gaps, of tenants that are drawn evenly.
     *
     * @param dueNanos when each is to be sent, since the start of the run, ascending; not copied
     * @param drawn    whose each is; not copied
     */
    record Poisson(int firstTenant, int tenants, long[] dueNanos, int[] drawn) implements Flow {
        @Override
        public int items() {
            return dueNanos.length;
        }

        @Override
        public long atNanos(int item) {
            return dueNanos[item];
        }

        @Override
        public int tenant(int item) {
            return drawn[item];
        }
    }
}
