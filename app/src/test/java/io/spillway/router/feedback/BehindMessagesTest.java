package io.spillway.router.feedback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BehindMessagesTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final String BEHIND =
            "Hot is behind at a worker: what is more than a fair share of a tenant there goes to overflow";

    private final BehindMessages messages = new BehindMessages();

    @Test
    void the_start_and_the_end_are_reported_once() {
        assertThat(messages.next(false, T0)).isEmpty();
        assertThat(messages.next(true, T0 + 100)).contains(BEHIND);
        assertThat(messages.next(true, T0 + 200_000)).isEmpty();
        assertThat(messages.next(false, T0 + 200_300)).contains("Hot has caught up after 200.2 s");
        assertThat(messages.next(false, T0 + 200_400)).isEmpty();
    }

    @Test
    void a_lane_that_flaps_each_second_for_ten_minutes_is_reported_twenty_times() {
        int lines = 0;
        for (int second = 0; second < 600; second++) {
            lines += messages.next(second % 2 == 0, T0 + second * 1_000L).isPresent() ? 1 : 0;
        }
        assertThat(lines).as("a start and an end in each minute").isEqualTo(20);
    }

    @Test
    void the_next_start_counts_those_that_were_not_reported() {
        messages.next(true, T0);
        messages.next(false, T0 + 1_000);
        for (int i = 2; i < 6; i++) {
            assertThat(messages.next(i % 2 == 0, T0 + i * 1_000L)).isEmpty();
        }
        assertThat(messages.next(true, T0 + 60_000))
                .contains(BEHIND + "; it was 2 times for a short time since the last message");
        assertThat(messages.next(false, T0 + 61_500)).contains("Hot has caught up after 1.5 s");
        assertThat(messages.next(true, T0 + 120_000)).contains(BEHIND);
    }

    @Test
    void a_start_within_the_pause_is_reported_when_it_lasts() {
        messages.next(true, T0);
        messages.next(false, T0 + 1_000);
        assertThat(messages.next(true, T0 + 30_000)).isEmpty();
        assertThat(messages.next(true, T0 + 59_999)).isEmpty();
        assertThat(messages.next(true, T0 + 60_000)).contains(BEHIND);
        assertThat(messages.next(false, T0 + 70_000)).contains("Hot has caught up after 40.0 s");
    }

    @Test
    void a_clock_set_back_does_not_silence_it() {
        messages.next(true, T0);
        messages.next(false, T0 + 1_000);
        assertThat(messages.next(true, T0 - 3_600_000)).contains(BEHIND);
        assertThat(messages.next(false, T0 - 7_200_000)).contains("Hot has caught up after 0.0 s");
    }
}
