package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class KeyOrderTest {
    @Test
    void items_that_follow_one_another_are_in_order_also_with_retries() {
        assertThat(KeyOrder.breaches(List.of("> t/k.1 a 100 50", "< t/k.1 a 110", "> t/k.1 b 120 50", "< t/k.1 b 130",
                "> t/k.2 c 130 50", "< t/k.2 c 140", "> t/other.1 d 105 50"))).isEmpty();
    }

    @Test
    void an_item_that_begins_during_the_attempt_of_an_earlier_one_is_a_breach() {
        assertThat(KeyOrder.breaches(List.of("> t/k.1 a 100 50", "< t/k.1 a 110", "> t/k.2 c 109 50"))).hasSize(1);
        assertThat(KeyOrder.breaches(List.of("> t/k.1 a 100 50", "> t/k.2 c 500 50"))).hasSize(1);
    }

    @Test
    void an_attempt_after_that_of_a_later_item_is_a_breach() {
        assertThat(KeyOrder.breaches(List.of("> t/k.2 a 100 50", "< t/k.2 a 110", "> t/k.1 c 120 50"))).hasSize(1);
    }

    @Test
    void an_attempt_that_was_lost_and_made_again_is_none() {
        assertThat(KeyOrder.breaches(List.of("> t/k.1 a 100 50", "> t/k.1 b 200 50", "< t/k.1 b 210",
                "> t/k.2 c 211 50"))).isEmpty();
    }
}
