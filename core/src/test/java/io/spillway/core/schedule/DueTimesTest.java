package io.spillway.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DueTimesTest {
    private static final Occurrences MINUTES = Occurrences.every(60_000);
    private static final long DAY = Duration.ofDays(1).toMillis();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # missed | after  | now     | times                | until   | left out
            skip     | 60000  | 119999  |                      | 60000   | false
            skip     | 60000  | 120000  | 120000               | 120000  | false
            last     | 60000  | 120010  | 120000               | 120000  | false
            all      | 60000  | 120010  | 120000               | 120000  | false
            # Late by no more than a minute is not missed.
            skip     | 60000  | 180000  | 120000 180000        | 180000  | false
            last     | 60000  | 180000  | 120000 180000        | 180000  | false
            # Three times passed, of which the first is missed.
            skip     | 60000  | 240001  | 240000               | 240000  | true
            last     | 60000  | 240001  | 240000               | 240000  | true
            all      | 60000  | 240001  | 120000 180000 240000 | 240000  | false
            # One time is missed, and no other has passed: nothing is left out for its sake but by skip.
            last     | 60000  | 179999  | 120000               | 120000  | false
            # The clock was set back.
            skip     | 240000 | 100000  |                      | 240000  | false
            last     | 240000 | 100000  |                      | 240000  | false
            all      | 240000 | 100000  |                      | 240000  | false
            """)
    void what_is_due_follows_from_what_was_settled_the_time_and_the_rule_for_missed_ones(
            String missed, long after, long now, String times, long until, boolean isLeftOut) {
        List<Long> expected = times == null ? List.of() : Arrays.stream(times.split(" ")).map(Long::valueOf).toList();

        assertThat(DueTimes.of(MINUTES, MissedTimes.valueOf(missed.toUpperCase(Locale.ROOT)), after, now, 10))
                .isEqualTo(new DueTimes(expected, until, isLeftOut));
    }

    @Test
    void a_missed_time_is_left_out_by_skip_and_fired_late_by_last() {
        Occurrences daily = Occurrences.every(DAY);

        assertThat(DueTimes.of(daily, MissedTimes.SKIP, 0, DAY + 60_001, 10))
                .isEqualTo(new DueTimes(List.of(), DAY, true));
        assertThat(DueTimes.of(daily, MissedTimes.SKIP, 0, DAY + 60_000, 10))
                .isEqualTo(new DueTimes(List.of(DAY), DAY, false));
        assertThat(DueTimes.of(daily, MissedTimes.LAST, 0, DAY + 60_001, 10))
                .isEqualTo(new DueTimes(List.of(DAY), DAY, false));
        assertThat(DueTimes.of(daily, MissedTimes.LAST, 0, 5 * DAY - 1, 10))
                .isEqualTo(new DueTimes(List.of(4 * DAY), 4 * DAY, true));
    }

    @Test
    void a_clock_that_is_set_to_and_fro_never_fires_a_time_twice() {
        List<Long> fired = new ArrayList<>();
        long until = 0;
        for (long now : new long[] {60_000, 180_000, 50_000, 120_000, 180_000, 240_000, 200_000, 241_000, 300_000}) {
            DueTimes due = DueTimes.of(MINUTES, MissedTimes.ALL, until, now, 10);
            fired.addAll(due.times());
            until = due.untilMillis();
        }

        assertThat(fired).containsExactly(60_000L, 120_000L, 180_000L, 240_000L, 300_000L);
    }

    @Test
    void all_missed_times_are_fired_in_steps_and_those_of_more_than_14_days_ago_are_left_out() {
        long now = 100 * DAY + 1;
        DueTimes first = DueTimes.of(Occurrences.every(DAY), MissedTimes.ALL, 0, now, 10);
        DueTimes second = DueTimes.of(Occurrences.every(DAY), MissedTimes.ALL, first.untilMillis(), now, 10);

        assertThat(first.times()).hasSize(10).startsWith(87 * DAY).endsWith(96 * DAY);
        assertThat(first.isLeftOut()).isTrue();
        assertThat(second.times()).containsExactly(97 * DAY, 98 * DAY, 99 * DAY, 100 * DAY);
        assertThat(second.isLeftOut()).isFalse();
    }

    @Test
    void the_latest_of_a_year_of_seconds_is_found_with_few_calls() {
        int[] calls = {0};
        Occurrences seconds = millis -> {
            calls[0]++;
            return Occurrences.every(1_000).after(millis);
        };

        assertThat(DueTimes.of(seconds, MissedTimes.LAST, 0, 365 * DAY + 999, 1_000).times())
                .containsExactly(365 * DAY);
        assertThat(calls[0]).isLessThan(50);
    }

    @Test
    void a_schedule_without_further_times_has_nothing_due() {
        assertThat(DueTimes.of(millis -> OptionalLong.empty(), MissedTimes.LAST, 0, 1_000_000, 10))
                .isEqualTo(new DueTimes(List.of(), 0, false));
    }

    @Test
    void periods_are_aligned_to_the_epoch() {
        assertThat(MINUTES.after(0)).hasValue(60_000);
        assertThat(MINUTES.after(59_999)).hasValue(60_000);
        assertThat(MINUTES.after(60_000)).hasValue(120_000);
        assertThat(MINUTES.after(-1)).hasValue(0);
    }

    @Test
    void items_of_one_time_spread_evenly_over_their_window_and_each_keeps_its_place() {
        int[] tenths = new int[10];
        for (int i = 0; i < 10_000; i++) {
            long offset = DeliveryWindow.offsetMillis("acme", "report-" + i, 300_000);
            assertThat(offset).isBetween(0L, 299_999L)
                    .isEqualTo(DeliveryWindow.offsetMillis("acme", "report-" + i, 300_000));
            tenths[(int) (offset / 30_000)]++;
        }

        // Five standard deviations of a fair draw: sqrt(10,000 x 0.1 x 0.9) is 30.
        assertThat(Arrays.stream(tenths).boxed()).allSatisfy(count -> assertThat(count).isBetween(850, 1_150));
        assertThat(DeliveryWindow.offsetMillis("acme", "a", 0)).isZero();
        assertThat(DeliveryWindow.offsetMillis("acme", "a", 300_000))
                .isNotEqualTo(DeliveryWindow.offsetMillis("bravo", "a", 300_000));
    }
}
