package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody has lowered the size limit of a topic in the cluster. */
class LoweredLimitTest {
    private static final byte[] ITEM = RouterHarness.item("acme", RouterHarness.START_MILLIS);
    private static final byte[] BAD = new byte[1_500];

    private final RouterHarness router = new RouterHarness();

    @AfterEach
    void close() {
        router.close();
    }

    @ParameterizedTest
    @CsvSource({"HOT,1h,2s", "AGED,1h,2h"})
    void an_item_that_its_lane_does_not_take_is_a_dead_letter_that_names_topic_and_setting(
            Lane lane, String agedAfter, String age) {
        router.set("acme", PolicyField.AGED_AFTER, agedAfter);
        byte[] item = RouterHarness.item("acme", RouterHarness.START_MILLIS
                - Duration.parse("PT" + age).toMillis());
        lower(lane, 1_000);
        router.send(item, RouterHarness.headers("note", "x".repeat(2_000)));

        TestRecord<byte[], byte[]> dead = router.only(Lane.DEAD_LETTER);
        assertThat(RouterHarness.header(dead, "spillway-dead-reason")).isEqualTo("too-large");
        assertThat(RouterHarness.header(dead, "spillway-dead-detail")).contains(
                router.topics.lane(lane), "max.message.bytes was lowered to 1000");
        assertThat(dead.value()).isEqualTo(item);
        router.send(item);
        router.only(lane);
    }

    @Test
    void a_delayed_item_that_the_changelog_does_not_take_is_a_dead_letter() {
        router.lowered.put(router.topics.timersChangelog(), 1_000);
        router.limits.explain(new RecordTooLargeException());
        router.sendDelayed(ITEM, RouterHarness.headers("spillway-due",
                Long.toString(RouterHarness.START_MILLIS + 5_000), "note", "x".repeat(2_000)));

        assertThat(RouterHarness.header(router.only(Lane.DEAD_LETTER), "spillway-dead-detail"))
                .contains(router.topics.timersChangelog());
        router.sendDelayed(ITEM, RouterHarness.headers(
                "spillway-due", Long.toString(RouterHarness.START_MILLIS + 5_000)));
        assertThat(timers()).isEqualTo(1);
    }

    @Test
    void a_dead_letter_that_its_lane_does_not_take_waits_until_it_does() {
        lower(Lane.DEAD_LETTER, 1_000);
        router.send(BAD);
        lower(Lane.HOT, 500);
        router.send(ITEM, RouterHarness.headers("note", "x".repeat(2_000)));
        for (int minute = 0; minute < 3; minute++) {
            router.advance(Duration.ofSeconds(61));
            for (Lane lane : RouterHarness.LANES) {
                assertThat(router.take(lane)).as(lane.label()).isEmpty();
            }
            assertThat(timers()).isEqualTo(2);
        }

        router.lowered.clear();
        router.limits.readAgain();
        router.advance(Duration.ofSeconds(61));

        assertThat(router.take(Lane.HOT)).singleElement()
                .satisfies(item -> assertThat(item.value()).isEqualTo(ITEM));
        assertThat(router.take(Lane.DEAD_LETTER)).singleElement().satisfies(dead -> {
            assertThat(dead.value()).isEqualTo(BAD);
            assertThat(RouterHarness.header(dead, "spillway-dead-reason")).isNotEqualTo("too-large");
        });
        assertThat(timers()).isZero();
    }

    @Test
    void only_a_refusal_for_size_is_explained_and_only_once() {
        router.lowered.put("spillway.hot", 1_000);
        assertThat(router.limits.explain(new KafkaException("another"))).isFalse();
        assertThat(router.limits.areLower()).isFalse();
        KafkaException refused = new KafkaException("in an error state", new RecordTooLargeException());
        assertThat(router.limits.explain(refused)).isTrue();
        assertThat(router.limits.explain(refused)).isFalse();
        router.lowered.clear();
        assertThat(router.limits.explain(refused)).as("raised again: the records fit").isFalse();
    }

    private void lower(Lane lane, int bytes) {
        router.lowered.put(router.topics.lane(lane), bytes);
        router.limits.explain(new RecordTooLargeException());
    }

    private int timers() {
        int count = 0;
        try (KeyValueIterator<?, byte[]> all = router.timers().all()) {
            for (; all.hasNext(); all.next()) {
                count++;
            }
        }
        return count;
    }
}
