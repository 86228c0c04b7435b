package io.spillway.operator.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.Drain;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.LaneFlow;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.kafka.view.Depths;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * State of a queue at one moment, from the balances: waiting items by lane and tenant, flow rates and drain forecasts,
 * and a page of the list of all tenants that ever had an item. The console, {@code top}, {@code doctor} and
 * {@code depth} show it. Its components are the JSON fields.
 *
 * @param asOf            time in ISO 8601
 * @param changedAt       when the newest balance was written; null if none was
 * @param lanes           by label; none before the flows were sampled
 * @param tenantsKnown    tenants with a balance; those beyond {@code router.maxTenants} are not included
 * @param tenantsWaiting  tenants with a backlog
 * @param tenantsLate     tenants whose backlog outlives its items
 * @param tenantsMatching tenants in the whole list
 * @param from            tenants of the list before the page
 * @param truncated       whether there are more after the page
 */
public record QueueState(
        String asOf, String changedAt, Total total, Map<String, Lane> lanes, int tenantsKnown, int tenantsWaiting,
        int tenantsLate, int tenantsMatching, int from, List<Tenant> tenants, boolean truncated) {
    /** Less than this is an average that fades out. */
    private static final double LEAST_PER_SECOND = 0.05;

    /**
     * Sum over the lanes.
     *
     * @param drainSeconds null if a backlog does not shrink, 0 if nothing waits for a worker
     * @param deadLettered dead letters that are neither replayed nor discarded
     */
    public record Total(
            long waiting, double inPerSecond, double outPerSecond, Double drainSeconds, long deadLettered) {}

    /** State of a lane. {@code drainSeconds} is null for a backlog that does not shrink, and 0 for delay. */
    public record Lane(long waiting, double inPerSecond, double outPerSecond, Double drainSeconds) {}

    /**
     * State of a tenant.
     *
     * @param drainSeconds  null for a backlog that does not shrink
     * @param admittedShare part of its items that the gateway admits, 0 to 1; null if no gateway tells it
     */
    public record Tenant(
            String tenant, long waiting, long hot, long overflow, long aged, long delay, long deadLettered,
            double inPerSecond, double outPerSecond, Double drainSeconds, boolean late, boolean paused,
            @JsonInclude(JsonInclude.Include.NON_NULL) Double admittedShare) {
        /** Returns the state of a tenant at a time. */
        public static Tenant of(
                String tenant, Depth depth, TenantPolicy policy, Double admittedShare, long nowMillis) {
            TenantBalance balance = depth.balance();
            FlowRates rates = depth.rates().at(nowMillis);
            return new Tenant(
                    tenant, Math.max(0, balance.waiting()), in(balance, ItemState.HOT), in(balance, ItemState.OVERFLOW),
                    in(balance, ItemState.AGED), in(balance, ItemState.DELAY), in(balance, ItemState.DEAD_LETTER),
                    rates.inPerSecond(), rates.outPerSecond(), secondsOf(depth.drain(nowMillis)),
                    balance.waiting() > 0 && depth.isLate(policy, nowMillis), policy.paused(), admittedShare);
        }
    }

    /** Tenant with its rates of now: what sums and the order need of each of many. */
    private record Row(String tenant, Depth depth, FlowRates rates, boolean late) {
        long waiting() {
            return Math.max(0, depth.balance().waiting());
        }

        double drainSeconds() {
            return Drain.of(depth.balance().waitingForWorkers(), rates).seconds();
        }

        boolean isBusy() {
            return waiting() > 0 || rates.inPerSecond() >= LEAST_PER_SECOND || rates.outPerSecond() >= LEAST_PER_SECOND;
        }
    }

    /** Sums over all tenants. */
    private static final class Sums {
        private double inPerSecond;
        private double outPerSecond;
        private long waiting;
        private long waitingForWorkers;
        private int tenantsWaiting;
        private int tenantsLate;
        private int tenantsMatching;

        private void add(Row row) {
            inPerSecond += row.rates().inPerSecond();
            outPerSecond += row.rates().outPerSecond();
            if (row.waiting() > 0) {
                waiting += row.waiting();
                waitingForWorkers += Math.max(0, row.depth().balance().waitingForWorkers());
                tenantsWaiting++;
                tenantsLate += row.late() ? 1 : 0;
            }
        }
    }

    /**
     * Returns the state at a time.
     *
     * @param flows         of the lanes, updated about once a second by the caller
     * @param admittedShare part of a tenant's items that the gateway admits, 0 to 1, or null
     */
    public static QueueState of(
            Depths depths, Map<ItemState, LaneFlow> flows, Function<String, TenantPolicy> policies,
            Function<String, Double> admittedShare, DepthsQuery query, long nowMillis) {
        Sums all = new Sums();
        FirstOf<Row> first = new FirstOf<>(query.from() + query.limit(), order(query));
        depths.forEach((tenant, depth) -> {
            Row row = new Row(tenant, depth, depth.rates().at(nowMillis),
                    depth.balance().waiting() > 0 && depth.isLate(policies.apply(tenant), nowMillis));
            all.add(row);
            if (query.sort() == DepthsQuery.Sort.BUSIEST ? row.isBusy() : query.finds(tenant)) {
                all.tenantsMatching++;
                first.add(row);
            }
        });
        Map<String, Lane> lanes = new LinkedHashMap<>();
        flows.forEach((lane, flow) -> lanes.put(lane.label(), new Lane(
                Math.max(0, flow.waiting()), flow.rates().inPerSecond(), flow.rates().outPerSecond(),
                secondsOf(flow.drain(lane)))));
        List<Tenant> page = first.sorted().stream().skip(query.from()).map(row -> Tenant.of(
                row.tenant(), row.depth(), policies.apply(row.tenant()), admittedShare.apply(row.tenant()),
                nowMillis)).toList();
        Total total = new Total(
                all.waiting, all.inPerSecond, all.outPerSecond,
                secondsOf(LaneFlow.latest(
                        Drain.of(all.waitingForWorkers, all.inPerSecond, all.outPerSecond), flows)),
                Math.max(0, depths.in(ItemState.DEAD_LETTER)));
        return new QueueState(
                iso(nowMillis), depths.changedAtMillis() == 0 ? null : iso(depths.changedAtMillis()), total, lanes,
                depths.size(), all.tenantsWaiting, all.tenantsLate, all.tenantsMatching, query.from(), page,
                all.tenantsMatching > query.from() + page.size());
    }

    /** Ties are ordered by name, so that rows do not change order needlessly. */
    private static Comparator<Row> order(DepthsQuery query) {
        Comparator<Row> order = switch (query.sort()) {
            case BUSIEST -> Comparator.comparing(Row::late).thenComparing(Row::waiting)
                    .thenComparing(row -> row.rates().inPerSecond());
            case WAITING -> Comparator.comparingLong(Row::waiting);
            case TENANT -> Comparator.comparing(Row::tenant);
            case IN -> Comparator.comparingDouble(row -> row.rates().inPerSecond());
            case OUT -> Comparator.comparingDouble(row -> row.rates().outPerSecond());
            case DRAIN -> Comparator.comparingDouble(Row::drainSeconds);
            case DEAD -> Comparator.comparingLong(row -> row.depth().balance().in(ItemState.DEAD_LETTER));
        };
        return (query.isAscending() ? order : order.reversed()).thenComparing(Row::tenant);
    }

    private static long in(TenantBalance balance, ItemState state) {
        return Math.max(0, balance.in(state));
    }

    /** Returns null for never, because JSON has no infinity. */
    private static Double secondsOf(Drain drain) {
        return drain instanceof Drain.Never ? null : (Double) drain.seconds();
    }

    static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
