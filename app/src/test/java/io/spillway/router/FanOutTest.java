package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Deliveries that the router makes of the items of tenants with subscriptions. */
class FanOutTest {
    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void an_item_becomes_a_delivery_to_each_subscription_that_matches() {
        subscribe("acme", "billing", "orders-*");
        subscribe("acme", "search", "*");
        subscribe("acme", "mail", "mail");
        router.send(item("acme", "id-1", START_MILLIS, "orders-eu"), headers("trace", "x"));
        List<TestRecord<byte[], byte[]>> hot = router.take(Lane.HOT);
        assertThat(hot).extracting(each -> header(each, "spillway-id")).containsExactly("id-1~billing", "id-1~search");
        assertThat(hot).extracting(each -> header(each, "spillway-workload")).containsExactly("~billing", "~search");
        assertThat(hot).extracting(each -> header(each, "spillway-origin"))
                .containsExactly("spillway.ingress-0-0~billing", "spillway.ingress-0-0~search");
        assertThat(hot).allSatisfy(each -> {
            assertThat(header(each, "spillway-parent-workload")).isEqualTo("orders-eu");
            assertThat(header(each, "trace")).isEqualTo("x");
            assertThat(each.value()).isEqualTo(item("acme", "id-1", START_MILLIS, "orders-eu"));
            assertThat(each.timestamp()).isEqualTo(START_MILLIS);
        });
        assertThat(router.registry.get("spillway.deliveries").counter().count()).isEqualTo(2);
    }

    @Test
    void items_that_no_subscription_gets_and_those_of_other_tenants_stay_as_they_are() {
        subscribe("acme", "mail", "mail");
        router.send(item("acme", "id-1", START_MILLIS, "orders"));
        router.send(item("globex", "id-2", START_MILLIS, "mail"));
        assertThat(router.take(Lane.HOT)).hasSize(2)
                .allSatisfy(each -> assertThat(header(each, "spillway-id")).isNull());
        router.policies.remove(TenantPolicies.key("acme", "mail"));
        router.send(item("acme", "id-3", START_MILLIS, "mail"));
        assertThat(header(router.only(Lane.HOT), "spillway-id")).as("it is removed").isNull();
    }

    @Test
    void an_item_for_one_subscription_is_sent_with_its_workload_and_is_no_further_divided() {
        subscribe("acme", "all", "*");
        router.send(item("acme", "test", START_MILLIS, "~all"));
        assertThat(header(router.only(Lane.HOT), "spillway-id")).isNull();
    }

    @Test
    void a_producer_cannot_forge_what_only_the_router_says_of_a_delivery() {
        subscribe("acme", "all", "*");
        router.send(item("acme", "id-1", START_MILLIS, "w"), headers("spillway-parent-workload", "forged",
                "spillway-next-delivery", "7/zzz", "spillway-origin", "spillway.ingress-9-9"));
        TestRecord<byte[], byte[]> delivery = router.only(Lane.HOT);
        assertThat(header(delivery, "spillway-parent-workload")).isEqualTo("w");
        assertThat(header(delivery, "spillway-next-delivery")).isNull();
        assertThat(header(delivery, "spillway-origin")).isEqualTo("spillway.ingress-0-0~all");
    }

    @Test
    void each_delivery_has_a_decision_of_its_own() {
        router.set("acme", PolicyField.RATE, "1");
        subscribe("acme", "a", "*");
        subscribe("acme", "b", "*", PolicyField.PAUSED, "true");
        subscribe("acme", "c", "*");
        subscribe("acme", "d", "*", PolicyField.EXPIRE_AFTER, "1s");
        router.send(item("acme", "id-1", START_MILLIS - 2_000, "w"));
        assertThat(ids(router.take(Lane.HOT))).as("within the rate").containsExactly("id-1~a");
        assertThat(ids(router.take(Lane.OVERFLOW))).as("above the rate").containsExactly("id-1~c");
        TestRecord<byte[], byte[]> dead = router.take(Lane.DEAD_LETTER).getFirst();
        assertThat(header(dead, "spillway-id")).isEqualTo("id-1~d");
        assertThat(header(dead, "spillway-dead-reason")).isEqualTo("expired");
        assertThat(header(dead, "spillway-origin")).as("its identity").isEqualTo("spillway.ingress-0-0~d");

        advance(1_000);
        assertThat(router.take(Lane.HOT)).as("one is paused").isEmpty();
        subscribe("acme", "b", "*");
        advance(1_000);
        assertThat(ids(router.take(Lane.HOT))).containsExactly("id-1~b");
    }

    @Test
    void a_scheduled_item_is_divided_when_it_is_due_and_one_of_a_paused_tenant_when_it_goes_on() {
        subscribe("acme", "a", "*");
        router.send(item("acme", "id-1", START_MILLIS, "w"),
                headers("spillway-deliver-at", "" + (START_MILLIS + 5_000)));
        advance(4_000);
        assertThat(router.take(Lane.HOT)).isEmpty();
        advance(1_100);
        assertThat(ids(router.take(Lane.HOT))).containsExactly("id-1~a");

        router.set("acme", PolicyField.PAUSED, "true");
        router.send(item("acme", "id-2", START_MILLIS, "w"));
        advance(1_000);
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.set("acme", PolicyField.PAUSED, "false");
        advance(1_000);
        TestRecord<byte[], byte[]> resumed = router.only(Lane.HOT);
        assertThat(header(resumed, "spillway-id")).isEqualTo("id-2~a");
        assertThat(header(resumed, "spillway-lane-reason")).as("its wait counts from the resume").isEqualTo("due");
    }

