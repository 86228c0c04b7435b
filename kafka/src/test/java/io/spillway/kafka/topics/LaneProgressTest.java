package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class LaneProgressTest {
    private final LaneProgress lane = new LaneProgress(Duration.ofSeconds(10));

    @Test
    void the_backlog_is_the_unfinished_items_of_the_commit_plus_the_unread_records() {
        PartitionBacklog backlog = lane.next(
                List.of(progress(0, 100, 90, 40, 50), progress(1, 7, 7)), 0);

        assertThat(backlog.waiting(0)).isEqualTo(12);
        assertThat(backlog.waiting(1)).isZero();
    }

    /** Each second an item arrives with its transaction marker; the worker reads on and finishes none. */
    @Test
    void a_partition_whose_worker_only_reads_is_stuck_after_ten_seconds() {
        for (int second = 0; second <= 20; second++) {
            long[] open = new long[second + 1];
            for (int i = 0; i <= second; i++) {
                open[i] = 2L * i;
            }
            PartitionBacklog backlog = lane.next(List.of(progress(0, 2L * second + 2, 2L * second + 2, open)),
                    second * 1_000);
            assertThat(backlog.isStuck(0)).as("at %d s", second).isEqualTo(second >= 10);
        }
    }

    @Test
    void a_partition_with_one_hanging_item_is_not_stuck_while_others_finish() {
        for (int second = 0; second <= 60; second++) {
            long end = 4L * second + 2;
            assertThat(lane.next(List.of(progress(0, end, end, 0)), second * 1_000).isStuck(0))
                    .as("at %d s", second).isFalse();
        }
    }

    @Test
    void without_workers_all_partitions_are_stuck_except_empty_ones() {
        List<QueueProgress> measured = List.of(untouched(0, 5), untouched(1, 9), untouched(2, 0));
        lane.next(measured, 0);

        PartitionBacklog backlog = lane.next(measured, 10_000);

        assertThat(List.of(backlog.isStuck(0), backlog.isStuck(1), backlog.isStuck(2)))
                .containsExactly(true, true, false);
        assertThat(backlog.waiting(1)).isEqualTo(9);
    }

    @Test
    void the_first_finished_item_ends_the_stuck_state() {
        lane.next(List.of(progress(0, 4, 4, 0, 2)), 0);
        assertThat(lane.next(List.of(progress(0, 4, 4, 0, 2)), 10_000).isStuck(0)).isTrue();
        assertThat(lane.next(List.of(progress(0, 4, 4, 0)), 11_000).isStuck(0)).isFalse();
    }

    @Test
    void added_partitions_are_measured() {
        lane.next(List.of(untouched(0, 5)), 0);
        assertThat(lane.next(List.of(untouched(0, 5), untouched(1, 3)), 1_000).waiting(1))
                .isEqualTo(3);
    }

    private static QueueProgress untouched(int partition, long end) {
        return new QueueProgress(new TopicPartition("hot", partition), 0, end, false, ProgressState.fresh(0));
    }

    private static QueueProgress progress(int partition, long end, long readTo, long... unfinished) {
        OffsetList list = OffsetList.of(unfinished);
        return new QueueProgress(new TopicPartition("hot", partition), 0, end, true, new ProgressState(
                list.isEmpty() ? readTo : list.first(), readTo, readTo, list, Optional.empty(), false, false));
    }
}
