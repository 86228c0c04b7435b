package io.spillway.cli.diagnosis;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.Drain;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.LaneFlow;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.kafka.view.Depths;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;

/**
 * State of a queue at one moment. Its components are the JSON fields, with the terms of the command {@code depth}.
 *
 * @param at            time in ISO 8601
 * @param lanes         ingress, and then the lanes
 * @param tenants       tenants with a backlog or a flow: late ones first, then the largest backlogs, then the largest
 *                      inflows; at most {@value #MAX_TENANTS}
 * @param tenantsKnown  tenants with a balance
 * @param tenantsWaiting tenants with a backlog
 * @param tenantsLate   tenants whose backlog outlives its items
 * @param deadLettered  dead letters that are neither replayed nor discarded
 * @param deadLetters   items that have ever become dead letters
 * @param accepted      items that have ever been routed
 * @param ledgerBehind  entries of the ledger that are not in the balances yet
 * @param slots         slots of all workers
 */
record SystemState(
        String at, Total total, List<Lane> lanes, List<Tenant> tenants, int tenantsKnown, int tenantsWaiting,
        int tenantsLate, long deadLettered, long deadLetters, long accepted, long ledgerBehind, Instances instances,
        long slots, double handledPerSecond) {
    static final int MAX_TENANTS = 200;
    static final String INGRESS = "ingress";
    /** Less than this is an average that fades out. */
    private static final double LEAST_PER_SECOND = 0.05;

    private static final Comparator<Tenant> BUSIEST_FIRST = Comparator.<Tenant, Boolean>comparing(row -> !row.late())
            .thenComparing(row -> -row.waiting()).thenComparing(row -> -row.inPerSecond())
            .thenComparing(Tenant::tenant);

    /**
     * Sum over the lanes without ingress.
     *
     * @param drainSeconds null if a backlog does not shrink, 0 if nothing waits for a worker
     */
    record Total(long waiting, double inPerSecond, double outPerSecond, Double drainSeconds) {}

    /**
     * State of ingress or a lane.
     *
     * @param oldestSeconds age of the oldest first record of a partition, since it entered; null if nothing waits or
     *                      it is not known
     * @param inPerSecond   null for ingress
     * @param outPerSecond  null for ingress
     * @param drainSeconds  null for ingress, and for a backlog that does not shrink; 0 for delay
     */
    record Lane(
            String lane, long waiting, Double oldestSeconds, Double inPerSecond, Double outPerSecond,
            Double drainSeconds) {}

    /** State of a tenant. {@code drainSeconds} is null for a backlog that does not shrink. */
    record Tenant(
            String tenant, long waiting, long hot, long overflow, long aged, long delay, long deadLettered,
            double inPerSecond, double outPerSecond, Double drainSeconds, boolean late) {
        static Tenant of(String tenant, Depth depth, TenantPolicy policy, long nowMillis) {
            TenantBalance balance = depth.balance();
            FlowRates rates = depth.rates().at(nowMillis);
            return new Tenant(
                    tenant, Math.max(0, balance.waiting()), in(balance, ItemState.HOT), in(balance, ItemState.OVERFLOW),
                    in(balance, ItemState.AGED), in(balance, ItemState.DELAY), in(balance, ItemState.DEAD_LETTER),
                    rates.inPerSecond(), rates.outPerSecond(), secondsOf(depth.drain(nowMillis)),
                    balance.waiting() > 0 && depth.isLate(policy, nowMillis));
        }

        private static long in(TenantBalance balance, ItemState state) {
            return Math.max(0, balance.in(state));
        }

        private boolean isShown() {
            return waiting > 0 || inPerSecond >= LEAST_PER_SECOND || outPerSecond >= LEAST_PER_SECOND;
        }
    }

    /**
     * Readings that are not in the balances.
     *
     * @param ingress          number of items in ingress that are not routed yet
     * @param ledgerBehind     entries of the ledger that are not in the balances yet
     * @param oldestMillis     age of the oldest first record by the label of the lane, when it was read
     * @param slots            slots of all workers
     * @param handledPerSecond attempts of all workers that end
     */
    record Readings(
            long ingress, long ledgerBehind, Map<String, Long> oldestMillis, Instances instances, long slots,
            double handledPerSecond) {
        static final Readings NONE = new Readings(0, 0, Map.of(), Instances.NONE, 0, 0);
    }

    /** Returns the state at a time. */
    static SystemState of(
            Depths depths, Map<ItemState, LaneFlow> flows, Function<String, TenantPolicy> policies, Readings readings,
            long nowMillis) {
        PriorityQueue<Tenant> leastBusyFirst = new PriorityQueue<>(BUSIEST_FIRST.reversed());
        int[] waitingAndLate = new int[2];
        double[] inAndOut = new double[2];
        long[] waiting = new long[2];
        depths.forEach((name, depth) -> {
            Tenant row = Tenant.of(name, depth, policies.apply(name), nowMillis);
            waiting[0] += row.waiting();
            waiting[1] += row.waiting() - row.delay();
            waitingAndLate[0] += row.waiting() > 0 ? 1 : 0;
            waitingAndLate[1] += row.late() ? 1 : 0;
            inAndOut[0] += row.inPerSecond();
            inAndOut[1] += row.outPerSecond();
            if (row.isShown()) {
                leastBusyFirst.add(row);
            }
            if (leastBusyFirst.size() > MAX_TENANTS) {
                leastBusyFirst.remove();
            }
        });
        List<Lane> lanes = new ArrayList<>();
        lanes.add(new Lane(INGRESS, readings.ingress(), age(readings, INGRESS, readings.ingress()), null, null, null));
        flows.forEach((state, flow) -> lanes.add(new Lane(
                state.label(), Math.max(0, flow.waiting()), age(readings, state.label(), flow.waiting()),
                flow.rates().inPerSecond(), flow.rates().outPerSecond(), secondsOf(flow.drain(state)))));
        return new SystemState(
                Instant.ofEpochMilli(nowMillis).toString(),
                new Total(waiting[0], inAndOut[0], inAndOut[1],
                        secondsOf(LaneFlow.latest(Drain.of(waiting[1], inAndOut[0], inAndOut[1]), flows))),
                lanes, leastBusyFirst.stream().sorted(BUSIEST_FIRST).toList(), depths.size(), waitingAndLate[0],
                waitingAndLate[1], Math.max(0, depths.in(ItemState.DEAD_LETTER)),
                depths.entered(ItemState.DEAD_LETTER), depths.left(ItemState.OUTSIDE), readings.ledgerBehind(),
                readings.instances(), readings.slots(),
                readings.handledPerSecond());
    }

    /** Returns the state of a lane, or of {@link #INGRESS}. */
    Lane lane(String label) {
        return lanes.stream().filter(lane -> lane.lane().equals(label)).findFirst().orElseThrow();
    }

    /** Does not add the time since it was read: in a lane that moves, it would be too old. */
    private static Double age(Readings readings, String lane, long waiting) {
        Long ageMillis = readings.oldestMillis().get(lane);
        return ageMillis == null || waiting <= 0 ? null : (Double) (Math.max(0, ageMillis) / 1e3);
    }

    private static Double secondsOf(Drain drain) {
        return drain instanceof Drain.Never ? null : (Double) drain.seconds();
    }
}
