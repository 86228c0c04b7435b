package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.view.TenantPolicies;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of a tenant's policy at the gateway: which one refuses, what the answer says, and what is counted. */
class TenantLimitsTest {
    private final GatewayUnderTest gateway = new GatewayUnderTest(true);
    private final String key = gateway.key("acme");

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_rate_alone_refuses_nothing_because_its_excess_is_for_overflow() {
        gateway.policy("acme", PolicySettings.NONE_SET.with(PolicyField.RATE, "1").with(PolicyField.BURST, "1"));
        for (int i = 0; i < 20; i++) {
            assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
        }
        assertThat(refused()).isEqualTo(counts(0, 0, 0, 0));
    }

    @Test
    void the_answer_over_the_admission_rate_names_it_and_what_to_do() throws Exception {
        gateway.policy("acme", PolicySettings.NONE_SET.with(PolicyField.ADMISSION_RATE, "2"));
        gateway.post(key, "x");
        gateway.post(key, "x");
        HttpResponse<String> over = gateway.post(key, "x");
        JsonNode problem = new JsonMapper().readTree(over.body());

        assertThat(over.statusCode()).isEqualTo(429);
        assertThat(problem.get("limit").textValue()).isEqualTo("admissionRate");
        assertThat(problem.get("detail").textValue())
                .contains("admissionRate is 2.000 items/s", "Wait for Retry-After", "admissionBurst");
        assertThat(gateway.batch(key, "{\"payload\":\"x\"}\n").body()).contains("\"limit\":\"admissionRate\"");
        assertThat(refused()).isEqualTo(counts(2, 0, 0, 0));
    }

    /** A new tenant has the floor, 10 items/s. */
    @Test
    void a_growing_limit_holds_unless_the_tenant_must_be_accepted() {
        gateway.policy("acme", PolicySettings.NONE_SET.with(PolicyField.GROWTH, "3"));
        int accepted = 0;
        for (int i = 0; i < 15; i++) {
            HttpResponse<String> answer = gateway.post(key, "x");
            accepted += answer.statusCode() == 202 ? 1 : 0;
            assertThat(answer.body()).contains(answer.statusCode() == 202 ? "\"id\"" : "\"limit\":\"growth\"");
        }
        assertThat(accepted).isEqualTo(10);
        assertThat(refused()).isEqualTo(counts(0, 5, 0, 0));

        gateway.policy("acme", PolicySettings.NONE_SET.with(PolicyField.GROWTH, "3")
                .with(PolicyField.BACK_PRESSURE, "accept"));
        assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
    }

    /** Default settings: 100 items/s are completed, and 720,000 wait, which is two hours. */
    @Test
    void a_backlog_of_two_hours_is_thinned_by_half_with_default_settings() throws Exception {
        waitsForTwoHours();
        int accepted = 0;
        String refusal = "";
        for (int i = 0; i < 40; i++) {
            HttpResponse<String> answer = gateway.post(key, "x");
            accepted += answer.statusCode() == 202 ? 1 : 0;
            refusal = answer.statusCode() == 202 ? refusal : answer.body();
        }
        assertThat(accepted).isBetween(19, 21);
        JsonNode problem = new JsonMapper().readTree(refusal);
        assertThat(problem.get("type").textValue()).endsWith(":held-back");
        assertThat(problem.get("limit").textValue()).isEqualTo("maxDrain");
        assertThat(problem.get("detail").textValue())
                .containsPattern("7200\\d\\d waiting items need about 2h").contains("50.0 of 100 items");
        assertThat(refused()).isEqualTo(counts(0, 0, 40 - accepted, 0));

        for (PolicySettings lenient : new PolicySettings[] {
            PolicySettings.NONE_SET.with(PolicyField.MAX_DRAIN, "none"),
            PolicySettings.NONE_SET.with(PolicyField.MAX_DRAIN, "3h"),
            PolicySettings.NONE_SET.with(PolicyField.BACK_PRESSURE, "accept")
        }) {
            gateway.policy("acme", lenient);
            for (int i = 0; i < 4; i++) {
                assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
            }
        }
        assertThat(gateway.post(gateway.key("bolt"), "x").statusCode()).as("another tenant").isEqualTo(202);
    }

    @Test
    void a_paused_subscription_thins_no_backlog_because_what_is_held_does_not_drain() {
        waitsForTwoHours();
        subscribe(PolicyField.PAUSED, "true");
        assertThat(accepted(40)).isEqualTo(40);
        subscribe(PolicyField.PAUSED, "false");
        assertThat(accepted(40)).isBetween(19, 21);

        subscribe(PolicyField.DESTINATION, "crm");
        assertThat(accepted(40)).isBetween(19, 21);
        gateway.policy("/crm", PolicySettings.NONE_SET.with(PolicyField.PAUSED, "true"));
        assertThat(accepted(40)).as("by its destination").isEqualTo(40);
        gateway.policies.remove("acme/b");
        assertThat(accepted(40)).isBetween(19, 21);
    }

