package io.spillway.cli.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecordingTest {
    /** At second 0 of a minute, in minute 40 of an hour. */
    private static final long START_MILLIS = 1_800_002_400_000L;
    private static final long HOUR_MILLIS = 3_600_000;

    private final Recording recording = new Recording(START_MILLIS, START_MILLIS + 24 * HOUR_MILLIS);

    @Test
    void its_lines_are_in_the_order_of_time_from_the_first_arrival_on() {
        recording.add(START_MILLIS + 2_000, "acme", 7);
        recording.add(START_MILLIS, "bolt", 0);
        recording.add(START_MILLIS + 500, "acme", 1_500);

        assertThat(recording.lines()).containsExactly(
                "atMillis,tenant,handlingMillis", "0,bolt,0", "500,acme,1500", "2000,acme,7");
        assertThat(recording.millis()).isEqualTo(2_000);
        assertThat(recording.tenants()).isEqualTo(2);
    }

    @Test
    void what_was_enqueued_before_or_after_the_time_is_only_counted() {
        recording.add(START_MILLIS - 1, "old", 7);
        recording.add(START_MILLIS + 24 * HOUR_MILLIS + 1, "ahead", 7);
        recording.add(START_MILLIS, "acme", 7);
        recording.add(START_MILLIS + 24 * HOUR_MILLIS, "acme", 7);

        assertThat(recording.lines()).containsExactly("atMillis,tenant,handlingMillis", "0,acme,7", "86400000,acme,7");
        assertThat(recording.outside()).isEqualTo(2);
    }

    @Test
    void an_attempt_is_recorded_as_a_day_at_most_and_a_recording_has_31_days() {
        recording.add(START_MILLIS, "acme", 24 * HOUR_MILLIS + 1);
        recording.add(START_MILLIS, "acme", -1);
        assertThat(recording.lines())
                .containsExactly("atMillis,tenant,handlingMillis", "0,acme,86400000", "0,acme,0");

        Recording longest = new Recording(0, START_MILLIS);
        longest.add(START_MILLIS - 31 * 24 * HOUR_MILLIS - 1, "acme", 1);
        longest.add(START_MILLIS - 31 * 24 * HOUR_MILLIS, "acme", 1);
        assertThat(longest.items()).isEqualTo(1);
    }

    @Test
    void a_tenant_whose_items_come_at_the_same_second_is_to_spread_them_over_a_minute() {
        for (int minute = 0; minute < 60; minute++) {
            for (int i = 0; i < 5; i++) {
                recording.add(START_MILLIS + minute * 60_000L + i, "cron", 1);
                recording.add(START_MILLIS + minute * 60_000L + i * 12_000L, "even", 1);
            }
        }
        List<Recording.Sender> senders = recording.senders();
        assertThat(senders).extracting(Recording.Sender::tenant).containsExactly("cron", "even");
        assertThat(senders.getFirst().shareOfSecond()).isEqualTo(1);
        assertThat(senders.getFirst().second()).isZero();
        assertThat(senders.getFirst().mostInASecond()).isEqualTo(5);
        assertThat(senders.getFirst().within(recording.millis())).isEqualTo("1m");
        assertThat(senders.get(1).mostInASecond()).isEqualTo(1);
    }

    @Test
    void one_whose_items_come_in_the_same_minute_of_each_hour_is_to_spread_them_over_an_hour() {
        for (int hour = 0; hour < 6; hour++) {
            for (int i = 0; i < 60; i++) {
                recording.add(START_MILLIS + hour * HOUR_MILLIS + i * 1_000L, "hourly", 1);
                recording.add(START_MILLIS + hour * HOUR_MILLIS + i * 61_000L, "even", 1);
            }
        }
        assertThat(recording.senders()).extracting(sender -> sender.tenant() + " " + sender.within(recording.millis()))
                .containsExactly("even ", "hourly 1h");
        assertThat(recording.senders().get(1).minute()).isEqualTo(40);
    }

    @Test
    void few_items_say_nothing() {
        for (int i = 0; i < Recording.LEAST_ITEMS - 1; i++) {
            recording.add(START_MILLIS, "acme", 1);
        }
        assertThat(recording.senders().getFirst().within(recording.millis())).isEmpty();
    }
}
