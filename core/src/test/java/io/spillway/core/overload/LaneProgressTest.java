package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneProgressTest {
    private final LaneProgress<ProgressState> lane = LaneProgress.ofCommits(Duration.ofSeconds(10));
    private final LaneProgress<Long> counts =
            new LaneProgress<>(Duration.ofSeconds(3), (before, now) -> !before.equals(now));

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

    /**
     * Updates of two partitions, a second apart: waiting/finished of each, then the stuck ones (after 3 seconds).
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            idle for long is not stuck            | 0/5 0/5, 0/5 0/5, 0/5 0/5, 0/5 0/5, 0/5 0/5       | -- -- -- -- --
            no progress for three seconds is      | 9/5 9/5, 9/5 9/6, 9/5 9/7, 9/5 9/8, 9/5 9/9       | -- -- -- S- S-
            one item done ends it                 | 9/5 0/0, 9/5 0/0, 9/5 0/0, 9/5 0/0, 8/6 0/0       | -- -- -- S- --
            and it begins anew                    | 9/5 0/0, 9/5 0/0, 8/6 0/0, 8/6 0/0, 8/6 0/0       | -- -- -- -- --
            more work is no progress              | 1/5 0/0, 5/5 0/0, 9/5 0/0, 99/5 0/0, 99/5 0/0     | -- -- -- S- S-
            work that came late has its own time  | 0/5 0/0, 0/5 0/0, 0/5 0/0, 9/5 0/0, 9/5 0/0       | -- -- -- -- --
            both                                  | 1/1 1/1, 1/1 1/1, 1/1 1/1, 1/1 1/1, 0/2 1/1       | -- -- -- SS -S
            a counter that was reset is progress  | 9/5 0/0, 9/5 0/0, 9/5 0/0, 9/0 0/0, 9/0 0/0       | -- -- -- -- --
            """)
    void a_partition_with_items_that_finishes_none_is_stuck(String what, String readings, String stuck) {
        String[] steps = readings.split(", ");
        for (int i = 0; i < steps.length; i++) {
            String[] parts = steps[i].trim().split("[/ ]");
            PartitionBacklog work = counts.next(new long[] {Long.parseLong(parts[0]), Long.parseLong(parts[2])},
                    List.of(Long.parseLong(parts[1]), Long.parseLong(parts[3])), 1_000_000 + 1_000L * i);
            String now = (work.isStuck(0) ? "S" : "-") + (work.isStuck(1) ? "S" : "-");
            assertThat(now).as("%s: second %d: %s", what, i, work).isEqualTo(stuck.split(" ")[i]);
        }
    }

    @Test
    void a_clock_change_makes_no_partition_stuck_for_long() {
        long[] waiting = {9};
        counts.next(waiting, List.of(1L), 5_000_000);
        assertThat(counts.next(waiting, List.of(1L), 1_000_000).isStuck(0)).isFalse();
        assertThat(counts.next(waiting, List.of(1L), 1_003_000).isStuck(0)).isTrue();
        assertThat(counts.next(waiting, List.of(2L), 9_000_000).isStuck(0)).isFalse();
    }

    @Test
    void added_partitions_are_measured_and_unknown_ones_are_empty() {
        counts.next(new long[] {5}, List.of(0L), 0);
        PartitionBacklog backlog = counts.next(new long[] {5, 7}, List.of(0L, 0L), 99_000);

        assertThat(List.of(backlog.isStuck(0), backlog.isStuck(1), backlog.isStuck(2))).containsOnly(false);
        assertThat(backlog.waiting(1)).isEqualTo(7);
        assertThat(backlog.waiting(2)).isZero();
        assertThat(backlog.total()).isEqualTo(12);
        assertThat(counts.next(new long[] {5, 7}, List.of(0L, 1L), 102_000).stuckPartitions()).isEqualTo(1);
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
                list.isEmpty() ? readTo : list.first(), readTo, readTo, list, Optional.empty(), 0, false, false));
    }

    @ParameterizedTest(name = "{4}")
    @CsvSource({
        "'1 2 3',  4, '1 2 3',          4, nothing has happened,                                         false",
        "'1 2 3',  4, '1 3',            4, one was finished,                                             true",
        "'1 2 3',  4, '',               4, all were finished,                                            true",
        "'1',      2, '1',              4, a record and its marker were read: unknown,                   false",
        "'1',      2, '1 2 4 6 8',     10, a stuck worker reads on: every other offset is a marker,      false",
        "'1',      2, '1 5 6 8',       10, a few markers of earlier items are among them,                false",
        "'1',      2, '1 9',           10, it hangs on one item and finishes others,                     true",
        "'1',      2, '1',             10, it hangs on one item and has finished all others,             true",
        "'',       4, '',               4, an idle partition,                                            false",
        "'',       4, '4 5 6 7',        8, new items without a finished one,                            false",
        "'5 7',    9, '5 7',            9, a takeover that has done nothing yet,                         false",
    })
    void progress_is_reported_only_when_an_item_certainly_finished(
            String openBefore, long readBefore, String openNow, long readNow, String what, boolean expected) {
        assertThat(LaneProgress.isMade(state(openBefore, readBefore), state(openNow, readNow))).as(what)
                .isEqualTo(expected);
    }

    private static ProgressState state(String unfinished, long readTo) {
        OffsetList list = unfinished.isEmpty() ? OffsetList.EMPTY
                : OffsetList.of(Arrays.stream(unfinished.split(" ")).mapToLong(Long::parseLong).toArray());
        return new ProgressState(
                list.isEmpty() ? readTo : list.first(), readTo, readTo, list, Optional.empty(), 0, false, false);
    }
}
