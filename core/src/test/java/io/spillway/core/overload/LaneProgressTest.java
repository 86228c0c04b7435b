package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LaneProgressTest {
    private final LaneProgress lane = new LaneProgress(Duration.ofSeconds(10));

    private record Part(long waiting, ProgressState commit) {}

    /** Each second an item arrives with its transaction marker; the worker reads on and finishes none. */
    @Test
    void a_partition_whose_worker_only_reads_is_stuck_after_ten_seconds() {
        for (int second = 0; second <= 20; second++) {
            long[] open = new long[second + 1];
            for (int i = 0; i <= second; i++) {
                open[i] = 2L * i;
            }
            PartitionBacklog backlog = measure(List.of(read(2L * second + 2, open)), second * 1_000);
            assertThat(backlog.isStuck(0)).as("at %d s", second).isEqualTo(second >= 10);
        }
    }

    @Test
    void a_partition_with_one_hanging_item_is_not_stuck_while_others_finish() {
        for (int second = 0; second <= 60; second++) {
            long end = 4L * second + 2;
            assertThat(measure(List.of(read(end, 0)), second * 1_000).isStuck(0))
                    .as("at %d s", second).isFalse();
        }
    }

    @Test
    void without_workers_all_partitions_are_stuck_except_empty_ones() {
        List<Part> measured = List.of(untouched(5), untouched(9), untouched(0));
        measure(measured, 0);

        PartitionBacklog backlog = measure(measured, 10_000);

        assertThat(List.of(backlog.isStuck(0), backlog.isStuck(1), backlog.isStuck(2)))
                .containsExactly(true, true, false);
        assertThat(backlog.waiting(1)).isEqualTo(9);
    }

    @Test
    void the_first_finished_item_ends_the_stuck_state() {
        measure(List.of(read(4, 0, 2)), 0);
        assertThat(measure(List.of(read(4, 0, 2)), 10_000).isStuck(0)).isTrue();
        assertThat(measure(List.of(read(4, 0)), 11_000).isStuck(0)).isFalse();
    }

    @Test
    void added_partitions_are_measured() {
        measure(List.of(untouched(5)), 0);
        assertThat(measure(List.of(untouched(5), untouched(3)), 1_000).waiting(1)).isEqualTo(3);
    }

    private PartitionBacklog measure(List<Part> parts, long nowMillis) {
        return lane.next(parts.stream().mapToLong(Part::waiting).toArray(),
                parts.stream().map(Part::commit).toList(), nowMillis);
    }

    private static Part untouched(long end) {
        return new Part(end, ProgressState.fresh(0));
    }

    private static Part read(long readTo, long... unfinished) {
        OffsetList list = OffsetList.of(unfinished);
        return new Part(unfinished.length, new ProgressState(
                list.isEmpty() ? readTo : list.first(), readTo, readTo, list, Optional.empty(), false, false));
    }
}
