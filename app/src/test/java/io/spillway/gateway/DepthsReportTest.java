package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.TenantPolicies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DepthsReportTest {
    private static final long NOW = 1_800_000_000_000L;

    private final Depths depths = new Depths();
    private final LaneFlows flows = new LaneFlows(depths);
    private final TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
    private final DepthsReport report = new DepthsReport(depths, new Backlogs(depths, 100), flows, policies);

    @Test
    void tenants_with_backlogs_are_listed_largest_first_with_forecast_and_admitted_share() {
        policies.put("*", TenantPolicies.encode("*", PolicySettings.NONE_SET.with(PolicyField.MAX_DEPTH, "100")));
        policies.put("late", TenantPolicies.encode("late", PolicySettings.NONE_SET.with(PolicyField.TTL, "9s")));
        //          hot overflow aged delay dead  in out
        put("quiet",  3,       0,   0,    0,   0,  1,  4);
        put("late",  20,      30,  40,   10,   2,  5, 15);
        put("noisy",  0,     400,   0,    0,   0, 90, 10);
        put("gone",   0,       0,   0,    0,   7,  0,  0);
        put("bolt",   3,       0,   0,    0,   0,  0,  0);
        flows.sample(NOW);

        JsonNode json = json(NOW);
        List<String> rows = new ArrayList<>();
        json.get("tenants").forEach(row -> rows.add(row.toString()));
        assertThat(rows).containsExactly(
                row("noisy", 400, 0, 400, 0, 0, 0, "90.0", "10.0", "null", false, "0.25"),
                row("late", 100, 20, 30, 40, 10, 2, "5.0", "15.0", "10.0", true, "1.0"),
                row("bolt", 3, 3, 0, 0, 0, 0, "0.0", "0.0", "null", false, "1.0"),
                row("quiet", 3, 3, 0, 0, 0, 0, "1.0", "4.0", "1.0", false, "1.0"));
        assertThat(json.get("total").toString()).isEqualTo(
                "{\"waiting\":506,\"inPerSecond\":96.0,\"outPerSecond\":29.0,\"drainSeconds\":null,"
                        + "\"deadLettered\":9}");
        assertThat(json.get("asOf").textValue()).isEqualTo(Instant.ofEpochMilli(NOW).toString());
        assertThat(json.get("changedAt").textValue()).isEqualTo(Instant.ofEpochMilli(NOW).toString());
        assertThat(json.get("tenantsKnown").intValue()).isEqualTo(5);
        assertThat(json.get("tenantsWaiting").intValue()).isEqualTo(4);
        assertThat(json.get("tenantsLate").intValue()).isEqualTo(1);
        assertThat(json.get("truncated").booleanValue()).isFalse();
    }

    @Test
    void lanes_have_the_sum_of_all_tenants_and_the_rates_between_two_updates() {
        put("acme", 1_000, 50, 0, 0, 0, 0, 0);
        put("bolt", 200, 0, 0, 7, 0, 0, 0);
        flows.sample(NOW);
        assertThat(json(NOW).at("/lanes/hot/waiting").longValue()).isEqualTo(1_200);

        // 10 s later 300 items of acme have left hot, and 20 have entered overflow.
        leave("acme", ItemState.HOT, 300);
        put("acme", 0, 20, 0, 0, 0, 0, 0);
        flows.sample(NOW + 10_000);
        JsonNode lanes = json(NOW + 10_000).get("lanes");
        assertThat(names(lanes)).containsExactly("hot", "overflow", "aged", "delay");
        assertThat(lanes.at("/hot/waiting").longValue()).isEqualTo(900);
        assertThat(lanes.at("/hot/outPerSecond").doubleValue()).isCloseTo(30, within(1e-9));
        assertThat(lanes.at("/hot/inPerSecond").doubleValue()).isZero();
        assertThat(lanes.at("/hot/drainSeconds").doubleValue()).isCloseTo(30, within(1e-6));
        assertThat(lanes.at("/overflow/waiting").longValue()).isEqualTo(70);
        assertThat(lanes.at("/overflow/inPerSecond").doubleValue()).isCloseTo(2, within(1e-9));
        assertThat(lanes.at("/overflow/drainSeconds").isNull()).isTrue();
        assertThat(lanes.at("/aged/drainSeconds").doubleValue()).isZero();
        assertThat(lanes.at("/delay/waiting").longValue()).isEqualTo(7);
    }

    @Test
    void rates_decay_without_new_balances() {
        put("acme", 100, 0, 0, 0, 0, 10, 20);
        assertThat(json(NOW).at("/tenants/0/drainSeconds").doubleValue()).isEqualTo(10);
        JsonNode later = json(NOW + FlowRates.LEAST_MEMORY_MILLIS);
        assertThat(later.at("/tenants/0/outPerSecond").doubleValue()).isCloseTo(20 / Math.E, within(1e-9));
        assertThat(later.at("/total/drainSeconds").doubleValue()).isCloseTo(10 * Math.E, within(1e-6));
        assertThat(later.get("changedAt").textValue()).isEqualTo(Instant.ofEpochMilli(NOW).toString());
    }

    @Test
    void only_the_fifty_tenants_with_the_largest_backlogs_are_listed() {
        for (int i = 0; i < 1_000; i++) {
            int waiting = 1 + i * 7_919 % 1_000;
            put("tenant-" + waiting, waiting, 0, 0, 0, 0, 0, 0);
        }
        JsonNode json = json(NOW);
        assertThat(json.get("tenants")).hasSize(DepthsReport.MAX_TENANTS);
        for (int i = 0; i < 50; i++) {
            assertThat(json.get("tenants").get(i).get("tenant").textValue()).isEqualTo("tenant-" + (1_000 - i));
        }
        assertThat(json.get("truncated").booleanValue()).isTrue();
        assertThat(json.get("tenantsWaiting").intValue()).isEqualTo(1_000);
        assertThat(json.at("/total/waiting").longValue()).isEqualTo(500_500);
    }

    @Test
    void fifty_tenants_are_not_truncated() {
        for (int i = 0; i < 50; i++) {
            put("tenant-" + i, 1, 0, 0, 0, 0, 0, 0);
        }
        assertThat(json(NOW).get("tenants")).hasSize(50);
        assertThat(json(NOW).get("truncated").booleanValue()).isFalse();
        put("one-more", 1, 0, 0, 0, 0, 0, 0);
        assertThat(json(NOW + 1_000).get("tenants")).hasSize(50);
        assertThat(json(NOW + 1_000).get("truncated").booleanValue()).isTrue();
    }

    @Test
    void the_report_is_cached_for_one_second_unless_the_clock_is_set_back() {
        GatewayResponse first = report.at(NOW);
        put("acme", 1, 0, 0, 0, 0, 0, 0);
        assertThat(report.at(NOW + 999)).isSameAs(first);
        assertThat(report.at(NOW + 1_000)).isNotSameAs(first);
        GatewayResponse second = report.at(NOW + 1_000);
        assertThat(report.at(NOW - 1)).isNotSameAs(second);
    }

    @Test
    void a_report_without_balances_is_valid() {
        assertThat(json(NOW).toString()).isEqualTo("{\"asOf\":\"" + Instant.ofEpochMilli(NOW) + "\",\"changedAt\":null,"
                + "\"total\":{\"waiting\":0,\"inPerSecond\":0.0,\"outPerSecond\":0.0,\"drainSeconds\":0.0,"
                + "\"deadLettered\":0},\"lanes\":{},\"tenantsKnown\":0,\"tenantsWaiting\":0,\"tenantsLate\":0,"
                + "\"truncated\":false,\"tenants\":[]}");
    }

    private static String row(
            String tenant, int waiting, int hot, int overflow, int aged, int delay, int dead, String in, String out,
            String drain, boolean late, String share) {
        return ("{\"tenant\":\"%s\",\"waiting\":%d,\"hot\":%d,\"overflow\":%d,\"aged\":%d,\"delay\":%d,"
                + "\"deadLettered\":%d,\"inPerSecond\":%s,\"outPerSecond\":%s,\"drainSeconds\":%s,"
                + "\"late\":%s,\"admittedShare\":%s}")
                .formatted(tenant, waiting, hot, overflow, aged, delay, dead, in, out, drain, late, share);
    }

    /** Adds items of a tenant to each state and sets its current rates. */
    private void put(String tenant, long hot, long overflow, long aged, long delay, long dead, double in, double out) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.HOT.ordinal()] = hot;
        counts[ItemState.OVERFLOW.ordinal()] = overflow;
        counts[ItemState.AGED.ordinal()] = aged;
        counts[ItemState.DELAY.ordinal()] = delay;
        counts[ItemState.DEAD_LETTER.ordinal()] = dead;
        write(tenant, balance(tenant).plus(ItemState.OUTSIDE, counts, 0), new FlowRates(in, out, NOW));
    }

    private void leave(String tenant, ItemState from, long items) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.DONE.ordinal()] = items;
        write(tenant, balance(tenant).plus(from, counts, 0), FlowRates.startingAt(NOW));
    }

    private TenantBalance balance(String tenant) {
        return depths.of(tenant).map(Depth::balance).orElse(TenantBalance.EMPTY);
    }

    private void write(String tenant, TenantBalance balance, FlowRates rates) {
        depths.put(tenant, Depths.encode(tenant, new Depth(balance, rates, GrowingLimit.NONE, 0)));
    }

    private static List<String> names(JsonNode json) {
        List<String> names = new ArrayList<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private JsonNode json(long nowMillis) {
        try {
            return new JsonMapper().readTree(report.at(nowMillis).body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
