package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.Drain;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.LoadShedder;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Backlog report as JSON: waiting items by lane and tenant, flow rates and drain forecasts, with the terms of the
 * command {@code depth}. It is computed at most once per {@value #KEPT_MILLIS} ms and cached in between.
 *
 * <p>Bounds: {@value #MAX_TENANTS} tenants by name, those with the largest backlog. Tenants beyond
 * {@code router.maxTenants} are not included.
 *
 * <p>Owner of the cached report: this object, under its lock. Thread-safe.
 */
final class DepthsReport {
    static final int MAX_TENANTS = 50;
    static final long KEPT_MILLIS = 1_000;

    /** Largest backlog first. Ties are ordered by name, so that rows do not change order needlessly. */
    private static final Comparator<Row> DEEPEST_FIRST =
            Comparator.<Row>comparingLong(row -> -row.waiting()).thenComparing(Row::tenant);

    private final Depths depths;
    private final Backlogs backlogs;
    private final LaneFlows flows;
    private final TenantPolicies policies;
    private GatewayResponse last;
    private long lastMillis;

    /** @param flows updated about once a second by the caller */
    DepthsReport(Depths depths, Backlogs backlogs, LaneFlows flows, TenantPolicies policies) {
        this.depths = depths;
        this.backlogs = backlogs;
        this.flows = flows;
        this.policies = policies;
    }

    private record Row(String tenant, Depth depth) {
        long waiting() {
            return depth.balance().waiting();
        }
    }

    private static final class Totals {
        private final PriorityQueue<Row> shallowestFirst = new PriorityQueue<>(DEEPEST_FIRST.reversed());
        private double inPerSecond;
        private double outPerSecond;
        private long waiting;
        private int tenantsWaiting;
        private int tenantsLate;
    }

    /** Returns the current report, or the cached one if it is less than {@value #KEPT_MILLIS} ms old. */
    synchronized GatewayResponse at(long nowMillis) {
        // A clock that was set back also causes a new report.
        if (last == null || nowMillis < lastMillis || nowMillis >= lastMillis + KEPT_MILLIS) {
            last = GatewayResponse.json(200, json(nowMillis));
            lastMillis = nowMillis;
        }
        return last;
    }

    private ObjectNode json(long nowMillis) {
        Totals all = totals(nowMillis);
        ObjectNode json = GatewayResponse.JSON.createObjectNode();
        json.put("asOf", iso(nowMillis));
        json.put("changedAt", depths.changedAtMillis() == 0 ? null : iso(depths.changedAtMillis()));
        ObjectNode total = json.putObject("total");
        total.put("waiting", all.waiting);
        flow(total, all.inPerSecond, all.outPerSecond, Drain.of(all.waiting, all.inPerSecond, all.outPerSecond));
        total.put("deadLettered", depths.in(ItemState.DEAD_LETTER));
        ObjectNode lanes = json.putObject("lanes");
        flows.byLane().forEach((lane, flow) -> {
            ObjectNode node = lanes.putObject(lane.label());
            node.put("waiting", Math.max(0, flow.waiting()));
            flow(node, flow.rates().inPerSecond(), flow.rates().outPerSecond(), flow.drain());
        });
        json.put("tenantsKnown", depths.size());
        json.put("tenantsWaiting", all.tenantsWaiting);
        json.put("tenantsLate", all.tenantsLate);
        json.put("truncated", all.tenantsWaiting > MAX_TENANTS);
        ArrayNode tenants = json.putArray("tenants");
        all.shallowestFirst.stream().sorted(DEEPEST_FIRST).forEach(row -> tenants.add(json(row, nowMillis)));
        return json;
    }

    private static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    private Totals totals(long nowMillis) {
        Totals all = new Totals();
        depths.forEach((tenant, depth) -> {
            FlowRates rates = depth.rates().at(nowMillis);
            all.inPerSecond += rates.inPerSecond();
            all.outPerSecond += rates.outPerSecond();
            Row row = new Row(tenant, depth);
            if (row.waiting() <= 0) {
                return;
            }
            all.waiting += row.waiting();
            all.tenantsWaiting++;
            all.tenantsLate += depth.isLate(policies.of(tenant), nowMillis) ? 1 : 0;
            all.shallowestFirst.add(row);
            if (all.shallowestFirst.size() > MAX_TENANTS) {
                all.shallowestFirst.remove();
            }
        });
        return all;
    }

    private ObjectNode json(Row row, long nowMillis) {
        TenantBalance balance = row.depth().balance();
        FlowRates rates = row.depth().rates().at(nowMillis);
        TenantPolicy policy = policies.of(row.tenant());
        ObjectNode json = GatewayResponse.JSON.createObjectNode();
        json.put("tenant", row.tenant());
        json.put("waiting", row.waiting());
        ItemState.WAITING.forEach(lane -> json.put(lane.label(), Math.max(0, balance.in(lane))));
        json.put("deadLettered", balance.in(ItemState.DEAD_LETTER));
        flow(json, rates.inPerSecond(), rates.outPerSecond(), row.depth().drain(nowMillis));
        json.put("late", row.depth().isLate(policy, nowMillis));
        json.put("admittedShare", LoadShedder.share(policy, backlogs.of(row.tenant())));
        return json;
    }

    /** Adds rates and drain time; null stands for never, because JSON has no infinity. */
    private static void flow(ObjectNode json, double inPerSecond, double outPerSecond, Drain drain) {
        json.put("inPerSecond", inPerSecond);
        json.put("outPerSecond", outPerSecond);
        json.put("drainSeconds", drain instanceof Drain.Never ? null : (Double) drain.seconds());
    }
}
