package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TakeoverTest {
    private final Takeover takeover = new Takeover();

    private static ProgressState died(Optional<SuspectMark> mark, boolean alone) {
        return new ProgressState(10, 20, 148, OffsetList.of(10, 12, 15), mark, 0, false, alone);
    }

    @Test
    void partitions_that_were_released_in_order_are_not_mentioned() {
        takeover.add(new TopicPartition("q.hot", 0), ProgressState.fresh(7), 100);

        assertThat(takeover.describe()).isEmpty();
    }

    @Test
    void one_line_counts_partitions_and_items_that_may_have_been_running() {
        takeover.add(new TopicPartition("q.hot", 0), died(Optional.empty(), false), 24);
        takeover.add(new TopicPartition("q.hot", 1), died(Optional.empty(), false), 1_000);
        takeover.add(new TopicPartition("q.hot", 2), ProgressState.fresh(7), 100);

        assertThat(takeover.describe()).contains(
                "Took over 2 partitions of a worker that died, with at most 138 items that it may have been handling"
                        + " (q.hot-0: 7, q.hot-1: 131); they run again, the oldest one at a time");
    }

    @Test
    void the_item_that_ran_alone_is_named() {
        takeover.add(new TopicPartition("q.hot", 0), died(Optional.of(new SuspectMark(12, 1)), true), 20);

        assertThat(takeover.describe()).contains(
                "Took over 1 partition of a worker that died, with at most 3 items that it may have been handling"
                        + " (q.hot-0: 3); after another death, those of 1 partition run one at a time"
                        + "; it died while this item ran alone: q.hot-0@12");
    }

    @Test
    void many_partitions_stay_one_line() {
        for (int i = 0; i < 300; i++) {
            takeover.add(new TopicPartition("q.hot", i), died(Optional.of(new SuspectMark(12, 1)), true), 20);
        }

        assertThat(takeover.describe().orElseThrow())
                .contains("300 partitions", "900 items", ", ...").hasSizeLessThan(500);
    }
}
