package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GapsTest {
    private final Gaps gaps = new Gaps();

    @Test
    void the_longest_gap_is_that_of_the_source_that_was_silent_for_longest() {
        seen("a", 0, 100, 200, 300);
        seen("b", 0, 250, 300);
        assertThat(gaps.longest(0, 300)).isEqualTo(new Gaps.Longest("b", 250));
        assertThat(gaps.sources()).isEqualTo(2);
    }

    @Test
    void a_gap_that_began_before_the_period_or_ends_after_it_counts_as_a_whole() {
        seen("a", 0, 500, 600, 1_600);
        assertThat(gaps.longest(400, 550).millis()).isEqualTo(500);
        assertThat(gaps.longest(650, 700).millis()).isEqualTo(1_000);
    }

    @Test
    void silence_at_the_end_lasts_until_the_end_of_the_period() {
        seen("a", 0, 100);
        assertThat(gaps.longest(0, 5_000).millis()).isEqualTo(4_900);
        assertThat(new Gaps().longest(0, 5_000).millis()).isEqualTo(5_000);
    }

    private void seen(String source, long... timesMillis) {
        for (long atMillis : timesMillis) {
            gaps.seen(source, atMillis);
        }
    }
}
