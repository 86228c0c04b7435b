package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Retries that the budget refuses. A trickle grants one retry at once, and the next after a day. */
class ParkedRetriesTest {
    private static final long MINUTE_MILLIS = 60_000;

    private final RouterHarness router = RouterHarness.withRocksDb(Map.of(
            "topics.partitions", "1", "retry.destinationTokens", "1000",
            "retry.destinationTrickle", "1d", "retry.tenantTrickle", "1d", "retry.earnedByFirst", "0"));

    @BeforeEach
    void keep() {
        router.set("*", PolicyField.AGED_AFTER, "none");
    }

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void ten_thousand_refused_items_stay_and_nothing_goes_round() {
        tokens("acme", 20);
        for (int i = 0; i < 10_000; i++) {
            retry("acme", START_MILLIS, 1_000);
        }
        advance(20_000);
        assertThat(router.take(Lane.HOT)).as("saved retries, and the trickle").hasSize(21)
                .allSatisfy(each -> assertThat(header(each, "spillway-granted-by")).isEqualTo("0"));
        assertThat(parked()).hasSize(10_000 - 21);

        advance(MINUTE_MILLIS);
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(router.take(Lane.AGED)).isEmpty();
        assertThat(router.take(Lane.OVERFLOW)).isEmpty();
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        assertThat(parked()).hasSize(10_000 - 21);
        assertThat(routed()).isEqualTo(21);
    }

