package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
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
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Delay stage with retries that the budget refuses. A trickle grants one at once, and the next after a day. */
abstract class ParkedScene {
    static final long MINUTE_MILLIS = 60_000;

    final RouterHarness router = RouterHarness.withRocksDb(Map.of(
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

    double gauges() {
        return router.registry.get("spillway.delay.parked").gauges().stream().mapToDouble(each -> each.value()).sum();
    }

    /** Sets the most retries that a tenant can save up. */
    void tokens(String tenant, int most) {
        router.set(tenant, PolicyField.RETRY_TOKENS, Integer.toString(most));
    }

    /** Uses up the saved retries and the trickle. */
    void spend(String tenant, int most) {
        for (int i = 0; i < most; i++) {
            retry(tenant, START_MILLIS, 0);
        }
        assertThat(router.take(Lane.HOT)).hasSize(most);
        assertThat(parked(tenant)).isZero();
    }

    void retry(String tenant, long enqueuedAtMillis, long waitMillis, String... more) {
        retry(tenant, enqueuedAtMillis, 1, waitMillis, more);
    }

    void retry(String tenant, long enqueuedAtMillis, int attempts, long waitMillis, String... more) {
        Headers headers = headers(more);
        for (Map.Entry<String, Object> each : Map.<String, Object>of("spillway-origin", "spillway.ingress-0-1",
                "spillway-attempt", attempts, "spillway-lane-reason", "retry", "x-tenant", tenant, "x-enqueued",
                enqueuedAtMillis, "spillway-due", router.nowMillis() + waitMillis).entrySet()) {
            headers.add(each.getKey(), each.getValue().toString().getBytes(StandardCharsets.UTF_8));
        }
        router.sendDelayed(item(tenant, enqueuedAtMillis), headers);
    }

    /** Reports retries that succeeded, and lets the stage read it. */
    void succeed(String tenant, long retries) {
        router.mailboxes.offer(List.of(succeeded("", tenant, retries)));
        advance(400);
    }

    static AttemptCounts succeeded(String destination, String tenant, long firsts) {
        return new AttemptCounts(new RetryKey(destination, tenant), AttemptCounts.UNKNOWN, firsts, firsts, 0, 0);
    }

    void advance(long millis) {
        for (long left = millis; left > 0; left -= 200) {
            router.advance(Duration.ofMillis(Math.min(left, 200)));
        }
    }

    long parked(String tenant) {
        return parked().stream().filter(each -> new String(each.value, StandardCharsets.ISO_8859_1)
                .contains("x-tenant" + (char) (tenant.length() + 1) + tenant)).count();
    }

    List<KeyValue<Bytes, byte[]>> parked() {
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

    double routed() {
        return router.registry.get("spillway.routed").counters().stream().mapToDouble(each -> each.count()).sum();
    }
}
