package io.spillway.operator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.Drain;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.LaneFlow;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Backlog report as JSON: waiting items by lane and tenant, flow rates and drain forecasts, with the terms of the
 * command {@code depth}, and a page of the list of all tenants that ever had an item. The totals and the last pages are
 * computed at most once per {@value #KEPT_MILLIS} ms and cached in between.
 *
 * <p>Bounds: {@value DepthsQuery#MAX_LIMIT} tenants a page, {@value #MAX_KEPT} cached pages. Tenants beyond
 * {@code router.maxTenants} are not included.
 *
 * <p>Owner of the cached reports: this object, under its lock. Thread-safe.
 */
final class DepthsReport {
    static final long KEPT_MILLIS = 1_000;
    private static final int MAX_KEPT = 16;

    private final Depths depths;
    private final LaneFlows flows;
    private final TenantPolicies policies;
    private final ToDoubleFunction<String> admittedShare;
    private final Map<DepthsQuery, ObjectNode> last = new HashMap<>();
    private long lastMillis;

    /**
     * Creates a report.
     *
     * @param flows         updated about once a second by the caller
     * @param admittedShare part of a tenant's items that the gateway admits, 0 to 1
     */
    DepthsReport(
            Depths depths, LaneFlows flows, TenantPolicies policies, ToDoubleFunction<String> admittedShare) {
        this.depths = depths;
        this.flows = flows;
        this.policies = policies;
        this.admittedShare = admittedShare;
    }

    /** Tenant with its rates of now. */
    private record Row(String tenant, Depth depth, FlowRates rates) {
        long waiting() {
            return Math.max(0, depth.balance().waiting());
        }

        Drain drain() {
            return Drain.of(depth.balance().waitingForWorkers(), rates);
        }
    }

    private static final class Totals {
        private double inPerSecond;
        private double outPerSecond;
        private long waiting;
        private long waitingForWorkers;
        private int tenantsWaiting;
        private int tenantsMatching;
        private int tenantsLate;
    }

    /** Returns the current report, or the cached one if it is less than {@value #KEPT_MILLIS} ms old. */
    synchronized ObjectNode at(DepthsQuery query, long nowMillis) {
        // A clock that was set back also causes a new report.
        if (nowMillis < lastMillis || nowMillis >= lastMillis + KEPT_MILLIS || last.size() >= MAX_KEPT) {
            last.clear();
            lastMillis = nowMillis;
        }
        return last.computeIfAbsent(query, page -> json(page, nowMillis));
    }

    private ObjectNode json(DepthsQuery query, long nowMillis) {
        Totals all = new Totals();
        FirstOf<Row> first = new FirstOf<>(query.from() + query.limit(), order(query));
        depths.forEach((tenant, depth) -> {
            Row row = new Row(tenant, depth, depth.rates().at(nowMillis));
            add(row, all, nowMillis);
            if (query.search().isEmpty() || tenant.toLowerCase(Locale.ROOT).contains(query.search())) {
                all.tenantsMatching++;
                first.add(row);
            }
        });
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("asOf", iso(nowMillis));
        json.put("changedAt", depths.changedAtMillis() == 0 ? null : iso(depths.changedAtMillis()));
        ObjectNode total = json.putObject("total");
        total.put("waiting", all.waiting);
        flow(total, all.inPerSecond, all.outPerSecond, LaneFlow.latest(
                Drain.of(all.waitingForWorkers, all.inPerSecond, all.outPerSecond), flows.byLane()));
        total.put("deadLettered", depths.in(ItemState.DEAD_LETTER));
        ObjectNode lanes = json.putObject("lanes");
        flows.byLane().forEach((lane, flow) -> {
            ObjectNode node = lanes.putObject(lane.label());
            node.put("waiting", Math.max(0, flow.waiting()));
            flow(node, flow.rates().inPerSecond(), flow.rates().outPerSecond(), flow.drain(lane));
        });
        json.put("tenantsKnown", depths.size());
        json.put("tenantsWaiting", all.tenantsWaiting);
        json.put("tenantsLate", all.tenantsLate);
        json.put("tenantsMatching", all.tenantsMatching);
        json.put("from", query.from());
        ArrayNode tenants = json.putArray("tenants");
        first.sorted().stream().skip(query.from()).forEach(row -> tenants.add(json(row, nowMillis)));
        json.put("truncated", all.tenantsMatching > query.from() + tenants.size());
        return json;
    }

    private void add(Row row, Totals all, long nowMillis) {
        all.inPerSecond += row.rates().inPerSecond();
        all.outPerSecond += row.rates().outPerSecond();
        if (row.waiting() > 0) {
            all.waiting += row.waiting();
            all.waitingForWorkers += Math.max(0, row.depth().balance().waitingForWorkers());
            all.tenantsWaiting++;
            all.tenantsLate += row.depth().isLate(policies.of(row.tenant()), nowMillis) ? 1 : 0;
        }
    }

    /** Ties are ordered by name, so that rows do not change order needlessly. */
    private static Comparator<Row> order(DepthsQuery query) {
        Comparator<Row> order = switch (query.sort()) {
            case WAITING -> Comparator.comparingLong(Row::waiting);
            case TENANT -> Comparator.comparing(Row::tenant);
            case IN -> Comparator.comparingDouble(row -> row.rates().inPerSecond());
            case OUT -> Comparator.comparingDouble(row -> row.rates().outPerSecond());
            case DRAIN -> Comparator.comparingDouble(row ->
                    row.drain() instanceof Drain.Never ? Double.POSITIVE_INFINITY : row.drain().seconds());
            case DEAD -> Comparator.comparingLong(row -> row.depth().balance().in(ItemState.DEAD_LETTER));
        };
        return (query.isAscending() ? order : order.reversed()).thenComparing(Row::tenant);
    }

    private ObjectNode json(Row row, long nowMillis) {
        TenantBalance balance = row.depth().balance();
        TenantPolicy policy = policies.of(row.tenant());
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("tenant", row.tenant());
        json.put("waiting", row.waiting());
        lanes(json, balance);
        json.put("deadLettered", balance.in(ItemState.DEAD_LETTER));
        flow(json, row.rates().inPerSecond(), row.rates().outPerSecond(), row.drain());
        json.put("late", row.depth().isLate(policy, nowMillis));
        json.put("paused", policy.paused());
        json.put("admittedShare", admittedShare.applyAsDouble(row.tenant()));
        return json;
    }

    /** Adds the waiting items of a balance by lane. */
    static void lanes(ObjectNode json, TenantBalance balance) {
        ItemState.WAITING.forEach(lane -> json.put(lane.label(), Math.max(0, balance.in(lane))));
    }

    /** Adds rates and drain time; null stands for never, because JSON has no infinity. */
    static void flow(ObjectNode json, double inPerSecond, double outPerSecond, Drain drain) {
        json.put("inPerSecond", inPerSecond);
        json.put("outPerSecond", outPerSecond);
        json.put("drainSeconds", drain instanceof Drain.Never ? null : (Double) drain.seconds());
    }

    static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
