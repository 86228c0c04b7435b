package io.spillway.campaign;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Faults of one run, in the order of their begin. They overlap. The same seed and duration give the same schedule.
 *
 * @param seed   of everything random
 * @param events in the order of their begin
 */
record Schedule(long seed, List<Event> events) {
    private static final int MEAN_GAP_MILLIS = 5_000;
    /** Runs of this duration suspend processes for longer than the time between two polls, 5 minutes. */
    private static final int LONG_MILLIS = 600_000;

    /**
     * One fault.
     *
     * @param atMillis  begin, after the start of the load
     * @param forMillis until its end, more than 0: when what was killed is started again
     * @param index     which of several processes or brokers, 0 or more; the caller takes the remainder
     * @param side      whose link is faulty, for faults of the network
     */
    record Event(Fault fault, int atMillis, int forMillis, int index, Brokers.Side side) {
        int endMillis() {
            return atMillis + forMillis;
        }

        @Override
        public String toString() {
            String which = switch (fault.target) {
                case LINK -> " " + side + "-" + (1 + index % Brokers.COUNT);
                case CLUSTER -> "";
                case ROUTER, WORKER, GATEWAY, BROKER, NETWORK, CLOCK -> " #" + index;
            };
            return "%6.1f to %6.1f s %s%s".formatted(atMillis / 1e3, endMillis() / 1e3, fault, which);
        }
    }

    /**
     * Draws the faults of a run.
     *
     * @param kinds          one or more, of which each is equally probable
     * @param durationMillis every fault has ended by then
     */
    static Schedule of(long seed, List<Fault> kinds, int durationMillis) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Event> events = new ArrayList<>();
        int atMillis = random.nextInt(MEAN_GAP_MILLIS);
        while (atMillis < durationMillis - 1_000) {
            Fault fault = kinds.get(random.nextInt(kinds.size()));
            int forMillis = Math.min(longestMillis(fault, durationMillis, random), durationMillis - atMillis);
            events.add(new Event(fault, atMillis, forMillis, random.nextInt(6), link(random)));
            atMillis += 1 + (int) Math.min(20_000, -MEAN_GAP_MILLIS * Math.log(1 - random.nextDouble()));
        }
        events.sort(Comparator.comparingInt(Event::atMillis));
        return new Schedule(seed, List.copyOf(events));
    }

    private static Brokers.Side link(SplittableRandom random) {
        Brokers.Side[] sides = {
            Brokers.Side.ROUTER, Brokers.Side.WORKER, Brokers.Side.GATEWAY, Brokers.Side.INTERNAL};
        return sides[random.nextInt(sides.length)];
    }

    /** Half of the suspensions and partitions are longer than what they must exceed, the others shorter. */
    private static int longestMillis(Fault fault, int durationMillis, SplittableRandom random) {
        boolean isShort = random.nextBoolean();
        return switch (fault) {
            case KILL_ROUTER, KILL_WORKER, KILL_GATEWAY, STOP_ROUTER, STOP_WORKER, STOP_GATEWAY, DAMAGE_STATE,
                    LOSE_STATE -> 500 + random.nextInt(isShort ? 1_000 : 12_000);
            case KILL_BROKER, POWER_OFF_BROKER, STOP_BROKER, KILL_ALL_BROKERS, KILL_CONTROLLER, FULL_DISK_OF_BROKER ->
                    1_000 + random.nextInt(isShort ? 2_000 : 15_000);
            // Sessions and transactions of 10 s.
            case SUSPEND_ROUTER, SUSPEND_WORKER, SUSPEND_GATEWAY -> isShort ? 200 + random.nextInt(12_000)
                    : durationMillis >= LONG_MILLIS && random.nextInt(3) == 0 ? 305_000 + random.nextInt(20_000)
                    : 47_000 + random.nextInt(15_000);
            // Sessions of brokers of 9 s.
            case SUSPEND_BROKER, SLOW_NETWORK, SILENT_NETWORK, NOTHING_IN, NOTHING_OUT, CLOSED_NETWORK, TRICKLE,
                    ERRORS, OPEN_TRANSACTION ->
                    isShort ? 200 + random.nextInt(4_000) : 11_000 + random.nextInt(14_000);
            // Sessions of brokers of 9 s, time-outs of requests of 30 s.
            case ISOLATE_BROKER, PART_TWO_BROKERS, CUT_BROKER_FROM_BROKERS, CUT_BROKER_FROM_CLIENTS,
                    CUT_CLIENT_FROM_BROKERS, MUTE_BROKER ->
                    isShort ? 3_000 + random.nextInt(12_000) : 20_000 + random.nextInt(25_000);
            case CHANGE_POLICIES, THROTTLE, MOVE_COORDINATORS, REBALANCE_STORM, FULL_DISK_OF_ROUTER, ROLLING_RESTART ->
                    2_000 + random.nextInt(8_000);
            case STEP_CLOCK, DRIFT_CLOCK -> 5_000 + random.nextInt(25_000);
        };
    }
}
