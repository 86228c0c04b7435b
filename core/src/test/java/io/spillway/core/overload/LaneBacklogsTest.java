package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import org.junit.jupiter.api.Test;

class LaneBacklogsTest {
    @Test
    void each_lane_that_workers_work_on_is_measured_and_no_other() {
        LaneBacklogs backlogs = LaneBacklogs.measured(lane -> PartitionBacklog.of(lane.ordinal() + 1, 10));
        assertThat(backlogs.of(Lane.HOT).waiting(0)).isEqualTo(1);
        assertThat(backlogs.of(Lane.OVERFLOW).waiting(0)).isEqualTo(2);
        assertThat(backlogs.of(Lane.AGED).waiting(0)).isEqualTo(3);
        assertThat(backlogs.of(Lane.DELAY).total()).isZero();
        assertThat(backlogs.total()).isEqualTo(1 + 2 + 3 + 3 * 10);
        assertThat(LaneBacklogs.UNKNOWN.total()).isZero();
    }
}
