package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MisplacedItemsTest {
    private final EngineTimeline one = new EngineTimeline(1);

    @ParameterizedTest
    @EnumSource(value = Lane.class, names = {"HOT", "OVERFLOW", "AGED"})
    void an_item_of_other_partitions_moves_within_its_lane_and_is_not_attempted(Lane lane) {
        one.misplaced = "acme";
        EnginePartition partition = one.partition(lane);
        one.arrives(new EngineTimeline.Item(partition, 0, "acme", 1, 2, one.nowMillis));
        assertThat(one.effects()).containsExactly("move 0 to " + lane.label() + ": isolated, moves 2");
        one.arrives(new EngineTimeline.Item(partition, 1, "other", 0, 0, one.nowMillis));
        assertThat(one.effects()).containsExactly("start 1");
    }

    @Test
    void it_does_not_start_before_its_commit() {
        one.misplaced = "acme";
        EnginePartition partition = one.partition(Lane.HOT);
        one.startsEarly(partition, 3, "acme");
        assertThat(one.effects()).isEmpty();
    }

    @Test
    void one_that_a_dead_worker_had_kills_no_worker_of_these_partitions() {
        one.misplaced = "acme";
        EnginePartition partition = one.takeOver(Lane.HOT, left());
        one.arrives(partition, 0, 0);
        one.arrives(new EngineTimeline.Item(partition, 1, "other", 0, 0, one.nowMillis));
        assertThat(one.effects()).startsWith("move 0 to hot: isolated, moves 0");
        assertThat(one.engine.suspects()).isEqualTo(1);
    }

    @Test
    void suspects_that_wait_move_too_when_their_tenant_gets_other_partitions() {
        EnginePartition partition = one.takeOver(Lane.HOT, left());
        one.receives(new EngineTimeline.Item(partition, 0, "other", 0, 0, one.nowMillis));
        one.receives(new EngineTimeline.Item(partition, 1, "acme", 0, 0, one.nowMillis));
        assertThat(one.engine.suspects()).isEqualTo(2);
        one.misplaced = "acme";
        one.fill();
        assertThat(one.effects()).contains("move 1 to hot: isolated, moves 0");
        assertThat(one.engine.suspects()).isEqualTo(1);
    }

    @Test
    void what_waits_in_memory_moves_when_it_gets_a_slot_and_after_ten_seconds_without_one() {
        EnginePartition partition = one.partition(Lane.HOT);
        LongStream.range(0, 3).forEach(offset -> one.arrives(partition, offset, 0));
        one.makeRoom();
        one.effects();

        one.misplaced = "acme";
        one.ends(0, new Outcome.Done());
        assertThat(one.effects()).containsExactly(
                "done 0", "move 1 to hot: isolated, moves 0", "move 2 to hot: isolated, moves 0");

        one.misplaced = "";
        LongStream.range(3, 6).forEach(offset -> one.arrives(partition, offset, 0));
        one.effects();
        one.misplaced = "acme";
        one.nowMillis += 10_000;
        one.makeRoom();
        assertThat(one.effects()).containsExactlyInAnyOrder(
                "move 4 to hot: isolated, moves 0", "move 5 to hot: isolated, moves 0");
    }

    @Test
    void a_backlog_moves_at_two_thousand_a_second_and_stops_no_other_partition() {
        one.misplaced = "acme";
        EnginePartition partition = one.partition(Lane.OVERFLOW);
        EnginePartition calm = one.partition(Lane.HOT);
        long moved = 0;
        long start = one.nowMillis;
        for (long offset = 0; one.nowMillis < start + 2_000; one.nowMillis += 10) {
            one.fill();
            for (; one.mayRead(partition); offset++) {
                one.arrives(partition, offset, 0);
                one.commit(partition);
                moved++;
            }
            assertThat(one.mayRead(calm)).isTrue();
        }
        assertThat(moved).as("and one poll").isBetween(4_400L, 4_600L);

        one.nowMillis -= 3_600_000;
        one.fill();
        assertThat(one.mayRead(partition)).as("the clock went back").isTrue();
    }

    /** Returns the progress of a worker that died with the first two offsets. */
    private static ProgressState left() {
        return new ProgressState(0, 2, 2, OffsetList.of(0, 1), Optional.empty(), 0, false, false);
    }
}