    @Test
    void the_oldest_items_of_a_tenant_go_first_also_before_new_ones() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int age : new int[] {5, 9, 1, 7, 3, 8, 2, 6, 4}) {
            retry("acme", START_MILLIS - age * MINUTE_MILLIS, 100);
            advance(200);
        }
        succeed("acme", 2);
        assertThat(ages(router.take(Lane.HOT))).containsExactly(9L, 8L);

        retry("acme", START_MILLIS - 10 * MINUTE_MILLIS, 0);
        assertThat(router.take(Lane.HOT)).as("not before the others, although there may be a token").isEmpty();
        succeed("acme", 3);
        assertThat(ages(router.take(Lane.HOT))).startsWith(10L, 7L, 6L);
        succeed("acme", 50);
        assertThat(parked()).isEmpty();
    }

    @Test
    void tenants_take_turns_and_a_success_of_one_releases_no_item_of_another() {
        for (String tenant : List.of("a", "b", "c")) {
            tokens(tenant, 1);
            spend(tenant, 2);
            for (int i = 0; i < 10; i++) {
                retry(tenant, START_MILLIS - i, 0);
            }
        }
        assertThat(parked()).hasSize(30);
        router.mailboxes.offer(List.of(succeeded("", "a", 4), succeeded("", "b", 4), succeeded("", "c", 2)));
        advance(200);

        List<String> order = router.take(Lane.HOT).stream().map(each -> header(each, "x-tenant")).toList();
        assertThat(order).hasSize(10);
        assertThat(order.subList(0, 3)).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(order.subList(3, 6)).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(order).filteredOn("c"::equals).hasSize(2);
    }

    @Test
    void destinations_have_budgets_of_their_own() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int i = 0; i < 4; i++) {
            retry("acme", START_MILLIS, 0, "spillway-destination", i % 2 == 0 ? "x" : "y");
        }
        assertThat(router.take(Lane.HOT)).as("a saved retry and the trickle of each").hasSize(4);
        retry("acme", START_MILLIS, 0, "spillway-destination", "x");
        retry("acme", START_MILLIS, 0, "spillway-destination", "y");
        assertThat(parked()).hasSize(2);

        router.mailboxes.offer(List.of(succeeded("y", "acme", 1)));
        advance(200);
        assertThat(header(router.only(Lane.HOT), "spillway-destination")).isEqualTo("y");
    }

    @ParameterizedTest(name = "attempts {0}, reason {1}: asks {2}")
    @CsvSource({
        "1, retry, true", "3, retry-budget, true", "0, retry, false", "1, capped, false", "1, later, false",
        "1, -, false", "0, -, false"})
    void only_retries_ask_the_budget(String attempts, String reason, boolean asks) {
        tokens("acme", 1);
        spend("acme", 2);
        router.sendDelayed(item("acme", START_MILLIS), headers(
                "spillway-origin", "i-0-0", "spillway-due", Long.toString(START_MILLIS + 1_000),
                "spillway-attempt", attempts, "spillway-lane-reason", reason));
        advance(2_000);
        assertThat(router.take(Lane.HOT)).hasSize(asks ? 0 : 1);
        assertThat(parked()).hasSize(asks ? 1 : 0);
    }

    @Test
    void parked_items_survive_a_restart_in_their_order() {
        for (String tenant : List.of("a", "b", "c")) {
            tokens(tenant, 1);
            spend(tenant, 2);
            for (int i = 0; i < 400; i++) {
                retry(tenant, START_MILLIS - 1_000 + i, 0);
            }
        }
        assertThat(parked()).hasSize(1_200);
        router.restart();
        advance(200);
        assertThat(parked()).as("a new gate has one saved retry and a trickle for each").hasSize(1_194);
        assertThat(router.take(Lane.HOT)).extracting(each -> header(each, "x-enqueued")).containsOnly(
                Long.toString(START_MILLIS - 1_000), Long.toString(START_MILLIS - 999));
        advance(400);
        router.delays.electTenants();
        assertThat(gauges()).as("all are counted again").isEqualTo(1_194);

        for (String tenant : List.of("a", "b", "c")) {
            succeed(tenant, 500);
        }
        assertThat(router.take(Lane.HOT)).hasSize(1_194);
        assertThat(parked()).isEmpty();
        assertThat(gauges()).isZero();
    }

    @Test
    void items_with_fewer_attempts_go_first_and_each_ends_at_its_time() {
        tokens("acme", 1);
        spend("acme", 2);
        int[] attempts = {4, 2, 1, 9, 3};
        for (int i = 0; i < attempts.length; i++) {
            retry("acme", START_MILLIS + (i - 10) * MINUTE_MILLIS, attempts[i], 0);
        }
        assertThat(parked()).hasSize(5);
        succeed("acme", 3);
        assertThat(router.take(Lane.HOT)).extracting(each -> header(each, "spillway-attempt"))
                .containsExactly("1", "2", "3");
        advance(6 * 60 * MINUTE_MILLIS - 10 * MINUTE_MILLIS);
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-attempt")).isEqualTo("4");
        advance(3 * MINUTE_MILLIS + 200);
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-attempt")).isEqualTo("9");
        assertThat(parked()).isEmpty();
    }

    @Test
    void items_parked_by_an_earlier_version_are_found_and_go_in_the_order_of_now() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int i = 0; i < 300; i++) {
            retry("acme", START_MILLIS - i, 1 + i % 2, 0);
        }
        for (KeyValue<Bytes, byte[]> each : parked()) {
            byte[] key = each.key.get();
            byte[] earlier = Arrays.copyOf(key, 25);
            System.arraycopy(key, 10, earlier, 9, 16);
            router.timers().delete(each.key);
            router.timers().put(Bytes.wrap(earlier), each.value);
        }
        assertThat(parked()).isEmpty();
        router.restart();
        advance(1_000);
        assertThat(parked()).hasSize(298);
        assertThat(router.take(Lane.HOT)).as("a saved retry, and the trickle")
                .extracting(each -> header(each, "x-enqueued"))
                .containsExactly(Long.toString(START_MILLIS - 298), Long.toString(START_MILLIS - 296));
        router.delays.electTenants();
        assertThat(gauges()).isEqualTo(298);
        succeed("acme", 500);
        assertThat(router.take(Lane.HOT)).hasSize(298);
        assertThat(parked()).isEmpty();
        assertThat(gauges()).isZero();
    }

    @Test
    void timers_stored_by_an_earlier_version_fire_and_ask_the_budget() {
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS, 5_000);
        KeyValue<Bytes, byte[]> timer;
        try (KeyValueIterator<Bytes, byte[]> all = router.timers().all()) {
            timer = all.next();
        }
        router.advance(Duration.ofSeconds(10));
        assertThat(parked()).hasSize(1);
        assertThat(parked().getFirst().value).as("the record is stored as it was").isEqualTo(timer.value);
        assertThat(timer.key.get()).as("due time and offset").hasSize(16);
    }

    @Test
    void a_damaged_parked_item_is_a_dead_letter_and_does_not_hold_up_the_others() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int i = 0; i < 3; i++) {
            retry("acme", START_MILLIS + i - 10, 0);
        }
        router.timers().put(parked().getFirst().key, new byte[] {9, 9});
        router.timers().put(parked().get(1).key, new byte[0]);
        router.restart();
        advance(200);
        assertThat(router.take(Lane.DEAD_LETTER)).hasSize(2)
                .allSatisfy(each -> assertThat(header(each, "spillway-dead-reason")).isEqualTo("router-error"));
        assertThat(router.take(Lane.HOT)).hasSize(1);
        assertThat(parked()).isEmpty();
    }

    @Test
    void a_parked_item_becomes_a_dead_letter_at_its_end_without_an_attempt() {
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS - 2 * MINUTE_MILLIS, 0);
        retry("acme", START_MILLIS, 0);
        advance(6 * 60 * MINUTE_MILLIS - 2 * MINUTE_MILLIS - 1_000);
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        assertThat(parked()).hasSize(2);
        advance(1_200);
        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(header(dead, "spillway-dead-reason")).isEqualTo("retry-time-over");
        assertThat(header(dead, "spillway-attempt")).isEqualTo("1");
        advance(2 * MINUTE_MILLIS);
        router.only(Lane.DEAD_LETTER);
        assertThat(parked()).isEmpty();
    }

    @Test
    void an_item_ends_before_its_backoff_is_over() {
        router.set("acme", PolicyField.RETRY_FOR, "1m");
        retry("acme", START_MILLIS, 5 * MINUTE_MILLIS);
        advance(MINUTE_MILLIS - 200);
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        advance(400);
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-dead-reason")).isEqualTo("retry-time-over");
    }

    @Test
    void a_clock_that_steps_forward_ends_no_item() {
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS, 0);
        retry("acme", START_MILLIS, 30 * MINUTE_MILLIS);
        router.stepClock(Duration.ofHours(7));
        advance(5_000);
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(parked()).hasSize(2);
    }

    @Test
    void an_item_whose_tenant_may_retry_for_longer_now_waits_on() {
        router.set("acme", PolicyField.RETRY_FOR, "10m");
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS, 0);
        router.set("acme", PolicyField.RETRY_FOR, "30m");
        advance(20 * MINUTE_MILLIS);
        assertThat(parked()).hasSize(1);
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
    }

    @Test
    void the_gauge_names_the_tenants_with_most_parked_items() {
        for (String tenant : List.of("a", "b", "c")) {
            tokens(tenant, 1);
            spend(tenant, 2);
        }
        for (int i = 0; i < 60; i++) {
            retry(i < 5 ? "a" : i < 25 ? "b" : "c", START_MILLIS, 0);
        }
        advance(400);
        router.delays.electTenants();
        assertThat(gauges()).isEqualTo(60);
        assertThat(router.registry.get("spillway.delay.parked").gauges()).as("two tenants and all others").hasSize(3);
        assertThat(router.registry.get("spillway.delay.parked").tag("tenant", "*other*").gauge().value()).isPositive();
    }

    private double gauges() {
        return router.registry.get("spillway.delay.parked").gauges().stream().mapToDouble(each -> each.value()).sum();
    }

    /** Sets the most retries that a tenant can save up. */
    private void tokens(String tenant, int most) {
        router.set(tenant, PolicyField.RETRY_TOKENS, Integer.toString(most));
    }

    /** Uses up the saved retries and the trickle. */
    private void spend(String tenant, int most) {
        for (int i = 0; i < most; i++) {
            retry(tenant, START_MILLIS, 0);
        }
        assertThat(router.take(Lane.HOT)).hasSize(most);
        assertThat(parked(tenant)).isZero();
    }

    private void retry(String tenant, long enqueuedAtMillis, long waitMillis, String... more) {
        retry(tenant, enqueuedAtMillis, 1, waitMillis, more);
    }

    private void retry(String tenant, long enqueuedAtMillis, int attempts, long waitMillis, String... more) {
        Headers headers = headers(more);
        for (Map.Entry<String, Object> each : Map.<String, Object>of("spillway-origin", "spillway.ingress-0-1",
                "spillway-attempt", attempts, "spillway-lane-reason", "retry", "x-tenant", tenant, "x-enqueued",
                enqueuedAtMillis, "spillway-due", router.nowMillis() + waitMillis).entrySet()) {
            headers.add(each.getKey(), each.getValue().toString().getBytes(StandardCharsets.UTF_8));
        }
        router.sendDelayed(item(tenant, enqueuedAtMillis), headers);
    }

    /** Reports retries that succeeded, and lets the stage read it. */
    private void succeed(String tenant, long retries) {
        router.mailboxes.offer(List.of(succeeded("", tenant, retries)));
        advance(400);
    }

    private static AttemptCounts succeeded(String destination, String tenant, long firsts) {
        return new AttemptCounts(new RetryKey(destination, tenant), AttemptCounts.UNKNOWN, firsts, firsts, 0, 0);
    }

    private void advance(long millis) {
        for (long left = millis; left > 0; left -= 200) {
            router.advance(Duration.ofMillis(Math.min(left, 200)));
        }
    }

    private static List<Long> ages(List<TestRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(each -> (START_MILLIS - Long.parseLong(header(each, "x-enqueued"))) / MINUTE_MILLIS).toList();
    }

    private long parked(String tenant) {
        return parked().stream().filter(each -> new String(each.value, StandardCharsets.ISO_8859_1)
                .contains("x-tenant" + (char) (tenant.length() + 1) + tenant)).count();
    }

    private List<KeyValue<Bytes, byte[]>> parked() {
        List<KeyValue<Bytes, byte[]>> parked = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> all = router.timers().all()) {
            all.forEachRemaining(each -> {
                if (each.key.get().length == 26) {
                    parked.add(each);
                }
            });
        }
        return parked;
    }

    private double routed() {
        return router.registry.get("spillway.routed").counters().stream().mapToDouble(each -> each.count()).sum();
    }
}
