package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.routing.ItemTimes;
import org.junit.jupiter.api.Test;

class EngineItemTest {
    /** An item of a caller that tells no more than it must. */
    private record Plain(EnginePartition partition, long offset, String tenant, int attempts) implements EngineItem {
        @Override
        public int blameThousandths() {
            return 0;
        }

        @Override
        public long waitMillis() {
            return 0;
        }

        @Override
        public int moves() {
            return 0;
        }

        @Override
        public ItemTimes times() {
            return new ItemTimes(5, 6, 7, 0, attempts > 0);
        }

        @Override
        public int bytes() {
            return 1;
        }
    }

    @Test
    void an_item_is_of_normal_urgency_without_workload_and_granted_by_nobody_unless_it_says_so() {
        Plain item = new Plain(new EngineTimeline(1).takeOver(
                Lane.HOT, ProgressState.fresh(0)), 3, "acme", 0);
        assertThat(item.priority()).isEqualTo(ItemLimits.NORMAL_PRIORITY);
        assertThat(item.workload()).isEmpty();
        assertThat(item.grantedBy()).isEqualTo(AttemptCounts.UNKNOWN);
        assertThat(item.identity()).isEqualTo(3L);
        assertThat(item.unreadable()).isEmpty();
    }
}
