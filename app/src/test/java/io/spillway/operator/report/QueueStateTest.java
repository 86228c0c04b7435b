package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueStateTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final JsonMapper JSON = new JsonMapper();

    private final Depths depths = new Depths();
    private final LaneFlows flows = new LaneFlows(depths);
    private final TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);

    @Test
    void tenants_are_listed_with_the_largest_backlog_first_with_forecast_and_admitted_share() {
        policies.put("late", TenantPolicies.encode("late", PolicySettings.NONE_SET.with(PolicyField.TTL, "8s")));
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
                row("late", 100, 20, 30, 40, 10, 2, "5.0", "15.0", "9.0", true, "1.0"),
                row("bolt", 3, 3, 0, 0, 0, 0, "0.0", "0.0", "null", false, "1.0"),
                row("quiet", 3, 3, 0, 0, 0, 0, "1.0", "4.0", "1.0", false, "1.0"),
                row("gone", 0, 0, 0, 0, 0, 7, "0.0", "0.0", "0.0", false, "1.0"));
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
    void pages_follow_each_other_over_all_tenants() {
        for (int i = 0; i < 1_000; i++) {
            int waiting = 1 + i * 7_919 % 1_000;
            put("tenant-" + waiting, waiting, 0, 0, 0, 0, 0, 0);
        }
        assertThat(json(NOW).get("tenants")).as("without a limit").hasSize(50);
        List<String> expected = new ArrayList<>();
        List<String> listed = new ArrayList<>();
        for (int from = 0; from < 1_000; from += 200) {
            JsonNode page = json(NOW, "from", Integer.toString(from), "limit", "200");
            page.get("tenants").forEach(row -> listed.add(row.get("tenant").textValue()));
            assertThat(page.get("from").intValue()).isEqualTo(from);
            assertThat(page.get("tenantsMatching").intValue()).isEqualTo(1_000);
            assertThat(page.get("truncated").booleanValue()).as("from %s", from).isEqualTo(from < 800);
            assertThat(page.at("/total/waiting").longValue()).as("of all").isEqualTo(500_500);
        }
        for (int i = 0; i < 1_000; i++) {
            expected.add("tenant-" + (1_000 - i));
        }
        assertThat(listed).isEqualTo(expected);
        assertThat(json(NOW, "from", "1000").get("tenants")).isEmpty();
        assertThat(json(NOW, "limit", "0").get("tenants")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '|', value = {
        "waiting,     ,     big late slow gone",
        "waiting,     asc,  gone slow late big",
        "tenant,      ,     big gone late slow",
        "tenant,      desc, slow late gone big",
        "in,          ,     slow big gone late",
        "out,         ,     late big gone slow",
        "drain,       ,     big slow late gone",
        "dead,        ,     gone big late slow"})
    void a_list_has_the_order_of_its_column(String sort, String order, String expected) {
        //           hot overflow aged delay dead in out
        put("big",  100,        0,   0,    0,   1, 1,  1);
        put("late",  20,        0,   0,    0,   0, 0, 10);
        put("slow",   3,        0,   0,    0,   0, 2,  0);
        put("gone",   0,        0,   0,    0,   7, 0,  0);

        JsonNode json = order == null ? json(NOW, "sort", sort) : json(NOW, "sort", sort, "order", order);
        List<String> names = new ArrayList<>();
        json.get("tenants").forEach(row -> names.add(row.get("tenant").textValue()));
        assertThat(String.join(" ", names)).isEqualTo(expected);
    }

    @Test
    void a_search_finds_all_tenants_with_the_text_in_their_names() {
        put("Acme-eu", 0, 0, 0, 0, 0, 0, 0);
        put("acme-us", 5, 0, 0, 0, 0, 0, 0);
        put("bolt", 9, 0, 0, 0, 0, 0, 0);

        JsonNode found = json(NOW, "search", "ACME");
        assertThat(found.get("tenants")).extracting(row -> row.get("tenant").textValue())
                .containsExactly("acme-us", "Acme-eu");
        assertThat(found.get("tenantsMatching").intValue()).isEqualTo(2);
        assertThat(found.at("/total/waiting").longValue()).as("of all").isEqualTo(14);
        assertThat(json(NOW, "search", "x").get("tenants")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '|', value = {
        "sort,   busiest, |sort is busiest: must be one of waiting, tenant, in, out, drain, dead.|",
        "sort,   age,     |sort is age: must be one of waiting, tenant, in, out, drain, dead.|",
        "order,  up,      |order is up: must be asc or desc.|",
        "from,   -1,      |from is -1: must be a whole number from 0 to 1000000.|",
        "from,   1000001, |from is 1000001: must be a whole number from 0 to 1000000.|",
        "limit,  201,     |limit is 201: must be a whole number from 0 to 200.|",
        "limit,  1e2,     |limit is 1e2: must be a whole number from 0 to 200.|"})
    void a_wrong_parameter_is_refused(String name, String value, String message) {
        assertThatThrownBy(() -> json(NOW, name, value))
                .isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void a_state_without_balances_is_valid() {
        assertThat(json(NOW).toString()).isEqualTo("{\"asOf\":\"" + Instant.ofEpochMilli(NOW) + "\",\"changedAt\":null,"
                + "\"total\":{\"waiting\":0,\"inPerSecond\":0.0,\"outPerSecond\":0.0,\"drainSeconds\":0.0,"
                + "\"deadLettered\":0},\"lanes\":{},\"tenantsKnown\":0,\"tenantsWaiting\":0,\"tenantsLate\":0,"
                + "\"tenantsMatching\":0,\"from\":0,\"tenants\":[],\"truncated\":false}");
    }

    private static String row(
            String tenant, int waiting, int hot, int overflow, int aged, int delay, int dead, String in, String out,
            String drain, boolean late, String share) {
        return ("{\"tenant\":\"%s\",\"waiting\":%d,\"hot\":%d,\"overflow\":%d,\"aged\":%d,\"delay\":%d,"
                + "\"deadLettered\":%d,\"inPerSecond\":%s,\"outPerSecond\":%s,\"drainSeconds\":%s,"
                + "\"late\":%s,\"paused\":false,\"admittedShare\":%s}")
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
        write(tenant, balance(tenant).plus(ItemState.OUTSIDE, counts), new FlowRates(in, out, NOW));
    }

    private void leave(String tenant, ItemState from, long items) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.DONE.ordinal()] = items;
        write(tenant, balance(tenant).plus(from, counts), FlowRates.startingAt(NOW));
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

    private JsonNode json(long nowMillis, String... parameters) {
        Map<String, String> query = new HashMap<>();
        for (int i = 0; i < parameters.length; i += 2) {
            query.put(parameters[i], parameters[i + 1]);
        }
        return JSON.valueToTree(QueueState.of(
                depths, flows.byLane(), policies::of, tenant -> tenant.equals("noisy") ? 0.25 : 1,
                DepthsQuery.of(query), nowMillis));
    }
}
