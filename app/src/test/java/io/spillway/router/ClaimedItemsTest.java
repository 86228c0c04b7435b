package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Items in delay whose attempts run, with a lease of 30 s. */
class ClaimedItemsTest {
    private static final String CLAIM = "worker-1-5-1";
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void an_item_whose_worker_is_lost_starts_again_when_its_lease_has_ended() {
        claim();
        router.advance(LEASE.minusMillis(1));
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.advance(Duration.ofMillis(1));
        TestRecord<byte[], byte[]> again = router.only(Lane.HOT);
        assertThat(header(again, ItemHeaders.LOST)).isEqualTo("1");
        assertThat(again.headers().lastHeader(ItemHeaders.CLAIM)).isNull();
        assertThat(again.value()).isEqualTo(item("acme", START_MILLIS));
        assertThat(stored()).isZero();
        assertThat(router.count("spillway.delay.claims", "result", "expired")).isEqualTo(1);
    }

    @Test
    void an_item_that_is_done_leaves_nothing() {
        claim();
        settle(ClaimResult.DONE, headers());
        assertThat(stored()).isZero();
        router.advance(LEASE.plusMinutes(2));
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(router.count("spillway.delay.claims", "result", "done")).isEqualTo(1);
    }

    @Test
    void an_item_that_failed_has_the_headers_of_its_result_and_waits_for_its_retry() {
        claim();
        settle(ClaimResult.DELAYED, headers(ItemHeaders.LANE_REASON, "retry", ItemHeaders.ATTEMPT, "1",
                ItemHeaders.DUE, Long.toString(START_MILLIS + 2_000)));
        router.advance(Duration.ofMillis(1_999));
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.advance(Duration.ofMillis(1));
        TestRecord<byte[], byte[]> again = router.only(Lane.HOT);
        assertThat(header(again, ItemHeaders.ATTEMPT)).isEqualTo("1");
        assertThat(again.key()).isEqualTo("key".getBytes());
        assertThat(again.value()).isEqualTo(item("acme", START_MILLIS));
        assertThat(again.headers().lastHeader(ItemHeaders.CLAIM_RESULT)).isNull();
    }

    @Test
    void an_item_that_failed_for_good_is_the_dead_letter_that_its_worker_wrote() {
        claim();
        settle(ClaimResult.DEAD, headers(ItemHeaders.DEAD_REASON, "final-failure", ItemHeaders.DEAD_DETAIL, "no such",
                ItemHeaders.DEAD_STAGE, "worker", ItemHeaders.DEAD_FAILURE, "trace"));
        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(header(dead, ItemHeaders.DEAD_DETAIL)).isEqualTo("no such");
        assertThat(header(dead, ItemHeaders.DEAD_STAGE)).isEqualTo("worker");
        assertThat(header(dead, ItemHeaders.DEAD_FAILURE)).isEqualTo("trace");
        assertThat(dead.headers().lastHeader(ItemHeaders.CLAIM)).isNull();
        assertThat(dead.value()).isEqualTo(item("acme", START_MILLIS));
        assertThat(stored()).isZero();
    }

    @Test
    void an_item_whose_attempt_was_interrupted_starts_again_at_once_and_no_loss_counts() {
        claim();
        settle(ClaimResult.RELEASED, headers());
        assertThat(router.only(Lane.HOT).headers().lastHeader(ItemHeaders.LOST)).isNull();
    }

    @Test
    void a_lease_that_is_extended_ends_later() {
        claim();
        settle(ClaimResult.RENEWED, headers(ItemHeaders.DUE, Long.toString(START_MILLIS + 100_000)));
        router.advance(Duration.ofMillis(99_999));
        assertThat(router.take(Lane.HOT)).isEmpty();
        router.advance(Duration.ofMillis(1));
        router.only(Lane.HOT);
    }

    @Test
    void a_result_that_was_written_in_time_counts_if_it_is_read_late() {
        router.advance(Duration.ofMinutes(5));
        claim();
        settle(ClaimResult.DONE, headers());
        router.advance(Duration.ofMinutes(5));
        assertThat(router.take(Lane.HOT)).isEmpty();
    }

