package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FatesTest {
    private static final Map<String, Integer> DONE = Map.of("done", 1);

    @Test
    void items_with_one_end_each_have_no_breach_also_if_the_sender_does_not_know() {
        assertThat(new Fates(Set.of("a", "b"), Set.of("c", "d"), Map.of("a", DONE, "b", Map.of("dead", 1), "c", DONE),
                Set.of("a", "c")).breaches()).isEmpty();
    }

    @Test
    void an_item_that_is_lost_twice_ended_invented_or_done_without_a_call_is_a_breach() {
        Fates fates = new Fates(Set.of("lost", "twice", "both", "uncalled"), Set.of("unknown"), Map.of(
                "twice", Map.of("done", 2), "both", Map.of("done", 1, "dead", 1), "uncalled", DONE,
                "unknown", Map.of("done", 2), "invented", DONE), Set.of("twice", "both", "unknown", "invented"));
        assertThat(fates.breaches()).hasSize(6)
                .anyMatch(line -> line.startsWith("lost was accepted and has 0 ends"))
                .anyMatch(line -> line.startsWith("twice was accepted and has 2 ends"))
                .anyMatch(line -> line.startsWith("both was accepted and has 2 ends"))
                .anyMatch(line -> line.startsWith("unknown was sent once"))
                .anyMatch(line -> line.startsWith("invented was never sent"))
                .anyMatch(line -> line.startsWith("uncalled is done and no handler"));
    }
}
