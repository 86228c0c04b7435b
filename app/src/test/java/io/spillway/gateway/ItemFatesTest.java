package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.view.TenantPolicies;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the gateway answers to {@code GET /v1/items/ID}. */
@Timeout(120) // Against a hang; nothing is measured.
class ItemFatesTest {
    private final GatewayUnderTest gateway = new GatewayUnderTest(true);
    private final String key = gateway.key("acme");

    @AfterEach
    void close() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
        "hot fresh          | \"state\":\"waiting\",\"lane\":\"hot\",\"reason\":\"fresh\"",
        "overflow rate      | \"state\":\"waiting\",\"lane\":\"overflow\",\"reason\":\"rate\"",
        "delay retry        | \"state\":\"waiting\",\"lane\":\"delay\",\"reason\":\"retry\"",
        "delay claimed      | \"state\":\"running\",\"lane\":\"delay\",\"reason\":\"claimed\"",
        "dead-letter poison | \"state\":\"dead\",\"reason\":\"poison\"",
        "dropped ttl        | \"state\":\"dropped\",\"reason\":\"ttl\"",
        "done               | \"state\":\"done\"",
    })
    void the_state_of_a_tracked_item_is_told(String told, String expected) {
        track(gateway, "acme");
        tell(gateway, "acme", "a/b c", told);

        HttpResponse<String> answer = get("a%2Fb%20c");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"id\":\"a/b c\",\"tenant\":\"acme\"," + expected
                + ",\"attempts\":2,\"since\":\"2026-11-30T00:00:00Z\"}");
    }

    @Test
    void a_tenant_sees_only_its_own_items() {
        track(gateway, "acme");
        track(gateway, "bolt");
        tell(gateway, "bolt", "a", "done");
        assertThat(get("a").statusCode()).isEqualTo(503);
        assertThat(gateway.send("GET", "/v1/items/a", gateway.key("bolt"), "").statusCode()).isEqualTo(200);
        assertThat(gateway.send("GET", "/v1/items/a", "spk_nobody", "").statusCode()).isEqualTo(401);
    }

    @Test
    void without_the_policy_the_answer_says_what_to_set() {
        HttpResponse<String> answer = get("a");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("The operator can set its policy tracked.");
    }

    @Test
    void what_is_no_id_is_refused() {
        track(gateway, "acme");
        assertThat(get("%80").statusCode()).isEqualTo(400);
        assertThat(get("").body()).contains("The id in the path must be 1 to 256 printable ASCII characters");
        assertThat(gateway.send("POST", "/v1/items/a", key, "x").statusCode()).isEqualTo(405);
    }

    @Test
    void the_answer_to_a_repeated_item_tells_what_became_of_the_first() {
        track(gateway, "acme");
        tell(gateway, "acme", "a", "done");
        assertThat(gateway.post(key, "x", "Idempotency-Key", "a").body())
                .contains("\"earlier\":{\"state\":\"done\",\"attempts\":2,");
        assertThat(gateway.post(key, "x", "Idempotency-Key", "b").body()).doesNotContain("earlier");
        assertThat(gateway.post(key, "x", "Spillway-Id", "a").body()).doesNotContain("earlier");
    }

    static void track(GatewayUnderTest gateway, String tenant) {
        gateway.policies.put(tenant, TenantPolicies.encode(
                tenant, PolicySettings.NONE_SET.with(PolicyField.TRACKED, "true")));
    }

    static void tell(GatewayUnderTest gateway, String tenant, String id, String value) {
        RecordHeaders headers = new RecordHeaders();
        ItemHeaders.set(headers, ItemHeaders.TENANT, tenant);
        ItemHeaders.set(headers, ItemHeaders.ID, id);
        ItemHeaders.set(headers, ItemHeaders.ATTEMPT, "2");
        gateway.tracked.put(headers, value.getBytes(StandardCharsets.US_ASCII), 1_795_996_800_000L);
    }

    private HttpResponse<String> get(String id) {
        return gateway.send("GET", "/v1/items/" + id, key, "");
    }
}