    @Test
    void many_deliveries_are_made_step_by_step_while_other_items_pass() {
        IntStream.range(0, 1_000).forEach(i -> subscribe("acme", "s" + (1_000 + i), "*"));
        router.send(item("acme", "id-1", START_MILLIS, "w"));
        List<TestRecord<byte[], byte[]>> steps = new ArrayList<>(router.take(Lane.HOT));
        assertThat(steps).as("the first step, of the delay stage").hasSize(256);
        int most = 0;
        for (int i = 0; i < 100; i++) {
            advance(10);
            List<TestRecord<byte[], byte[]>> step = router.take(Lane.HOT);
            most = Math.max(most, step.size());
            steps.addAll(step);
        }
        assertThat(most).isLessThanOrEqualTo(256);
        assertThat(ids(steps)).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(steps).allSatisfy(each -> {
            assertThat(header(each, "spillway-lane-reason")).as("its age counts").isNull();
            assertThat(header(each, "spillway-due")).isNull();
            assertThat(header(each, "spillway-next-delivery")).isNull();
        });
        advance(60_000);
        assertThat(router.take(Lane.HOT)).as("none comes twice").isEmpty();
        assertThat(router.registry.get("spillway.deliveries").counter().count()).isEqualTo(1_000);
    }

    @Test
    void large_items_have_fewer_deliveries_at_once() {
        try (RouterHarness large = RouterHarness.configured(Map.of("topics.maxBytes", "2000000"))) {
            IntStream.range(0, 20).forEach(i -> large.policies.put("acme/s" + (10 + i), TenantPolicies.encode(
                    "acme", new Subscription("s" + (10 + i), "*", PolicySettings.NONE_SET))));
            large.send(new byte[1_047_000], headers("spillway-tenant", "acme"));
            assertThat(large.take(Lane.HOT)).as("8 MiB").hasSize(8);
            large.advance(Duration.ofMillis(30));
            large.advance(Duration.ofMillis(30));
            assertThat(large.take(Lane.HOT)).hasSize(12);
        }
    }

    @Test
    void deliveries_go_on_after_a_restart_where_they_were() {
        IntStream.range(0, 600).forEach(i -> subscribe("acme", "s" + (1_000 + i), "*"));
        router.send(item("acme", "id-1", START_MILLIS, "w"));
        List<String> before = ids(router.take(Lane.HOT));
        assertThat(before).hasSize(256);
        router.restart();
        router.policies.remove(TenantPolicies.key("acme", "s1599"));
        advance(30);
        advance(30);
        List<String> after = ids(router.take(Lane.HOT));
        assertThat(after).hasSize(600 - 256 - 1).doesNotContainAnyElementsOf(before).doesNotContain("id-1~s1599");
    }

    @Test
    void an_item_whose_subscriptions_are_all_removed_in_between_is_not_handled_as_well() {
        IntStream.range(0, 300).forEach(i -> subscribe("acme", "s" + (1_000 + i), "*"));
        router.send(item("acme", "id-1", START_MILLIS, "w"));
        assertThat(router.take(Lane.HOT)).hasSize(256);
        IntStream.range(0, 300).forEach(i -> router.policies.remove(TenantPolicies.key("acme", "s" + (1_000 + i))));
        advance(1_000);
        assertThat(router.take(Lane.HOT)).isEmpty();
    }

    @Test
    void an_item_that_was_attempted_before_the_subscription_came_is_not_divided() {
        subscribe("acme", "a", "*");
        router.sendDelayed(item("acme", "id-1", START_MILLIS, "w"), headers("spillway-due", "" + START_MILLIS,
                "spillway-origin", "i-0-0", "spillway-attempt", "1"));
        assertThat(header(router.only(Lane.HOT), "spillway-id")).isNull();
    }

    @Test
    void ids_of_deliveries_are_never_too_long_and_never_equal() {
        subscribe("acme", "a", "*");
        subscribe("acme", "b", "*");
        router.send(item("acme", "i".repeat(256), START_MILLIS, "w"));
        Headers other = headers("spillway-tenant", "acme");
        router.send("text".getBytes(), other);
        List<String> ids = ids(router.take(Lane.HOT));
        assertThat(Set.copyOf(ids)).hasSize(4);
        assertThat(ids).allSatisfy(id -> assertThat(id).hasSizeLessThanOrEqualTo(256));
        assertThat(ids.get(2)).isEqualTo("spillway.ingress-0-1~a");
    }

    private void subscribe(String tenant, String name, String pattern) {
        put(tenant, new Subscription(name, pattern, PolicySettings.NONE_SET));
    }

    private void subscribe(String tenant, String name, String pattern, PolicyField field, String value) {
        put(tenant, new Subscription(name, pattern, PolicySettings.NONE_SET.with(field, value)));
    }

    private void put(String tenant, Subscription subscription) {
        router.policies.put(
                TenantPolicies.key(tenant, subscription.name()), TenantPolicies.encode(tenant, subscription));
    }

    private void advance(long millis) {
        router.advance(Duration.ofMillis(millis));
    }

    private static List<String> ids(List<TestRecord<byte[], byte[]>> records) {
        return records.stream().map(each -> header(each, "spillway-id")).toList();
    }
}
