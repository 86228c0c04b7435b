package io.spillway.core.scheduling;

/**
 * Scheduler settings of one worker.
 *
 * @param slots           most attempts at one time, 1 to 100,000
 * @param reserve         share of the slots for tenants within their fair share: others may take them only while slots
 *                        come free soon, 0 to 0.9
 * @param overflowTrickle share of the starts, and at most of the slots, that the overflow lane gets while hot could
 *                        take them all, 0 (none) to 0.5
 * @param agedTrickle     share of the starts, and at most of the slots, that the aged lane gets while live work could
 *                        take them all, on this worker or on others, 0 (none) to 0.5
 * @param readAheadItems  waiting items of one lane at which reading pauses, 1 to 1,000,000
 * @param readAheadBytes  waiting bytes of one lane at which reading pauses, 1 or more
 * @param hotBufferMillis longest expected wait in hot behind items of the same tenant, 1 to 60,000
 * @param adaptive        whether a tenant whose latency rises is limited to its fair share
 */
public record DispatchSettings(
        int slots, double reserve, double overflowTrickle, double agedTrickle, int readAheadItems, long readAheadBytes,
        long hotBufferMillis, boolean adaptive) {

    /** What the progress of a partition has room for. */
    private static final int MOST_OF_ONE_SOURCE = 1_500;

    /** @throws IllegalArgumentException when a setting is out of its range, with its name in the message */
    public DispatchSettings {
        require("slots", slots, 1, 100_000);
        require("reserve", reserve, 0, 0.9);
        require("overflowTrickle", overflowTrickle, 0, 0.5);
        require("agedTrickle", agedTrickle, 0, 0.5);
        require("readAheadItems", readAheadItems, 1, 1_000_000);
        require("readAheadBytes", readAheadBytes, 1, Long.MAX_VALUE);
        require("hotBufferMillis", hotBufferMillis, 1, 60_000);
    }

    /** Returns the defaults: a read-ahead of 40 items per slot, at least 1,000 and at most 50,000, and 64 MiB. */
    public static DispatchSettings of(int slots) {
        int readAheadItems = Math.clamp(40L * slots, 1_000, 50_000);
        return new DispatchSettings(slots, 0.2, 0.05, 0.02, readAheadItems, 64L << 20, 100, true);
    }

    /** Returns the same settings for another number of slots. */
    public DispatchSettings withSlots(int other) {
        return new DispatchSettings(other, reserve, overflowTrickle, agedTrickle, readAheadItems, readAheadBytes,
                hotBufferMillis, adaptive);
    }

    /** Returns the slots for tenants within their fair share: rounded up, but never all of them. */
    int reservedSlots() {
        // The subtraction removes rounding errors: 0.2 of 35 is 7, not 7.000000000000001 rounded up to 8.
        return Math.min(slots - 1, (int) Math.ceil(slots * reserve - 1e-9));
    }

    /** Returns the waiting items of a lane from which on one of its sources may have no room. */
    int stalledItems() {
        return Math.min(readAheadItems / 2, MOST_OF_ONE_SOURCE);
    }

    private static void require(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(name + " = " + value + ": must be from " + least + " to " + most);
        }
    }
}
