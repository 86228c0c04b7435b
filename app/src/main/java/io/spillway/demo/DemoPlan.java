package io.spillway.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * What happens when in the demo: who sends what, how long it is worked on, and which seconds count as before, during and
 * after. All times are milliseconds from the first item; all of them grow with the length of the demo.
 *
 * @param seconds how long items are sent, 3 to 3,600
 */
public record DemoPlan(int seconds) {
    public static final int SLOTS = 20;
    public static final int QUIET_TENANTS = 20;
    static final int QUIET_PER_SECOND = 10;
    static final String QUIET = "quiet-";
    /** Sends before anything is measured, over its rate, so that every way is trodden once. */
    static final String WARM_UP = "warm-up";
    static final int WARM_UP_PER_SECOND = 400;
    static final String NOISY = "noisy";
    static final String SLOW = "slow";
    static final String SWEPT = "swept";
    static final String POISONED = "poisoned";
    /** Begins the id of the one item that nobody can handle. */
    static final String POISON_PILL = "poison-pill";
    static final int NOISY_RATE = 50;
    static final int FLOOD_PER_SECOND = 1_500;
    public static final int ATTEMPTS = 4;
    static final int BACKOFF_MILLIS = 200;
    static final int SLOW_PER_SECOND = 8;
    static final int SLOW_MILLIS = 2_000;
    /** Of items that a sweep covers: sent by schedule, and sent once the sweep is in force. */
    static final int OLD_ITEMS = 300;
    public static final int LATE_ITEMS = 50;
    static final long OLD_BY_MILLIS = 60 * 60 * 1_000;

    private static final long LEAST_WAIT_MILLIS = 120_000;
    private static final double MILLIS = 1_000;
    private static final int LEAST_WORK_MILLIS = 10;
    private static final int LEAST_NOISY_WORK_MILLIS = 35;
    /** So many milliseconds are added by chance of the item's id, so that both queues meet the same. */
    private static final int WORK_SPREAD = 11;

    /** Which part of the story an item belongs to, by when it should have been sent. */
    enum Phase {
        /** Not shown: the Java that is measured is still being compiled. */
        WARM_UP("warm-up"),
        BEFORE("before"),
        DURING("during"),
        AFTER("after");

        static final List<Phase> SHOWN = List.of(BEFORE, DURING, AFTER);

        private final String label;

        Phase(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /**
     * Items that come at even distances.
     *
     * @param tenant      whose
     * @param idPrefix    what their ids begin with
     * @param fromMillis  when the first is sent
     * @param toMillis    from when on no more are
     * @param perSecond   above 0
     * @param oldByMillis how long before it is sent each says it was made
     */
    record Stream(String tenant, String idPrefix, long fromMillis, long toMillis, double perSecond, long oldByMillis) {
        /** When an item, counted from 0, is to be sent. */
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

    /** The first thing goes wrong: a destination becomes slow. */
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

    /** From here on items count as after. */
    long disturbedToMillis() {
        return twentieths(15);
    }

    private long twentieths(double count) {
        return (long) (endMillis() * count / 20);
    }

    /** How long after the last item was sent the demo waits for what is left; what is left then, it shows. */
    long mostWaitMillis() {
        return Math.max(LEAST_WAIT_MILLIS, endMillis());
    }

    Phase phase(long millis) {
        return millis < warmToMillis() ? Phase.WARM_UP
                : millis < slowFromMillis() ? Phase.BEFORE
                : millis < disturbedToMillis() ? Phase.DURING : Phase.AFTER;
    }

    /** Everything that is sent by schedule. */
    List<Stream> streams() {
        List<Stream> streams = new ArrayList<>();
        for (int i = 0; i < QUIET_TENANTS; i++) {
            long offsetMillis = i * 1_000L / (QUIET_TENANTS * QUIET_PER_SECOND);
            String tenant = QUIET + "%02d".formatted(i + 1);
            streams.add(new Stream(tenant, tenant, offsetMillis, endMillis(), QUIET_PER_SECOND, 0));
        }
        streams.add(new Stream(WARM_UP, WARM_UP, 0, warmUpSendsToMillis(), WARM_UP_PER_SECOND, 0));
        // Not after its flood: when its last item is done is told.
        streams.add(new Stream(NOISY, NOISY, 0, floodFromMillis(), 4, 0));
        streams.add(new Stream(SLOW, SLOW, 0, endMillis(), SLOW_PER_SECOND, 0));
        streams.add(new Stream(SWEPT, SWEPT, 0, endMillis(), 4, 0));
        streams.add(new Stream(POISONED, POISONED, 0, endMillis(), 4, 0));
        streams.add(new Stream(NOISY, NOISY + "-flood", floodFromMillis(), floodToMillis(), FLOOD_PER_SECOND, 0));
        streams.add(new Stream(SWEPT, SWEPT + "-old",
                floodFromMillis(), floodFromMillis() + OLD_ITEMS, MILLIS, OLD_BY_MILLIS));
        streams.add(new Stream(POISONED, POISON_PILL, floodFromMillis(), floodFromMillis() + 1, 1, 0));
        return streams;
    }

    /** How long a handler works on an item that it begins at this time. */
    int workMillis(String tenant, String id, long millis) {
        if (tenant.equals(SLOW) && millis >= slowFromMillis() && millis < slowToMillis()) {
            return SLOW_MILLIS;
        }
        int least = tenant.equals(NOISY) ? LEAST_NOISY_WORK_MILLIS : LEAST_WORK_MILLIS;
        return least + Math.floorMod(id.hashCode(), WORK_SPREAD);
    }

    /** What begins at the times at which something does, for people. */
    List<Event> events() {
        return List.of(
                new Event(0, "warming up: nothing is measured yet"),
                new Event(warmToMillis(), "%d quiet tenants send %d items/s each; nothing is wrong".formatted(QUIET_TENANTS, QUIET_PER_SECOND)),
                new Event(slowFromMillis(), "slow's destination takes %d s an item from now on".formatted(SLOW_MILLIS / 1_000)),
                new Event(floodFromMillis(), "noisy floods with %,d items/s; a poison pill comes".formatted(FLOOD_PER_SECOND)),
                new Event(slowToMillis(), "slow's destination is well again"),
                new Event(sweepAtMillis(), "a full sweep of swept completes: its old items need not be handled any more"),
                new Event(floodToMillis(), "the flood ends; its backlog is worked off"),
                new Event(endMillis(), "nothing more is sent; what waits is worked off"));
    }

    /** Something that begins. */
    record Event(long atMillis, String what) {}
}
