package io.spillway.core.engine;

import static io.spillway.core.engine.EngineTimeline.START_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.handler.Outcome;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items of a paused tenant in the worker, on a set timeline. */
class EnginePausedTest {
    private static final String LATER = " to delay: paused, moves 0, due at 10000";

    private final EngineTimeline one = new EngineTimeline(1);

    @ParameterizedTest
    @ValueSource(strings = {"hot", "overflow", "aged"})
    void an_item_that_arrives_is_set_aside(String lane) {
        one.set(PolicyField.PAUSED, "true");
        EnginePartition partition = one.partition(Lane.valueOf(lane.toUpperCase(Locale.ROOT)));
        one.arrives(partition, 0, 0);
        assertThat(one.effects()).containsExactly("move 0 to delay: paused, moves 0, due at 0");
        assertThat(partition.unfinished()).isZero();
    }

    @Test
    void waiting_items_are_set_aside_within_ten_seconds_and_the_running_attempt_goes_on() {
        EnginePartition partition = one.partition(Lane.HOT);
        for (int offset = 0; offset < 4; offset++) {
            one.arrives(partition, offset, 0);
        }
        one.makeRoom();
        assertThat(one.effects()).containsExactly("start 0");

        one.set(PolicyField.PAUSED, "true");
        one.nowMillis = START_MILLIS + 10_000;
        one.makeRoom();
        assertThat(one.effects()).containsExactly("move 1" + LATER, "move 2" + LATER, "move 3" + LATER);
        assertThat(one.engine.waiting(Lane.HOT)).isZero();

        one.ends(0, Outcome.done());
        assertThat(one.effects()).containsExactly("done 0");
        assertThat(partition.unfinished()).isZero();
    }

    @Test
    void no_attempt_starts_before_that_look_either() {
        EnginePartition partition = one.partition(Lane.HOT);
        one.arrives(partition, 0, 0);
        one.arrives(partition, 1, 0);
        one.set(PolicyField.PAUSED, "true");
        one.ends(0, Outcome.done());
        assertThat(one.effects()).containsExactly("start 0", "done 0", "move 1 to delay: paused, moves 0, due at 0");
    }
}
