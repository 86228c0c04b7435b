package io.spillway.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Schedule of the demo: load, handling times, and the phases before, during and after the disturbance. All times are
 * milliseconds from the first item and scale with the length of the demo.
 *
 * @param seconds duration of the load, 3 to 3,600
 */
public record DemoPlan(int seconds) {
    public static final int SLOTS = 20;
    public static final int QUIET_TENANTS = 20;
    static final int QUIET_PER_SECOND = 10;
    static final String QUIET = "quiet-";
    /** Sends over its rate before anything is measured, so that all code paths have run. */
    static final String WARM_UP = "warm-up";
    static final int WARM_UP_PER_SECOND = 400;
    static final String NOISY = "noisy";
    static final String SLOW = "slow";
    static final String SWEPT = "swept";
    static final String POISONED = "poisoned";
    /** Prefix of the id of the one item that always fails. */
    static final String POISON_PILL = "poison-pill";
    static final int NOISY_RATE = 50;
    static final int FLOOD_PER_SECOND = 1_500;
    public static final int ATTEMPTS = 4;
    static final int BACKOFF_MILLIS = 200;
    static final int SLOW_PER_SECOND = 8;
    static final int SLOW_MILLIS = 2_000;
    /** Items that the sweep covers. One at a time, they take longer than the time until the sweep. */
    public static final int OLD_ITEMS = 300;
    static final String OLD = SWEPT + "-old";
    static final long OLD_BY_MILLIS = 60 * 60 * 1_000;
    private static final int OLD_WORK_MILLIS = 50;
    private static final int OLD_PER_SECOND = 10_000;
    private static final long OLD_BEFORE_MILLIS = 5_000;

    private static final long MIN_WAIT_MILLIS = 120_000;
    private static final double MILLIS = 1_000;
    private static final int MIN_WORK_MILLIS = 10;
    private static final int MIN_NOISY_WORK_MILLIS = 35;
    /** Range of the milliseconds added by the hash of the item's id, the same for both queues. */
    private static final int WORK_SPREAD = 11;

    /** Phase of an item, by the time when it was due to be sent. */
    enum Phase {
        /** Not shown: the JVM still compiles. */
        WARM_UP,
        BEFORE, DURING, AFTER;

        static final List<Phase> SHOWN = List.of(BEFORE, DURING, AFTER);

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Items at a constant rate.
     *
     * @param idPrefix    prefix of their ids
     * @param fromMillis  time of the first item
     * @param toMillis    end, exclusive
     * @param perSecond   above 0
     * @param oldByMillis age of each item when it is sent
     */
    record Stream(String tenant, String idPrefix, long fromMillis, long toMillis, double perSecond, long oldByMillis) {
        /** Returns the time at which an item, counted from 0, is due to be sent. */
        double dueMillis(long number) {
            return fromMillis + number * MILLIS / perSecond;
        }
    }

    long endMillis() {
        return seconds * 1_000L;
    }

    long warmUpSendsToMillis() {
        return twentieths(2);
    }

    long warmToMillis() {
        return twentieths(4);
    }

    /** Start of the disturbance: a destination becomes slow. */
    long slowFromMillis() {
        return twentieths(6.5);
    }

    long floodFromMillis() {
        return twentieths(8);
    }

    long slowToMillis() {
        return twentieths(9);
    }

    long sweepAtMillis() {
        return twentieths(9.5);
    }

    long floodToMillis() {
        return twentieths(10.5);
    }

    /** Start of the phase {@link Phase#AFTER}. */
    long disturbedToMillis() {
        return twentieths(15);
    }

    private long twentieths(double count) {
        return (long) (endMillis() * count / 20);
    }

    /** Returns the longest time to wait for unfinished items after the last item was sent. */
    long maxWaitMillis() {
        return Math.max(MIN_WAIT_MILLIS, endMillis());
    }

    Phase phase(long millis) {
        return millis < warmToMillis() ? Phase.WARM_UP
                : millis < slowFromMillis() ? Phase.BEFORE
                : millis < disturbedToMillis() ? Phase.DURING : Phase.AFTER;
    }

    /** Returns all items that are sent by schedule. */
    List<Stream> streams() {
        List<Stream> streams = new ArrayList<>();
        for (int i = 0; i < QUIET_TENANTS; i++) {
            long offsetMillis = i * 1_000L / (QUIET_TENANTS * QUIET_PER_SECOND);
            String tenant = QUIET + String.format(Locale.ROOT, "%02d", i + 1);
            streams.add(new Stream(tenant, tenant, offsetMillis, endMillis(), QUIET_PER_SECOND, 0));
        }
        streams.add(new Stream(WARM_UP, WARM_UP, 0, warmUpSendsToMillis(), WARM_UP_PER_SECOND, 0));
        // It sends nothing after its flood, because the demo reports when its last item was done.
        streams.add(new Stream(NOISY, NOISY, 0, floodFromMillis(), 4, 0));
        streams.add(new Stream(SLOW, SLOW, 0, endMillis(), SLOW_PER_SECOND, 0));
        streams.add(new Stream(SWEPT, SWEPT, 0, endMillis(), 4, 0));
        streams.add(new Stream(POISONED, POISONED, 0, endMillis(), 4, 0));
        streams.add(new Stream(NOISY, NOISY + "-flood", floodFromMillis(), floodToMillis(), FLOOD_PER_SECOND, 0));
        long oldFromMillis = Math.max(floodFromMillis(), sweepAtMillis() - OLD_BEFORE_MILLIS);
        streams.add(new Stream(SWEPT, OLD, oldFromMillis,
                oldFromMillis + OLD_ITEMS * 1_000L / OLD_PER_SECOND, OLD_PER_SECOND, OLD_BY_MILLIS));
        streams.add(new Stream(POISONED, POISON_PILL, floodFromMillis(), floodFromMillis() + 1, 1, 0));
        return streams;
    }

    /** Returns the handling time of an item whose attempt starts at this time. */
    int workMillis(String tenant, String id, long millis) {
        if (tenant.equals(SLOW) && millis >= slowFromMillis() && millis < slowToMillis()) {
            return SLOW_MILLIS;
        }
        if (id.startsWith(OLD)) {
            return OLD_WORK_MILLIS;
        }
        int min = tenant.equals(NOISY) ? MIN_NOISY_WORK_MILLIS : MIN_WORK_MILLIS;
        return min + Math.floorMod(id.hashCode(), WORK_SPREAD);
    }

    List<Event> events() {
        return List.of(
                new Event(0, "warming up; nothing is measured yet"),
                new Event(warmToMillis(), QUIET_TENANTS + " quiet tenants send " + QUIET_PER_SECOND
                        + " items/s each; no disturbance yet"),
                new Event(slowFromMillis(), "the destination of slow now takes " + SLOW_MILLIS / 1_000
                        + " s per item"),
                new Event(floodFromMillis(), String.format(Locale.ROOT,
                        "noisy floods with %,d items/s; a poison pill is sent", FLOOD_PER_SECOND)),
                new Event(slowToMillis(), "the destination of slow is fast again"),
                new Event(sweepAtMillis(), "a full sweep of swept completes; its old items are obsolete"),
                new Event(floodToMillis(), "the flood ends; its backlog drains"),
                new Event(endMillis(), "no more items are sent; the backlog drains"));
    }

    record Event(long atMillis, String description) {}
}
