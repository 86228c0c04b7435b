package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutingTest {
    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void a_new_item_goes_to_hot_with_key_value_timestamp_and_headers_unchanged() {
        byte[] value = item("acme", START_MILLIS - 1_000);

        router.send(value, headers("traceparent", "00-aa-bb-01", "x", "y"));

        TestRecord<byte[], byte[]> routed = router.only(Lane.HOT);
        assertThat(routed.value()).isEqualTo(value);
        assertThat(routed.key()).isEqualTo("key".getBytes(StandardCharsets.UTF_8));
        assertThat(routed.timestamp()).isEqualTo(START_MILLIS);
        assertThat(Arrays.stream(routed.headers().toArray()).map(Header::key))
                .containsExactly("traceparent", "x", "spillway-origin");
        assertThat(header(routed, "traceparent")).isEqualTo("00-aa-bb-01");
    }

    @Test
    void the_origin_is_the_topic_partition_and_offset_in_ingress() {
        for (int i = 0; i < 12; i++) {
            router.send(item("acme", START_MILLIS));
        }

        assertThat(router.take(Lane.HOT)).extracting(record -> header(record, "spillway-origin"))
                .startsWith("spillway.ingress-0-0", "spillway.ingress-0-1")
                .endsWith("spillway.ingress-0-9", "spillway.ingress-0-10", "spillway.ingress-0-11");
    }

    @Test
    void a_fresh_item_of_hot_that_entered_after_the_task_began_is_offered_to_the_worker_as_it_will_be_read() {
        router.send(item("acme", START_MILLIS));
        assertThat(router.offered).as("it may have been moved by a process that died with it").isEmpty();
        router.take(Lane.HOT);

        router.enteredAtMillis = START_MILLIS + 10_001;
        router.send(item("acme", START_MILLIS));
        router.send(item("acme", START_MILLIS - 3_600_000));
        TestRecord<byte[], byte[]> routed = router.take(Lane.HOT).getFirst();
        assertThat(router.offered).as("the old one is in aged").hasSize(1);
        ProducerRecord<byte[], byte[]> offered = router.offered.getFirst();
        assertThat(offered.value()).isEqualTo(routed.value());
        assertThat(offered.key()).isEqualTo(routed.key());
        assertThat(offered.headers()).isEqualTo(routed.headers());
    }

    @ParameterizedTest(name = "age {0} ms, aged after 5m, ttl {1}: {2}")
    @CsvSource({
        "0,        none, HOT",
        "300000,   none, HOT",
        "300001,   none, AGED",
        "86400000, none, AGED",
        "300001,   10m,  AGED",
        "600000,   10m,  AGED",
        "600001,   10m,  dropped",
        "60000,    1m,   HOT",
        "60001,    1m,   dropped",
    })
    void age_decides_between_hot_aged_and_dropped(long ageMillis, String ttl, String expected) {
        router.set("acme", PolicyField.TTL, ttl);

        router.send(item("acme", START_MILLIS - ageMillis));

        expect(expected, "ttl");
    }

    /** The sweep started a minute and 60 s ago: it covers what is older by more than the margin. */
    @ParameterizedTest(name = "sweepable {0}, sweep of {1}, enqueued {2} ms and entered {3} ms before: {4}")
    @CsvSource({
        "true,  acme,     1,     1, dropped",
        "true,  acme,     0,     1, HOT",
        "true,  acme,     1,     0, HOT",
        "true,  acme, 90000,     0, HOT",
        "true,  acme,     1, 90000, dropped",
        "true,  *,        1,     1, dropped",
        "true,  other,    1,     1, HOT",
        "false, acme,     1,     1, HOT",
        "false, *,        1,     1, HOT",
    })
    void a_completed_sweep_drops_items_that_were_enqueued_and_entered_before_its_start(
            boolean sweepable, String swept, long enqueuedBefore, long enteredBefore, String expected) {
        router.set("acme", PolicyField.SWEEPABLE, Boolean.toString(sweepable));
        router.sweep(swept, START_MILLIS - 60_000, START_MILLIS - 1_000);
        router.enteredAtMillis = START_MILLIS - 120_000 - enteredBefore;

        router.send(item("acme", START_MILLIS - 120_000 - enqueuedBefore));

        expect(expected, "sweep");
    }

    @ParameterizedTest(name = "cancel of {0}, item of {1}, entered {2} ms before it: {3}")
    @CsvSource({
        "!acme,            mail, 1, dropped",
        "!acme,            mail, 0, HOT",
        "!acme/mail,       mail, 1, dropped",
        "!acme/mail,       news, 1, HOT",
        "!acme//item-1,    mail, 1, dropped",
        "!acme//item-2,    mail, 1, HOT",
        "!acme/mail/item-1,mail, 1, dropped",
        "!acme/news/item-1,mail, 1, HOT",
        "!other,           mail, 1, HOT",
    })
    void a_cancel_drops_what_entered_before_it(String key, String workload, long enteredBefore, String expected) {
        String[] parts = key.substring(1).split("/", 3);
        SweepTarget target = new SweepTarget(
                true, parts[0], parts.length > 1 ? parts[1] : "", parts.length > 2 ? parts[2] : "");
        router.sweeps.put(key, Sweeps.encode(new Sweeps.Mark(
                target, "", new Sweep(START_MILLIS - 1_000, START_MILLIS))));
        router.enteredAtMillis = START_MILLIS - 1_000 - enteredBefore;

        router.send(item("acme", START_MILLIS),
                headers("spillway-workload", workload, "spillway-id", "item-1"));

        expect(expected, "cancelled");
    }

    @ParameterizedTest(name = "replay that begins {0} ms after the cancel: {1}")
    @CsvSource({"-1, dropped", "0, HOT", "3600000, HOT"})
    void a_cancel_drops_no_dead_letter_that_is_replayed_after_it(long afterMillis, String expected) {
        router.sweeps.put("!acme", Sweeps.encode(new Sweeps.Mark(
                new SweepTarget(true, "acme", "", ""), "", new Sweep(START_MILLIS - 1_000, START_MILLIS))));
        router.enteredAtMillis = START_MILLIS - 5_000;

        router.sendDelayed(item("acme", START_MILLIS - 5_000), headers(
                "spillway-origin", "spillway.ingress-3-17", "spillway-due", Long.toString(START_MILLIS),
                "spillway-replayed-at", Long.toString(START_MILLIS),
                "spillway-replay-began-at", Long.toString(START_MILLIS - 1_000 + afterMillis)));
        router.advance(Duration.ofMillis(1));

        expect(expected, "cancelled");
    }

    @Test
    void a_sweep_applies_from_its_completion_on() {
        router.set("acme", PolicyField.SWEEPABLE, "true");
        router.sweep("acme", START_MILLIS, START_MILLIS + 10_000);
        router.enteredAtMillis = START_MILLIS - 60_001;
        byte[] made = item("acme", START_MILLIS - 60_001);

        router.send(made);
        router.only(Lane.HOT);
        router.advance(Duration.ofMillis(10_000));
        router.send(made);

        expect("dropped", "sweep");
    }

    @Test
    void items_over_rate_and_burst_overflow_until_time_has_passed() {
        router.set("acme", PolicyField.BURST, "3");
        router.set("acme", PolicyField.RATE, "2");

        sendFresh("acme", 4);
        assertThat(router.take(Lane.HOT)).hasSize(2);
        List<TestRecord<byte[], byte[]>> over = router.take(Lane.OVERFLOW);
        assertThat(over).hasSize(2);
        assertThat(header(over.getFirst(), "spillway-lane-reason")).isEqualTo("rate");

        router.advance(Duration.ofMillis(500));
        sendFresh("acme", 2);
        assertThat(router.take(Lane.HOT)).hasSize(1);
        assertThat(router.take(Lane.OVERFLOW)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"9, true", "8, true", "7, false", "x, false"})
    void an_urgent_item_does_not_wait_behind_the_backlog_of_its_tenant(String priority, boolean isUrgent) {
        router.set("acme", PolicyField.RATE, "1");
        sendFresh("acme", 100);
        router.take(Lane.HOT);
        router.take(Lane.OVERFLOW);

        router.send(item("acme", START_MILLIS), headers("spillway-priority", priority));
        router.only(isUrgent ? Lane.HOT : Lane.OVERFLOW);
    }

    @Test
    void a_flood_of_one_tenant_does_not_affect_another() {
        router.set("noisy", PolicyField.RATE, "1");

        sendFresh("noisy", 100);
        sendFresh("quiet", 10);

        assertThat(router.take(Lane.OVERFLOW)).hasSize(99);
        assertThat(router.take(Lane.HOT)).hasSize(11);
    }

    @Test
    void a_policy_for_all_and_its_removal_take_effect_on_the_next_item() {
        router.set("*", PolicyField.AGED_AFTER, "1s");
        router.send(item("acme", START_MILLIS - 2_000));
        router.only(Lane.AGED);

        router.set("acme", PolicyField.AGED_AFTER, "10s");
        router.send(item("acme", START_MILLIS - 2_000));
        router.only(Lane.HOT);
    }

    @Test
    void an_item_of_any_format_is_routed_by_its_headers() {
        byte[] value = "{\"not\":\"avro\"}".getBytes(StandardCharsets.UTF_8);

        router.send(value,
                headers("spillway-tenant", "acme", "spillway-enqueued-at", Long.toString(START_MILLIS - 400_000)));

        TestRecord<byte[], byte[]> routed = router.only(Lane.AGED);
        assertThat(routed.value()).isEqualTo(value);
        assertThat(header(routed, "spillway-tenant")).isEqualTo("acme");
    }

    @Test
    void headers_take_precedence_over_the_value() {
        router.set("other", PolicyField.RATE, "1");
        router.set("other", PolicyField.BURST, "1");

        router.send(item("acme", START_MILLIS), headers("spillway-tenant", "other"));
        router.only(Lane.HOT);
        router.set("other", PolicyField.AGED_AFTER, "1ms");
        router.send(item("acme", START_MILLIS - 10), headers("spillway-tenant", "other"));

        router.only(Lane.AGED);
    }

    @Test
    void internal_headers_are_removed_from_the_records_of_producers() {
        router.send(item("acme", START_MILLIS), headers(
                "spillway-attempt", "4", "spillway-origin", "forged-1-1", "spillway-replayed-at", "1",
                "spillway-first-attempt-at", "1", "spillway-moves", "9", "spillway-due", "1", "spillway-lane-reason",
                        "x",
                "spillway-dead-reason", "x", "spillway-blame", "0", "spillway-wait", "1", "spillway-destination", "x",
                "spillway-mine", "kept"));

        TestRecord<byte[], byte[]> routed = router.only(Lane.HOT);
        assertThat(Arrays.stream(routed.headers().toArray()).map(Header::key))
                .containsExactly("spillway-mine", "spillway-origin");
        assertThat(header(routed, "spillway-origin")).isEqualTo("spillway.ingress-0-0");
    }

    @ParameterizedTest(name = "enqueued at {0}: counts as now, skew into the {1}")
    @CsvSource({
        "1795248000001, future",
        "9223372036854775807, future",
        "946684799999, past",
        "0, past",
        "-9223372036854775808, past",
    })
    void an_implausible_time_counts_as_now_is_corrected_and_measured(long enqueuedAtMillis, String direction) {
        router.send("any".getBytes(StandardCharsets.UTF_8),
                headers("spillway-tenant", "acme", "spillway-enqueued-at", Long.toString(enqueuedAtMillis)));

        TestRecord<byte[], byte[]> routed = router.only(Lane.HOT);
        assertThat(header(routed, "spillway-enqueued-at")).isEqualTo(Long.toString(START_MILLIS));
        assertThat(routed.headers().headers("spillway-enqueued-at")).hasSize(1);
        assertThat(router.registry.get("spillway.clock_skew").tag("direction", direction).timer().count()).isEqualTo(1);
    }

    @Test
    void every_route_is_counted() {
        router.set("acme", PolicyField.RATE, "1");
        sendFresh("acme", 3);
        router.send(item("acme", START_MILLIS - 400_000));
        router.send(null);

        assertThat(router.count("spillway.routed", "reason", "fresh")).isEqualTo(1);
        assertThat(router.count("spillway.routed", "reason", "rate")).isEqualTo(2);
        assertThat(router.count("spillway.routed", "lane", "aged")).isEqualTo(1);
        assertThat(router.count("spillway.dead_lettered", "reason", "null-value")).isEqualTo(1);
    }

    @Test
    void items_that_miss_hot_are_counted_by_tenant_and_the_rest_together() {
        router.set("*", PolicyField.AGED_AFTER, "1s");
        for (String tenant : List.of("a", "b", "c", "d", "a")) {
            router.send(item(tenant, START_MILLIS - 2_000));
        }

        assertThat(router.registry.get("spillway.sidelined").tags("tenant", "a", "to", "aged").counter().count())
                .isEqualTo(2);
        assertThat(router.registry.get("spillway.sidelined").tags("tenant", "*other*", "to", "aged").counter().count())
                .isEqualTo(2);
        assertThat(router.registry.find("spillway.sidelined").tag("tenant", "c").counters()).isEmpty();
    }

    private void sendFresh(String tenant, int count) {
        for (int i = 0; i < count; i++) {
            router.send(item(tenant, START_MILLIS));
        }
    }

    private void expect(String laneOrDropped, String reason) {
        if (laneOrDropped.equals("dropped")) {
            RouterHarness.LANES.forEach(lane -> assertThat(router.take(lane)).isEmpty());
            assertThat(router.count("spillway.dropped", "reason", reason)).isEqualTo(1);
        } else {
            router.only(Lane.valueOf(laneOrDropped));
        }
    }
}
