package io.spillway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoPlanTest {
    @ParameterizedTest
    @ValueSource(ints = {3, 7, 40, 3_600})
    void the_events_have_the_same_order_at_any_length(int seconds) {
        DemoPlan plan = new DemoPlan(seconds);

        assertThat(new long[] {
                    0, plan.warmUpSendsToMillis(), plan.warmToMillis(), plan.slowFromMillis(), plan.floodFromMillis(),
                    plan.slowToMillis(), plan.sweepAtMillis(), plan.floodToMillis(), plan.disturbedToMillis(),
                    plan.endMillis()
                })
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(plan.events()).isSortedAccordingTo(Comparator.comparingLong(DemoPlan.Event::atMillis));
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 40})
    void every_tenant_sends_something_and_exactly_one_item_is_poisoned(int seconds) {
        DemoPlan plan = new DemoPlan(seconds);

        assertThat(plan.streams()).allSatisfy(stream -> assertThat(stream.dueMillis(0)).isLessThan(stream.toMillis()));
        assertThat(plan.streams().stream().filter(stream -> stream.idPrefix().equals(DemoPlan.POISON_PILL)))
                .singleElement()
                .satisfies(pill -> assertThat(pill.dueMillis(1)).isGreaterThanOrEqualTo(pill.toMillis()));
    }
}
