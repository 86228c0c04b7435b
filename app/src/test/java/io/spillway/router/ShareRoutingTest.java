package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.PolicyField;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A tenant without a rate beside ten quiet ones. Workers of 10 slots handle 100 items a second, so 30 items make hot
 * fall behind.
 */
class ShareRoutingTest {
    private static final Set<Integer> ALL =
            IntStream.range(0, 24).boxed().collect(Collectors.toUnmodifiableSet());

    private RouterHarness router = new RouterHarness();
    private long elapsedMillis;

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void while_hot_is_not_behind_no_tenant_overflows() {
        quiet();
        look(0);
        send("noisy", 25);

        assertThat(router.take(Lane.OVERFLOW)).isEmpty();
        assertThat(router.take(Lane.HOT)).hasSize(35);
    }

    @Test
    void a_burst_overflows_with_its_reason_once_hot_is_behind_and_quiet_tenants_stay_in_hot() {
        quiet();
        look(0);
        send("noisy", 1_000);
        List<TestRecord<byte[], byte[]>> overflowed = router.take(Lane.OVERFLOW);
        assertThat(overflowed).hasSizeGreaterThan(950).allSatisfy(record -> {
            assertThat(header(record, "spillway-lane-reason")).isEqualTo("share");
            assertThat(header(record, "spillway-origin")).isNotNull();
        });
        router.take(Lane.HOT);
        quiet();
        assertThat(router.take(Lane.HOT)).hasSize(10);
        assertThat(router.take(Lane.OVERFLOW)).isEmpty();
        assertThat(router.count("spillway.routed", "reason", "share")).isEqualTo(overflowed.size());
    }

    @Test
    void after_hot_has_caught_up_the_tenant_no_longer_overflows() {
        quiet();
        look(0);
        send("noisy", 1_000);
        assertThat(router.take(Lane.OVERFLOW)).isNotEmpty();
        wait(1_500);
        look(0);
        quiet();
        send("noisy", 10);
        assertThat(router.take(Lane.OVERFLOW)).isEmpty();
    }

    @Test
    void a_worker_report_also_marks_hot_as_behind() {
        quiet();
        for (int i = 0; i < 3; i++) {
            send("noisy", 20);
            wait(100);
            look(500);
        }
        router.take(Lane.OVERFLOW);
        send("noisy", 100);
        assertThat(router.take(Lane.OVERFLOW)).hasSizeGreaterThan(80);
    }

    @Test
    void the_rule_also_applies_to_retries() {
        quiet();
        look(0);
        for (int i = 0; i < 200; i++) {
            router.sendDelayed(item("noisy", START_MILLIS),
                    headers("spillway-origin", "i-0-" + i, "spillway-attempt", "1",
                    "spillway-due", Long.toString(START_MILLIS + 50)));
        }
        wait(100);
        List<TestRecord<byte[], byte[]>> overflowed = router.take(Lane.OVERFLOW);
        assertThat(overflowed).hasSizeGreaterThan(150)
                .allSatisfy(record -> assertThat(header(record, "spillway-lane-reason")).isEqualTo("share"));
        assertThat(router.take(Lane.HOT)).filteredOn(record -> "retry".equals(header(record, "spillway-lane-reason")))
                .hasSize(200 - overflowed.size());
    }

    @Test
    void a_configured_rate_replaces_the_rule() {
        router.set("noisy", PolicyField.RATE, "15");
        quiet();
        look(0);
        send("noisy", 20);

        assertThat(router.take(Lane.OVERFLOW)).hasSize(5)
                .allSatisfy(record -> assertThat(header(record, "spillway-lane-reason")).isEqualTo("rate"));
    }

    @Test
    void hot_stays_short_whatever_rate_was_configured() {
        router.set("noisy", PolicyField.RATE, "500");
        quiet();
        look(0);
        send("noisy", 500);

        assertThat(router.take(Lane.HOT)).as("two targets of a hundred a second").hasSizeLessThan(50);
        assertThat(router.take(Lane.OVERFLOW)).hasSizeGreaterThan(450)
                .allSatisfy(record -> assertThat(header(record, "spillway-lane-reason")).isEqualTo("share"));
    }

    @Test
    void the_protection_can_be_disabled() {
        router.close();
        router = RouterHarness.configured(Map.of("router.protection.multiple", "0"));
        quiet();
        look(5_000);
        send("noisy", 1_000);
        assertThat(router.take(Lane.OVERFLOW)).isEmpty();
    }

    private void quiet() {
        for (int i = 0; i < 10; i++) {
            router.send(item("quiet-" + i, START_MILLIS + elapsedMillis));
        }
    }

    private void send(String tenant, int count) {
        for (int i = 0; i < count; i++) {
            router.send(item(tenant, START_MILLIS + elapsedMillis));
        }
    }

    private void wait(int millis) {
        elapsedMillis += millis;
        router.advance(Duration.ofMillis(millis));
    }

    private void look(double ageMillis) {
        WorkerReport report =
                new WorkerReport(10, 100, 100, 50, 0, ageMillis, Map.of(Lane.HOT, ALL, Lane.OVERFLOW, ALL));
        router.fleet.update(Map.of("worker", report), LaneBacklogs.UNKNOWN, 1, START_MILLIS + elapsedMillis);
    }
}
