package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.kafka.view.TenantPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;

/** Items of paused tenants and workloads in the router. */
class PausedTest extends ParkedScene {
    @Test
    void items_of_a_paused_tenant_are_held_also_over_a_restart_and_leave_once_paced_and_oldest_first() {
        pause("acme", true);
        for (int i = 0; i < 500; i++) {
            send("acme", START_MILLIS - 10_000 + i * 7919 % 500, "");
        }
        send("globex", START_MILLIS, "");
        assertThat(router.take(Lane.HOT)).extracting(each -> header(each, "x-tenant")).containsExactly("globex");
        advance(5_000);
        assertThat(parked()).hasSize(500);
        assertThat(paused("acme")).isEqualTo(500);
        assertThat(gauges()).as("they do not wait for the retry budget").isZero();
        assertThat(router.count("spillway.routed", "reason", "paused")).isEqualTo(500);

        router.restart();
        advance(5_000);
        assertThat(parked()).hasSize(500);
        assertThat(paused("acme")).as("counted again").isEqualTo(500);
        assertThat(router.take(Lane.HOT)).isEmpty();

        pause("acme", false);
        advance(200);
        List<TestRecord<byte[], byte[]>> first = router.take(Lane.HOT);
        assertThat(first).as("at most 100 in 50 ms").hasSizeBetween(100, 500 - 1);
        advance(1_000);
        List<TestRecord<byte[], byte[]>> all = new ArrayList<>(first);
        all.addAll(router.take(Lane.HOT));
        assertThat(all).extracting(each -> header(each, "x-enqueued"))
                .containsExactlyElementsOf(IntStream.range(0, 500)
                        .mapToObj(i -> Long.toString(START_MILLIS - 10_000 + i)).toList());
        assertThat(all).allSatisfy(each -> assertThat(header(each, "spillway-lane-reason")).isEqualTo("due"));
        assertThat(parked()).isEmpty();
        assertThat(paused("acme")).isZero();
        advance(MINUTE_MILLIS);
        assertThat(router.take(Lane.HOT)).as("none comes twice").isEmpty();
    }

    @Test
    void a_paused_workload_is_held_and_the_others_of_its_tenant_go_on() {
        workload(true, false);
        send("acme", START_MILLIS, "mail");
        send("acme", START_MILLIS, "export");
        assertThat(header(router.only(Lane.HOT), "x-workload")).isEqualTo("export");

        workload(true, true);
        send("acme", START_MILLIS, "mail");
        send("acme", START_MILLIS, "export");
        assertThat(parked()).hasSize(3);
        router.restart();
        workload(true, false);
        advance(1_000);
        assertThat(header(router.only(Lane.HOT), "x-workload")).as("the tenant is resumed").isEqualTo("export");
        assertThat(parked()).hasSize(2);
        workload(false, false);
        advance(1_000);
        assertThat(router.take(Lane.HOT)).hasSize(2);
        assertThat(parked()).isEmpty();
    }

    @Test
    void resumed_tenants_take_turns() {
        for (String tenant : List.of("a", "b", "c")) {
            pause(tenant, true);
            for (int i = 0; i < 10; i++) {
                send(tenant, START_MILLIS + i, "");
            }
        }
        for (String tenant : List.of("a", "b", "c")) {
            pause(tenant, false);
        }
        advance(200);
        List<String> order = router.take(Lane.HOT).stream().map(each -> header(each, "x-tenant")).toList();
        assertThat(order).hasSize(30);
        for (int i = 0; i < 30; i += 3) {
            assertThat(order.subList(i, i + 3)).containsExactlyInAnyOrder("a", "b", "c");
        }
    }

    @Test
    void a_held_item_ends_at_its_time_and_one_that_was_swept_meanwhile_is_dropped_when_it_is_resumed() {
        PolicySettings limits = PolicySettings.NONE_SET.with(PolicyField.EXPIRE_AFTER, "10m")
                .with(PolicyField.SWEEPABLE, "true");
        set(limits.with(PolicyField.PAUSED, "true"));
        send("acme", START_MILLIS - 9 * MINUTE_MILLIS, "");
        send("acme", START_MILLIS - 5 * MINUTE_MILLIS, "");
        advance(MINUTE_MILLIS + 400);
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-reason")).isEqualTo("expired");
        assertThat(parked()).hasSize(1);

        router.sweep("acme", router.nowMillis() + 2 * MINUTE_MILLIS, router.nowMillis() + 2 * MINUTE_MILLIS);
        advance(2 * MINUTE_MILLIS + 1_000);
        set(limits);
        advance(400);
        assertThat(router.dropped()).isEqualTo(1);
        assertThat(parked()).isEmpty();
        assertThat(router.take(Lane.HOT)).isEmpty();
    }

    @Test
    void retries_of_a_paused_tenant_are_held_without_use_of_the_budget_and_ask_it_when_resumed() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int i = 0; i < 20; i++) {
            retry("acme", START_MILLIS - i, 0);
        }
        assertThat(gauges()).as("parked by the budget").isZero();
        assertThat(parked()).hasSize(20);

        set(PolicySettings.NONE_SET.with(PolicyField.RETRY_TOKENS, "1").with(PolicyField.PAUSED, "true"));
        retry("acme", START_MILLIS - 20, 500);
        succeed("acme", 4);
        advance(5_000);
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(paused("acme")).as("those that the budget would have let go, and a new one").isPositive();
        assertThat(parked()).hasSize(21);

        tokens("acme", 1);
        advance(5_000);
        assertThat(parked()).as("they ask the budget again").hasSizeBetween(1, 20);
        assertThat(paused("acme")).isZero();
        succeed("acme", 100);
        assertThat(router.take(Lane.HOT)).hasSize(21);
        assertThat(parked()).isEmpty();
    }

    private void pause(String tenant, boolean paused) {
        router.set(tenant, PolicyField.PAUSED, Boolean.toString(paused));
    }

    /** Pauses the workload mail, and the tenant acme. */
    private void workload(boolean mail, boolean tenant) {
        set(PolicySettings.NONE_SET.with(PolicyField.PAUSED, Boolean.toString(tenant))
                .withWorkload("mail", new WorkloadPolicy(1, Integer.MAX_VALUE, Double.POSITIVE_INFINITY, mail)));
    }

    private void set(PolicySettings acme) {
        router.policies.put("acme", TenantPolicies.encode("acme", acme));
    }

    private void send(String tenant, long enqueuedAtMillis, String workload) {
        router.send(item(tenant, "id-1", enqueuedAtMillis, workload), RouterHarness.headers(
                "x-tenant", tenant, "x-enqueued", Long.toString(enqueuedAtMillis), "x-workload", workload));
    }

    private double paused(String tenant) {
        router.delays.electTenants();
        return router.registry.get("spillway.delay.paused").gauges().stream()
                .filter(each -> tenant.equals(each.getId().getTag("tenant"))).mapToDouble(each -> each.value()).sum();
    }
}
