package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ArrivalHistoryTest {
    private final ArrivalHistory history = new ArrivalHistory();

    @Test
    void a_record_has_waited_since_the_end_was_first_seen_behind_it() {
        // time, position, end, waited
        long[][] timeline = {
            {1_000, 50, 50, 0},
            {2_000, 50, 60, 0},
            {3_000, 50, 80, 1_000},
            {4_000, 59, 80, 2_000},
            {5_000, 60, 90, 2_000},
            {9_000, 79, 90, 6_000},
            {10_000, 80, 90, 5_000},
            {11_000, 90, 90, 0},
            {12_000, 90, 91, 0},
            {13_000, 91, 92, 0},
            {73_000, 91, 92, 60_000},
        };
        for (long[] look : timeline) {
            assertThat(history.waitedMillis(look[1], look[2], look[0])).as("at %d", look[0]).isEqualTo(look[3]);
        }
    }

    @Test
    void a_clock_set_back_gives_no_negative_duration() {
        history.waitedMillis(5, 9, 60_000);
        assertThat(history.waitedMillis(5, 9, 10_000)).isZero();
    }

    /** A record came each second, and all of them are read at once. */
    @Test
    void after_an_hour_without_a_read_the_wait_of_each_record_is_known_within_a_sixth() {
        int end = 3_600;
        for (int second = 1; second <= end; second++) {
            history.waitedMillis(0, second, second * 1_000L);
        }
        for (int position = 0; position < end; position++) {
            double real = (end - 1 - position) * 1_000.0;
            assertThat((double) history.waitedMillis(position, end, end * 1_000L)).as("of record %d", position)
                    .isBetween(real * 5 / 6, real);
        }
    }

    @Test
    void the_time_is_never_too_long_and_not_less_than_half() {
        boundsHold(System.nanoTime());
    }

    @Test
    void entries_that_were_removed_before_count_when_another_is_chosen() {
        boundsHold(78519498131699L);
    }

    private void boundsHold(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Deque<Long> unreadSinceMillis = new ArrayDeque<>();
        long position = 0;
        for (long nowMillis = 0; nowMillis < 3_600_000; nowMillis += 1_000) {
            for (int arriving = random.nextInt(20); arriving > 0; arriving--) {
                unreadSinceMillis.add(nowMillis);
            }
            for (int read = random.nextInt(10); read > 0 && !unreadSinceMillis.isEmpty(); read--) {
                unreadSinceMillis.remove();
                position++;
            }
            long waited = history.waitedMillis(position, position + unreadSinceMillis.size(), nowMillis);
            long real = unreadSinceMillis.isEmpty() ? 0 : nowMillis - unreadSinceMillis.peek();
            assertThat(waited).as("at %d, seed %d", nowMillis, seed).isBetween(real / 2 - 1_000, real);
        }
    }
}
