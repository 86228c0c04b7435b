package io.spillway.router.feedback;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.topics.QueueProgress;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class WorkReaderTest {
    private static final long STUCK_AFTER_MILLIS = 10_000;

    private final WorkReader.LaneReading lane = new WorkReader.LaneReading();

    @Test
    void what_waits_is_what_the_commit_lists_and_what_was_not_read() {
        PartitionBacklog work = lane.next(
                List.of(progress(0, 100, 90, 40, 50), progress(1, 7, 7)), 0, STUCK_AFTER_MILLIS);

        assertThat(work.waiting(0)).isEqualTo(12);
        assertThat(work.waiting(1)).isZero();
    }

    /** Each second an item comes with its marker; the worker reads on and finishes nothing. */
    @Test
    void a_worker_that_only_reads_is_stuck_after_ten_seconds_and_not_before() {
        for (int second = 0; second <= 20; second++) {
            long[] open = new long[second + 1];
            for (int i = 0; i <= second; i++) {
                open[i] = 2L * i;
            }
            PartitionBacklog work = lane.next(List.of(progress(0, 2L * second + 2, 2L * second + 2, open)), second * 1_000, STUCK_AFTER_MILLIS);
            assertThat(work.isStuck(0)).as("at %d s", second).isEqualTo(second >= 10);
        }
    }

    @Test
    void a_worker_that_hangs_on_one_item_and_finishes_others_is_not_stuck() {
        for (int second = 0; second <= 60; second++) {
            long end = 4L * second + 2;
            assertThat(lane.next(List.of(progress(0, end, end, 0)), second * 1_000, STUCK_AFTER_MILLIS).isStuck(0))
                    .as("at %d s", second).isFalse();
        }
    }

    @Test
    void where_nobody_reads_all_are_stuck_alike_and_an_empty_partition_never_is() {
        List<QueueProgress> reading = List.of(untouched(0, 5), untouched(1, 9), untouched(2, 0));
        lane.next(reading, 0, STUCK_AFTER_MILLIS);

        PartitionBacklog work = lane.next(reading, 10_000, STUCK_AFTER_MILLIS);

        assertThat(List.of(work.isStuck(0), work.isStuck(1), work.isStuck(2))).containsExactly(true, true, false);
        assertThat(work.waiting(1)).isEqualTo(9);
    }

    @Test
    void the_first_item_that_is_finished_ends_it() {
        lane.next(List.of(progress(0, 4, 4, 0, 2)), 0, STUCK_AFTER_MILLIS);
        assertThat(lane.next(List.of(progress(0, 4, 4, 0, 2)), 10_000, STUCK_AFTER_MILLIS).isStuck(0)).isTrue();
        assertThat(lane.next(List.of(progress(0, 4, 4, 0)), 11_000, STUCK_AFTER_MILLIS).isStuck(0)).isFalse();
    }

    @Test
    void partitions_that_are_added_are_read_from_then_on() {
        lane.next(List.of(untouched(0, 5)), 0, STUCK_AFTER_MILLIS);
        assertThat(lane.next(List.of(untouched(0, 5), untouched(1, 3)), 1_000, STUCK_AFTER_MILLIS).waiting(1)).isEqualTo(3);
    }

    private static QueueProgress untouched(int partition, long end) {
        return new QueueProgress(new TopicPartition("hot", partition), 0, end, ProgressState.fresh(0));
    }

    private static QueueProgress progress(int partition, long end, long readTo, long... unfinished) {
        OffsetList list = OffsetList.of(unfinished);
        return new QueueProgress(new TopicPartition("hot", partition), 0, end, new ProgressState(
                list.isEmpty() ? readTo : list.first(), readTo, readTo, list, Optional.empty(), false, false));
    }
}