    @Test
    void the_result_of_an_item_that_started_again_is_refused() {
        claim();
        router.advance(LEASE);
        router.only(Lane.HOT);
        settle(ClaimResult.DEAD, headers(ItemHeaders.DEAD_REASON, "final-failure"));
        settle(ClaimResult.RENEWED, headers(ItemHeaders.DUE, Long.toString(START_MILLIS + 100_000)));
        assertThat(router.take(Lane.DEAD_LETTER)).isEmpty();
        assertThat(router.count("spillway.delay.claims", "result", "refused")).isEqualTo(2);
    }

    @Test
    void a_result_is_counted_once() {
        claim();
        settle(ClaimResult.RELEASED, headers());
        settle(ClaimResult.RELEASED, headers());
        router.only(Lane.HOT);
    }

    @Test
    void claims_survive_a_restart() {
        claim();
        router.restart();
        router.advance(Duration.ofSeconds(10));
        settle(ClaimResult.DONE, headers());
        router.advance(LEASE);
        assertThat(router.take(Lane.HOT)).isEmpty();
        assertThat(stored()).isZero();
    }

    @Test
    void an_item_beyond_its_time_to_live_is_not_dropped_while_its_attempt_has_a_lease() {
        router.set("acme", PolicyField.TTL, "10s");
        claim();
        router.advance(Duration.ofSeconds(20));
        assertThat(router.dropped()).isZero();
        settle(ClaimResult.DONE, headers());
        router.advance(LEASE);
        assertThat(router.dropped()).isZero();
    }

    @Test
    void a_result_that_this_release_does_not_know_changes_nothing() {
        claim();
        router.sendDelayed(null, mark(headers(ItemHeaders.CLAIM_RESULT, "eaten")));
        router.advance(LEASE);
        router.only(Lane.HOT);
    }

    @Test
    void records_of_other_writers_settle_nothing() {
        claim();
        router.sendDelayed(item("acme", START_MILLIS), headers(
                ItemHeaders.CLAIM, CLAIM, ItemHeaders.CLAIM_RESULT, "done", ItemHeaders.DUE, "0"));
        TestRecord<byte[], byte[]> other = router.only(Lane.HOT);
        assertThat(other.headers().lastHeader(ItemHeaders.CLAIM)).isNull();
        router.advance(LEASE);
        assertThat(header(router.only(Lane.HOT), ItemHeaders.LOST)).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({"RELEASED, due", "EXPIRED, lost"})
    void of_a_tracked_tenant_an_attempt_that_is_over_does_not_run_on_while_the_tenant_is_paused(
            ClaimResult result, String reason) {
        try (RouterHarness tracked = RouterHarness.configured(Map.of("topics.trail", "1h"))) {
            tracked.policies.put("acme", TenantPolicies.encode("acme", PolicySettings.NONE_SET
                    .with(PolicyField.TRACKED, "true").with(PolicyField.PAUSED, "true")));
            claim(tracked);
            if (result == ClaimResult.RELEASED) {
                settle(tracked, result, headers());
            } else {
                tracked.advance(LEASE);
            }
            assertThat(tracked.trail()).singleElement()
                    .satisfies(told -> assertThat(new String(told.value())).isEqualTo("delay " + reason));
            assertThat(tracked.take(Lane.HOT)).isEmpty();
        }
    }

    private void claim() {
        claim(router);
    }

    private static void claim(RouterHarness router) {
        router.sendDelayed(item("acme", START_MILLIS), mark(headers(ItemHeaders.LANE_REASON, "claimed",
                ItemHeaders.DUE, Long.toString(START_MILLIS + LEASE.toMillis()))));
    }

    private void settle(ClaimResult result, Headers headers) {
        settle(router, result, headers);
    }

    private static void settle(RouterHarness router, ClaimResult result, Headers headers) {
        router.sendDelayed(null, mark(headers).add(ItemHeaders.CLAIM_RESULT, result.label().getBytes()));
    }

    private static Headers mark(Headers headers) {
        return headers.add(ItemHeaders.CLAIM, CLAIM.getBytes())
                .add(ItemHeaders.ORIGIN, "spillway.ingress-0-7".getBytes());
    }

    private int stored() {
        int stored = 0;
        try (var all = router.timers().all()) {
            while (all.hasNext()) {
                all.next();
                stored++;
            }
        }
        return stored;
    }
}
