package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.routing.Route;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.RouterHarness;
import io.spillway.router.route.Decision;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the ledger counts for records of a source. */
class SourceLedgerTest {
    @Test
    void a_record_counts_once_for_its_source_however_many_deliveries_are_made_of_it() {
        for (int subscriptions : new int[] {0, 3, 300}) {
            try (RouterHarness router = RouterHarness.configured(Map.of(
                    "router.sources.orders.topic", "orders", "router.sources.orders.tenant", "key"))) {
                IntStream.range(0, subscriptions).forEach(number -> router.policies.put(
                        TenantPolicies.key("acme", "s" + number), TenantPolicies.encode(
                                "acme", new Subscription("s" + number, "*", PolicySettings.NONE_SET))));
                router.send(RouterHarness.item("acme", RouterHarness.START_MILLIS));
                assertThat(LedgerRecorderTest.flush(router).entrySet())
                        .filteredOn(entry -> entry.getKey().startsWith("(source:orders) outside>"))
                        .extracting(Map.Entry::getValue).containsExactly(1L);
            }
        }
    }

    @Test
    void a_record_without_the_tenant_that_its_source_has_elsewhere_counts_for_none() {
        try (RouterHarness router = new RouterHarness(decider -> (record, nowMillis) -> Decision.unreadable(
                new Route.DeadLetter(DeadReason.BAD_TENANT, "no tenant where its source has one"), true))) {
            router.send(RouterHarness.item("acme", RouterHarness.START_MILLIS));
            assertThat(LedgerRecorderTest.flush(router)).isEqualTo(Map.of(
                    "(none) outside>dead-letter", 1L, "(dead:bad-tenant) outside>dead-letter", 1L));
        }
    }
}
