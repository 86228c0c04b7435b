package io.spillway.router.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedPunctuator;
import org.junit.jupiter.api.Test;

class WakeUpTest {
    private final MockProcessorContext<byte[], byte[]> context = new MockProcessorContext<>();
    private final List<Long> fired = new ArrayList<>();
    private final WakeUp timer = new WakeUp(context, fired::add);

    @Test
    void it_is_set_to_the_wanted_time_but_at_most_ten_seconds_ahead() {
        timer.set(1_700, 1_000);
        assertThat(last().getInterval()).hasMillis(700);

        WakeUp other = new WakeUp(context, fired::add);
        other.set(Long.MAX_VALUE - 1, 1_000);
        assertThat(last().getInterval()).hasMillis(10_000);
        WakeUp past = new WakeUp(context, fired::add);
        past.set(5, 1_000);
        assertThat(last().getInterval()).hasMillis(1);
    }

    @Test
    void it_moves_to_an_earlier_time_beyond_the_slack_and_never_to_a_later_one() {
        timer.set(6_000, 1_000);
        timer.set(7_000, 1_000);
        timer.set(5_950, 1_000);
        assertThat(context.scheduledPunctuators()).hasSize(1);

        timer.set(5_949, 1_000);
        assertThat(context.scheduledPunctuators()).hasSize(2);
        assertThat(context.scheduledPunctuators().getFirst().cancelled()).isTrue();
        assertThat(last().cancelled()).isFalse();
    }

    @Test
    void ever_earlier_times_leave_a_bounded_number_of_cancelled_punctuations() {
        for (long due = 100_000_000; due > 0; due -= 7_919) {
            timer.set(due, 0);
        }
        for (long due = 10_000; due > 0; due--) {
            timer.set(due, 0);
        }
        assertThat(context.scheduledPunctuators()).hasSizeLessThanOrEqualTo(201);
    }

    @Test
    void it_fires_once_and_can_be_set_again() {
        timer.set(6_000, 1_000);
        last().getPunctuator().punctuate(6_003);

        assertThat(fired).containsExactly(6_003L);
        assertThat(last().cancelled()).isTrue();
        timer.set(9_000, 6_003);
        assertThat(last().cancelled()).isFalse();
        assertThat(last().getInterval()).hasMillis(2_997);
    }

    private CapturedPunctuator last() {
        return context.scheduledPunctuators().getLast();
    }
}
