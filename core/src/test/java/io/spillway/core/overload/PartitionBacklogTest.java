package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionBacklogTest {
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
        PartitionBacklog work = PartitionBacklog.unknown(2);
        String[] steps = readings.split(", ");
        for (int i = 0; i < steps.length; i++) {
            String[] parts = steps[i].trim().split("[/ ]");
            work = work.next(new long[] {Long.parseLong(parts[0]), Long.parseLong(parts[2])},
                    new long[] {Long.parseLong(parts[1]), Long.parseLong(parts[3])}, 1_000_000 + 1_000L * i, 3_000);
            String now = (work.isStuck(0) ? "S" : "-") + (work.isStuck(1) ? "S" : "-");
            assertThat(now).as("%s: second %d: %s", what, i, work).isEqualTo(stuck.split(" ")[i]);
        }
    }

    @Test
    void a_clock_change_makes_no_partition_stuck_for_long() {
        long[] waiting = {9};
        PartitionBacklog work = PartitionBacklog.unknown(1).next(waiting, new long[] {1}, 5_000_000, 3_000);
        work = work.next(waiting, new long[] {1}, 1_000_000, 3_000);
        assertThat(work.isStuck(0)).isFalse();
        work = work.next(waiting, new long[] {1}, 1_003_000, 3_000);
        assertThat(work.isStuck(0)).isTrue();
        work = work.next(waiting, new long[] {2}, 9_000_000, 3_000);
        assertThat(work.isStuck(0)).isFalse();
    }

    @Test
    void new_partitions_start_without_history_and_unknown_ones_are_empty() {
        PartitionBacklog work = backlog(5).next(new long[] {5, 7}, new long[] {0, 0}, 99_000, 1);

        assertThat(work.partitions()).isEqualTo(2);
        assertThat(work.isStuck(0)).isTrue();
        assertThat(work.isStuck(1)).isFalse();
        assertThat(work.waiting(2)).isZero();
        assertThat(work.isStuck(2)).isFalse();
        assertThat(work.total()).isEqualTo(12);
        assertThat(PartitionBacklog.of(1, 2).total()).isEqualTo(3);
    }

    @Test
    void invalid_arguments_are_rejected() {
        assertThatThrownBy(() -> backlog(-1)).hasMessageContaining("partition 0: -1 waiting");
        assertThatThrownBy(() -> backlog(1).next(new long[2], new long[1], 0, 1))
                .hasMessageContaining("waiting of 2 partitions, finished of 1");
        assertThatThrownBy(() -> backlog(1).next(new long[1], new long[1], 0, 0))
                .hasMessageContaining("stuckAfterMillis = 0: must be the same number, and 1 or more");
    }

    private static PartitionBacklog backlog(long... waiting) {
        return PartitionBacklog.unknown(0).next(waiting, new long[waiting.length], 0, 3_000);
    }
}
