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
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * What waits, in each lane and of whom, how fast it comes and goes, and when it is gone: the books as JSON, in the words of
 * the command {@code depth}.
 *
 * <p>Bounds: {@value #MOST_TENANTS} tenants by name, those with the most waiting. Of the tenants beyond
 * {@code router.maxTenants}, which the view of the books passes over, nothing is in it. However many ask, all tenants are
 * looked at once in {@value #KEPT_MILLIS} ms; in between everybody gets the same answer.
 *
 * <p>Owner of the last answer: this object, under its lock. Thread-safe.
 */
final class DepthsReport {
    static final int MOST_TENANTS = 50;
    static final long KEPT_MILLIS = 1_000;

    /** The deepest first; names decide between equals, so that rows do not change places for nothing. */
    private static final Comparator<Row> DEEPEST_FIRST =
            Comparator.<Row>comparingLong(row -> -row.waiting()).thenComparing(Row::tenant);

    private final Depths depths;
    private final LaneFlows flows;
    private final TenantPolicies policies;
    private GatewayResponse last;
    private long lastMillis;

    /** @param flows looked at about once a second by somebody else */
    DepthsReport(Depths depths, LaneFlows flows, TenantPolicies policies) {
        this.depths = depths;
        this.flows = flows;
        this.policies = policies;
    }

    private record Row(String tenant, Depth depth) {
        long waiting() {
            return depth.books().waiting();
        }
    }

    /** What a look at all tenants comes to. */
    private static final class Survey {
        private final PriorityQueue<Row> shallowestFirst = new PriorityQueue<>(DEEPEST_FIRST.reversed());
        private double inPerSecond;
        private double outPerSecond;
        private long waiting;
        private int tenantsWaiting;
        private int tenantsLate;

        /** By name, the deepest first. */
        Deque<Row> deepest() {
            Deque<Row> rows = new ArrayDeque<>();
            while (!shallowestFirst.isEmpty()) {
                rows.addFirst(shallowestFirst.remove());
            }
            return rows;
        }
    }

    /** The report of now, or of less than {@value #KEPT_MILLIS} ms ago. */
    synchronized GatewayResponse at(long nowMillis) {
        // A clock that is set back makes it new, too.
        if (last == null || nowMillis < lastMillis || nowMillis >= lastMillis + KEPT_MILLIS) {
            last = GatewayResponse.json(200, json(nowMillis));
            lastMillis = nowMillis;
        }
        return last;
    }

    private ObjectNode json(long nowMillis) {
        Survey survey = survey(nowMillis);
        ObjectNode json = GatewayResponse.JSON.createObjectNode();
        json.put("asOfMillis", nowMillis);
        json.put("changedAtMillis", depths.changedAtMillis() == 0 ? null : (Long) depths.changedAtMillis());
        ObjectNode total = json.putObject("total");
        total.put("waiting", survey.waiting);
        flow(total, survey.inPerSecond, survey.outPerSecond, Drain.of(survey.waiting, survey.inPerSecond, survey.outPerSecond));
        total.put("deadLettered", depths.in(ItemState.DEAD_LETTER));
        ObjectNode lanes = json.putObject("lanes");
        flows.byLane().forEach((lane, flow) -> {
            ObjectNode figures = lanes.putObject(lane.label());
            figures.put("waiting", Math.max(0, flow.waiting()));
            flow(figures, flow.rates().inPerSecond(), flow.rates().outPerSecond(), flow.drain());
        });
        json.put("tenantsKnown", depths.size());
        json.put("tenantsWaiting", survey.tenantsWaiting);
        json.put("tenantsLate", survey.tenantsLate);
        json.put("truncated", survey.tenantsWaiting > MOST_TENANTS);
        ArrayNode tenants = json.putArray("tenants");
        survey.deepest().forEach(row -> tenants.add(json(row, nowMillis)));
        return json;
    }

    private Survey survey(long nowMillis) {
        Survey survey = new Survey();
        depths.forEach((tenant, depth) -> {
            FlowRates rates = depth.rates().at(nowMillis);
            survey.inPerSecond += rates.inPerSecond();
            survey.outPerSecond += rates.outPerSecond();
            Row row = new Row(tenant, depth);
            if (row.waiting() <= 0) {
                return;
            }
            survey.waiting += row.waiting();
            survey.tenantsWaiting++;
            survey.tenantsLate += depth.isLate(policies.of(tenant), nowMillis) ? 1 : 0;
            survey.shallowestFirst.add(row);
            if (survey.shallowestFirst.size() > MOST_TENANTS) {
                survey.shallowestFirst.remove();
            }
        });
        return survey;
    }

    private ObjectNode json(Row row, long nowMillis) {
        TenantBalance books = row.depth().books();
        FlowRates rates = row.depth().rates().at(nowMillis);
        TenantPolicy policy = policies.of(row.tenant());
        ObjectNode json = GatewayResponse.JSON.createObjectNode();
        json.put("tenant", row.tenant());
        json.put("waiting", row.waiting());
        ItemState.WAITING.forEach(lane -> json.put(lane.label(), Math.max(0, books.in(lane))));
        json.put("deadLettered", books.in(ItemState.DEAD_LETTER));
        flow(json, rates.inPerSecond(), rates.outPerSecond(), row.depth().drain(nowMillis));
        json.put("late", row.depth().isLate(policy, nowMillis));
        json.put("admittedShare", LoadShedder.share(policy, OptionalLong.of(row.waiting())));
        return json;
    }

    /** JSON has no infinity: null is never. */
    private static void flow(ObjectNode json, double inPerSecond, double outPerSecond, Drain drain) {
        json.put("inPerSecond", inPerSecond);
        json.put("outPerSecond", outPerSecond);
        json.put("drainSeconds", drain instanceof Drain.Never ? null : (Double) drain.seconds());
    }
}
