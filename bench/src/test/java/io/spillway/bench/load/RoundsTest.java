package io.spillway.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of runs. */
public class RoundsTest {
    @Test
    void each_variant_comes_first_in_turn_and_keeps_the_order_of_its_rounds() {
        List<String> order = new ArrayList<>();

        var runs = Rounds.of(3, List.of("a", "b"), (round, variant) -> {
            order.add(variant + round);
            return round;
        });

        assertThat(order).containsExactly("a1", "b1", "b2", "a2", "a3", "b3");
        assertThat(runs.keySet()).containsExactly("a", "b");
        assertThat(runs.get("b")).containsExactly(1, 2, 3);
    }
}
