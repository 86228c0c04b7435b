package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.RouterHarness;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Moves that the router records when it makes deliveries. */
class FanOutLedgerTest {
    @Test
    void deliveries_are_accepted_as_items_of_their_own_and_the_item_that_they_are_made_of_is_done() {
        try (RouterHarness router = new RouterHarness()) {
            for (int i = 0; i < 300; i++) {
                subscribe(router, "many", "s" + i, "*");
            }
            subscribe(router, "few", "a", "*");
            subscribe(router, "few", "b", "*");
            router.send(RouterHarness.item("few", RouterHarness.START_MILLIS));
            router.send(RouterHarness.item("many", RouterHarness.START_MILLIS));
            assertThat(LedgerRecorderTest.flush(router)).isEqualTo(Map.of(
                    "few outside>hot", 2L, "few outside>done", 1L, "many outside>delay", 1L,
                    "many outside>hot", 256L));
            router.advance(Duration.ofSeconds(1));
            assertThat(LedgerRecorderTest.flush(router))
                    .isEqualTo(Map.of("many outside>hot", 44L, "many delay>done", 1L));
        }
    }

    private static void subscribe(RouterHarness router, String tenant, String name, String pattern) {
        router.policies.put(TenantPolicies.key(tenant, name), TenantPolicies.encode(
                tenant, new Subscription(name, pattern, PolicySettings.NONE_SET)));
    }
}
