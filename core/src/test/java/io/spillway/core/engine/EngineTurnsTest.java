package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Suspects beside those of other workers: turns, and convictions that another worker tells of. */
class EngineTurnsTest {
    private static final Outcome SUCCEEDED = Outcome.done();

    private final EngineTimeline timeline = new EngineTimeline(10);

    @Test
    void a_new_item_of_a_tenant_that_another_worker_convicted_runs_in_isolation() {
        EnginePartition partition = timeline.partition(Lane.HOT);
        timeline.follow(0, 0, "acme");
        timeline.arrives(new EngineTimeline.Item(partition, 0, "acme", 0, 0, timeline.nowMillis));
        timeline.arrives(new EngineTimeline.Item(partition, 1, "bolt", 0, 0, timeline.nowMillis));
        assertThat(timeline.effects()).as("those of others start").containsExactly("start 1");

        timeline.nowMillis += SuspectTurn.SETTLE_MILLIS;
        timeline.fill();
        assertThat(timeline.commit(partition).mark()).contains(new SuspectMark(0, 1, true));
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 0 alone");

        timeline.ends(0, SUCCEEDED);
        timeline.follow(0, 0);
        timeline.arrives(partition, 2, 0);
        assertThat(timeline.effects()).as("innocent").endsWith("start 2");
    }

    @Test
    void what_another_worker_convicted_before_an_innocent_item_of_the_tenant_is_old() {
        EnginePartition partition = timeline.partition(Lane.HOT);
        timeline.follow(0, 0, "acme");
        long convictedMillis = timeline.nowMillis;
        timeline.arrives(partition, 0, 0);
        timeline.nowMillis += SuspectTurn.SETTLE_MILLIS;
        timeline.fill();
        timeline.commit(partition);
        timeline.ends(0, SUCCEEDED);
        timeline.effects();

        timeline.engine.follow("b", Map.of("a", new SuspectStatus.Received(
                new SuspectStatus(0, 0, Map.of("acme", convictedMillis)), timeline.nowMillis)));
        timeline.arrives(partition, 1, 0);
        assertThat(timeline.effects()).containsExactly("start 1");
    }

    @Test
    void items_of_a_convicted_tenant_beyond_a_few_come_later_so_that_its_partitions_go_on() {
        EnginePartition partition = timeline.partition(Lane.HOT);
        timeline.follow(1, 1, "acme");
        for (int offset = 0; offset <= SuspectGroup.SIZE; offset++) {
            timeline.arrives(partition, offset, 0);
        }
        assertThat(timeline.engine.suspects()).isEqualTo(SuspectGroup.SIZE);
        assertThat(timeline.effects()).containsExactly(
                "move 16 to delay: capped, moves 1, due at 10000");
        for (int offset = 20; offset < 30; offset++) {
            timeline.arrives(new EngineTimeline.Item(partition, offset, "bolt", 0, 0, timeline.nowMillis));
        }
        assertThat(timeline.effects()).as("every slot is free").hasSize(10).allMatch(it -> it.startsWith("start"));
    }

    @Test
    void in_the_turn_of_another_worker_only_the_younger_suspects_run() {
        long[] offsets = LongStream.range(0, SuspectTurn.OLDEST + 3).toArray();
        timeline.follow(1, timeline.nowMillis);
        EnginePartition partition = timeline.takeOver(Lane.HOT, new ProgressState(
                0, offsets.length, offsets.length, OffsetList.of(offsets), Optional.empty(), 0, false, true));
        for (long offset : offsets) {
            timeline.receives(new EngineTimeline.Item(
                    partition, offset, "acme", 0, 0, timeline.nowMillis - offsets.length + offset));
        }
        timeline.fill();
        timeline.commit(partition);
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 32", "start 33", "start 34");
        List.of(32L, 33L, 34L).forEach(offset -> timeline.ends(offset, SUCCEEDED));
        timeline.commit(partition);
        timeline.nowMillis += SuspectTurn.SETTLE_MILLIS;
        timeline.fill();
        assertThat(timeline.effects()).containsExactly("done 32", "done 33", "done 34");

        timeline.follow(0, 0);
        timeline.fill();
        assertThat(timeline.commit(partition).mark()).contains(new SuspectMark(0, 1));
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 0 alone");
    }

    @Test
    void a_suspect_that_waits_for_the_turn_with_its_deaths_does_not_stop_the_younger_ones_of_its_partition() {
        long[] offsets = LongStream.rangeClosed(0, SuspectTurn.OLDEST + 1).toArray();
        timeline.follow(1, timeline.nowMillis);
        EnginePartition partition = timeline.takeOver(Lane.HOT, new ProgressState(0, offsets.length, offsets.length,
                OffsetList.of(offsets), Optional.of(new SuspectMark(0, 1)), 0, false, true));
        for (long offset : offsets) {
            timeline.receives(new EngineTimeline.Item(
                    partition, offset, "acme", 0, 0, timeline.nowMillis - offsets.length + offset));
        }
        timeline.fill();
        assertThat(timeline.commit(partition).groupEnd()).isEqualTo(34);
        assertThat(timeline.effects()).containsExactly("commit wanted", "start 33");

        timeline.ends(33, SUCCEEDED);
        assertThat(timeline.commit(partition).mark()).as("its deaths are kept").contains(new SuspectMark(0, 1));
    }

    @Test
    void a_suspect_with_enough_deaths_is_convicted_in_the_turn_of_another_worker() {
        timeline.follow(1, timeline.nowMillis);
        EnginePartition partition = timeline.takeOver(Lane.HOT, new ProgressState(
                0, 2, 5, OffsetList.of(0, 1), Optional.of(new SuspectMark(0, 2)), 0, false, true));
        timeline.arrives(partition, 0, 0);
        timeline.arrives(partition, 1, 0);

        assertThat(timeline.effects()).hasSize(1).allMatch(effect -> effect.startsWith("dead-letter 0"));
        assertThat(timeline.engine.suspectStatus(timeline.nowMillis).convictedAtMillis()).containsOnlyKeys("acme");
    }
}
