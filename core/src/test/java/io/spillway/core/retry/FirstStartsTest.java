package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.retry.FirstStarts.Start;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstStartsTest {
    private final FirstStarts starts = new FirstStarts();

    @Test
    void of_each_item_only_the_first_is_told_once() {
        starts.started(new Start(1, 5));
        starts.started(new Start(2, 6));
        starts.started(new Start(1, 7));
        assertThat(starts.take(1)).containsExactly(new Start(1, 5));
        assertThat(starts.take(10)).containsExactly(new Start(2, 6));
        assertThat(starts.take(10)).isEmpty();
        assertThat(starts.isFirst(new Start(2, 8))).isFalse();
        assertThat(starts.isFirst(new Start(3, 0))).isTrue();
    }

    @Test
    void an_item_whose_deliveries_go_on_is_known_longer_than_one_without() {
        starts.started(new Start(1, 0));
        starts.started(new Start(2, 0));
        for (long item = 3; item <= FirstStarts.MOST_KNOWN; item++) {
            starts.started(new Start(item, 0));
        }
        starts.started(new Start(1, 0));
        starts.started(new Start(-1, 0));
        assertThat(List.of(1L, 2L)).map(item -> starts.isFirst(new Start(item, 0))).containsExactly(false, true);
    }

    @Test
    void what_nobody_takes_is_left_out_at_the_bound() {
        for (long item = 0; item < FirstStarts.MOST_KNOWN + 10; item++) {
            starts.started(new Start(item, 0));
        }
        assertThat(starts.take(Integer.MAX_VALUE)).hasSize(FirstStarts.MOST_KNOWN);
    }
}
