package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.view.Depths;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every tenant has a growing limit, from 10 a second. */
class GrownLimitTest {
    private final RouterHarness router = new RouterHarness();

    GrownLimitTest() {
        router.set("*", PolicyField.GROWTH, "3");
    }

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void a_tenant_without_a_balance_has_the_floor() {
        assertThat(admittedOf("new", 30)).isEqualTo(10);
    }

    @Test
    void items_above_the_limit_in_the_balance_overflow() {
        balance("acme", 20, 25);
        assertThat(admittedOf("acme", 30)).isEqualTo(25);
    }

    @Test
    void a_new_balance_changes_the_limit() {
        balance("acme", 20, 25);
        assertThat(admittedOf("acme", 30)).isEqualTo(25);
        balance("acme", 20, 30);
        router.advance(Duration.ofSeconds(1));
        assertThat(admittedOf("acme", 40)).isEqualTo(30);
    }

    @Test
    void a_balance_from_before_the_rule_starts_the_limit_at_the_multiple_of_the_use() {
        balance("acme", 20, 0);
        assertThat(admittedOf("acme", 100)).isEqualTo(60);
    }

    @Test
    void an_explicit_rate_takes_precedence() {
        router.set("acme", PolicyField.RATE, "5");
        balance("acme", 20, 25);
        assertThat(admittedOf("acme", 30)).isEqualTo(5);
    }

    @Test
    void the_number_of_cached_limits_is_bounded() {
        for (int i = 0; i < 5 * RouterHarness.MAX_TENANTS; i++) {
            assertThat(admittedOf("tenant-" + i, 1)).isEqualTo(1);
        }
        balance("acme", 20, 25);
        assertThat(admittedOf("acme", 30)).isEqualTo(25);
    }

    private void balance(String tenant, double use, double limit) {
        router.depths.put(tenant, Depths.encode(tenant, new Depth(
                TenantBalance.EMPTY, FlowRates.startingAt(START_MILLIS), new GrowingLimit(use, limit), 0)));
    }

    private int admittedOf(String tenant, int sent) {
        for (int i = 0; i < sent; i++) {
            router.send(item(tenant, START_MILLIS));
        }
        assertThat(router.take(Lane.OVERFLOW)).allSatisfy(record ->
                assertThat(header(record, "spillway-lane-reason")).isEqualTo("rate"));
        return router.take(Lane.HOT).size();
    }
}
