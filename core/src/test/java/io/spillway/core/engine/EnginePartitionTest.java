package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a partition counts from its assignment to its loss. */
class EnginePartitionTest {
    private final EngineTimeline one = new EngineTimeline(1);

    @Test
    void before_the_first_poll_it_is_read_from_where_the_owner_before_stopped() {
        EnginePartition partition = new EnginePartition("hot-3", Lane.HOT,
                new PartitionProgress(ProgressState.fresh(5), Long.MAX_VALUE, 100));
        assertThat(partition.nextOffset()).isEqualTo(5);
        assertThat(partition.position()).isEqualTo(-1);
        assertThat(partition).hasToString("hot-3");
    }

    /** 160 items in the first interval, and then only offsets without items. */
    @Test
    void the_offsets_that_may_start_before_a_commit_follow_the_peak_of_what_was_read_between_two_commits() {
        EnginePartition partition = one.takeOver(Lane.HOT, ProgressState.fresh(0));
        for (int offset = 0; offset < 160; offset++) {
            one.receives(new EngineTimeline.Item(partition, offset, "acme", 0, 0, one.nowMillis));
        }
        List<Long> ahead = new ArrayList<>();
        for (int commit = 0; commit < 60; commit++) {
            ahead.add(one.commit(partition).horizon() - partition.nextOffset());
            partition.positionedAt(partition.nextOffset() + 1_000);
        }
        assertThat(ahead).as("twice the peak, which falls by a sixteenth").startsWith(320L, 300L, 282L, 266L)
                .as("but never fewer than 128").endsWith(128L, 128L);
    }

    @Test
    void an_item_that_ends_leaves_the_read_ahead() {
        EnginePartition partition = one.partition(Lane.HOT);
        for (int offset = 0; offset < 4; offset++) {
            arrivesLarge(partition, offset);
            assertThat(partition.unfinishedBytes()).isEqualTo(1 << 18);
            one.ends(offset, Outcome.done());
            assertThat(partition.unfinishedBytes()).isZero();
        }
        assertThat(one.mayRead(partition)).isTrue();
    }

    @Test
    void a_partition_that_is_revoked_leaves_the_read_ahead_with_all_its_bytes() {
        EnginePartition first = one.partition(Lane.HOT);
        assertThat(readLarge(first)).as("until as much is left").isEqualTo(2);
        EnginePartition second = one.partition(Lane.HOT);
        assertThat(readLarge(second)).as("a quarter is left").isEqualTo(1);
        one.leave(first);
        one.ends(0, Outcome.done());
        assertThat(first.unfinishedBytes()).isZero();
        one.leave(second);
        assertThat(readLarge(one.partition(Lane.HOT))).isEqualTo(2);
    }

    private int readLarge(EnginePartition partition) {
        int read = 0;
        for (; one.mayRead(partition); read++) {
            arrivesLarge(partition, read);
        }
        return read;
    }

    private void arrivesLarge(EnginePartition partition, long offset) {
        one.arrives(new EngineTimeline.Item(partition, offset, EngineTimeline.LARGE, 0, 0, one.nowMillis));
    }
}
