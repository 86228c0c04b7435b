package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys of services, which name the tenant of each item, and keys that end. */
@Timeout(120) // Against a hang; nothing is measured.
class ServiceKeysTest {
    private final GatewayUnderTest gateway = new GatewayUnderTest(true);
    private final String shops = gateway.key("shop-*");

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void an_item_is_of_the_tenant_that_its_header_names() {
        HttpResponse<String> answer = gateway.post(shops, "x", "Spillway-Tenant", "shop-7", "Idempotency-Key", "i");
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).isEqualTo("{\"id\":\"i\",\"tenant\":\"shop-7\"}");
        assertThat(GatewayUnderTest.item(gateway.stored().getFirst().value()).tenant()).isEqualTo("shop-7");
        assertThat(gateway.post(gateway.key("*"), "x", "Spillway-Tenant", "any").statusCode()).isEqualTo(202);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', value = {
        "bolt       | 403 | The key belongs to another tenant than the one in the request.",
        "shop       | 403 | The key belongs to another tenant than the one in the request.",
        "shop- 7    | 400 | Spillway-Tenant must be 1 to 128",
        "           | 400 | The key of a service needs the header Spillway-Tenant."
    })
    void an_item_of_another_tenant_or_of_none_is_refused(String tenant, int status, String why) {
        HttpResponse<String> answer = tenant == null ? gateway.post(shops, "x")
                : gateway.post(shops, "x", "Spillway-Tenant", tenant);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).contains(why);
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void each_line_of_a_batch_names_its_tenant_and_has_its_limits() {
        gateway.policy("shop-2", PolicySettings.NONE_SET.with(PolicyField.ADMISSION_RATE, "1")
                .with(PolicyField.ADMISSION_BURST, "1"));
        List<String> lines = gateway.batch(shops, """
                {"tenant": "shop-1", "id": "a", "payload": 1}
                {"tenant": "shop-2", "id": "b", "payload": 2}
                {"tenant": "shop-2", "id": "c", "payload": 3}
                {"tenant": "bolt", "id": "d", "payload": 4}
                {"id": "e", "payload": 5}
                """).body().lines().toList();
        assertThat(lines.get(0)).isEqualTo("{\"line\":1,\"status\":202,\"id\":\"a\",\"tenant\":\"shop-1\"}");
        assertThat(lines.get(1)).isEqualTo("{\"line\":2,\"status\":202,\"id\":\"b\",\"tenant\":\"shop-2\"}");
        assertThat(lines.get(2)).contains("\"status\":429");
        assertThat(lines.get(3)).contains("\"status\":403");
        assertThat(lines.get(4)).contains("\"status\":400", "tenant must be");
        assertThat(gateway.stored()).hasSize(2);
    }

    @Test
    void a_batch_whose_header_names_a_tenant_is_of_this_tenant_alone() {
        List<String> lines = gateway.batch(shops, "{\"payload\": 1}\n{\"tenant\": \"shop-2\", \"payload\": 1}",
                "Spillway-Tenant", "shop-1").body().lines().toList();
        assertThat(lines.get(0)).contains("\"status\":202", "\"tenant\":\"shop-1\"");
        assertThat(lines.get(1)).contains("\"status\":403");
        assertThat(gateway.batch(shops, "{\"payload\": 1}", "Spillway-Tenant", "bolt").statusCode()).isEqualTo(403);
    }

    @Test
    void a_key_is_refused_from_its_end_on() {
        String ending = gateway.key("acme", gateway.nowMillis.get() + 1_000);
        assertThat(gateway.post(ending, "x").statusCode()).isEqualTo(202);
        gateway.nowMillis.addAndGet(1_000);
        assertThat(gateway.post(ending, "x").statusCode()).isEqualTo(401);
    }

    @Test
    void a_service_sees_nothing_of_the_operators() {
        assertThat(gateway.send("GET", "/admin/depths", gateway.key("*"), "").statusCode()).isEqualTo(403);
    }
}