    /** 100 items/s are completed and as many arrive; then the destination is down. Nothing is refused in an hour. */
    @Test
    void an_outage_of_a_destination_refuses_nobody_whose_backlog_drains_in_time_afterwards() {
        gateway.post(key, "x");
        long completed = 0;
        for (int second = 0; second < 120; second++) {
            completed += 100;
            gateway.nowMillis.addAndGet(1_000);
            gateway.flows("acme", 20, completed, 100);
            gateway.gateway.sample();
        }
        for (int second = 1; second <= 3_500; second++) {
            gateway.nowMillis.addAndGet(1_000);
            gateway.flows("acme", 100L * second, completed, 0);
            gateway.gateway.sample();
            if (second % 100 == 0) {
                assertThat(gateway.post(key, "x").statusCode()).as("after %s s", second).isEqualTo(202);
            }
        }
        assertThat(refused()).isEqualTo(counts(0, 0, 0, 0));
    }

    @Test
    void refusals_are_counted_for_the_tenants_with_most_of_them_by_name_and_for_the_others_together() {
        try (GatewayUnderTest few = new GatewayUnderTest(true, "metrics.tenants", "2")) {
            for (String tenant : List.of("acme", "bolt", "cord", "dusk")) {
                few.policy(tenant, PolicySettings.NONE_SET.with(PolicyField.ADMISSION_RATE, "1"));
                String tenantKey = few.key(tenant);
                for (int i = 0; i < 3; i++) {
                    few.post(tenantKey, "x");
                }
            }
            assertThat(refused(few, "acme", "admissionRate")).isEqualTo(2);
            assertThat(refused(few, "bolt", "admissionRate")).isEqualTo(2);
            assertThat(refused(few, "*other*", "admissionRate")).isEqualTo(4);
            assertThat(few.registry.find("spillway.gateway.refused").tag("tenant", "cord").counters()).isEmpty();
        }
    }

    @Test
    void a_request_over_the_limit_of_requests_in_flight_is_counted_for_its_tenant() {
        try (GatewayUnderTest one = new GatewayUnderTest(false, "gateway.limits.tenantRequests", "1",
                "gateway.limits.drainGrace", "0ms")) {
            String tenantKey = one.key("acme");
            one.client.sendAsync(HttpRequest.newBuilder(URI.create(one.url + "/v1/items"))
                    .header("Authorization", "Bearer " + tenantKey)
                    .POST(HttpRequest.BodyPublishers.ofString("x")).build(), HttpResponse.BodyHandlers.discarding());
            while (one.stored().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(one.post(tenantKey, "x").statusCode()).isEqualTo(429);
            assertThat(refused(one, "acme", "tenantRequests")).isEqualTo(1);
        }
    }

    private void waitsForTwoHours() {
        gateway.post(key, "x");
        long completed = 0;
        for (int second = 0; second < 60; second++) {
            completed += 100;
            gateway.nowMillis.addAndGet(1_000);
            gateway.flows("acme", 720_000, completed, 100);
            gateway.gateway.sample();
        }
    }

    private int accepted(int offers) {
        int accepted = 0;
        for (int i = 0; i < offers; i++) {
            accepted += gateway.post(key, "x").statusCode() == 202 ? 1 : 0;
        }
        return accepted;
    }

    private void subscribe(PolicyField field, String value) {
        gateway.policies.put("acme/b", TenantPolicies.encode(
                "acme", new Subscription("b", "*", PolicySettings.NONE_SET.with(field, value))));
    }

    private static double refused(GatewayUnderTest gateway, String tenant, String limit) {
        return gateway.registry.get("spillway.gateway.refused").tag("tenant", tenant).tag("limit", limit).counter()
                .count();
    }

    private Map<String, Double> refused() {
        Map<String, Double> counts = new HashMap<>();
        gateway.registry.find("spillway.gateway.refused").counters().stream()
                .filter(counter -> !counter.getId().getTag("limit").equals("tenantRequests"))
                .forEach(counter -> counts.merge(counter.getId().getTag("limit"), counter.count(), Double::sum));
        return counts;
    }

    private static Map<String, Double> counts(double rate, double growth, double drain, double depth) {
        return Map.of("admissionRate", rate, "growth", growth, "maxDrain", drain, "maxDepth", depth);
    }
}
