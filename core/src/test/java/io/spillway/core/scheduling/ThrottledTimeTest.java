package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ThrottledTimeTest extends DispatchTimeline {
    @Test
    void a_limit_holds_items_back_while_they_wait_and_all_its_slots_are_in_use() {
        dispatch = new FairDispatch<>(new DispatchSettings(50, 0.2, 0.05, 0.05, 1_000, 1 << 20, 100, true));
        offer(Lane.HOT, "capped", 3, PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "2"));
        offer(Lane.HOT, "full", 2, PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "2"));
        offer(Lane.HOT, "free", 10);
        assertThat(dispatch.limitsAtCap()).as("nothing has started").isEmpty();

        List<SlotLease<String>> starts = takeAll(true);
        assertThat(dispatch.limitsAtCap()).as("of full no item waits").containsExactly("capped");
        starts.forEach(start -> dispatch.ended(start, 1));
        assertThat(dispatch.limitsAtCap()).isEmpty();
    }

    @Test
    void the_share_follows_the_samples_of_the_last_minutes() {
        ThrottledTime shares = new ThrottledTime();
        for (int second = 0; second < 300; second++) {
            shares.sample(second % 4 == 0 ? Set.of("a", "b/mail") : Set.of("a"));
        }
        assertThat(shares.of("a")).isCloseTo(1, offset(0.01));
        assertThat(shares.of("b/mail")).isCloseTo(0.25, offset(0.03));
        assertThat(shares.of("c")).isZero();
        for (int second = 0; second < 300; second++) {
            shares.sample(Set.of());
        }
        assertThat(shares.of("a")).as("forgotten").isZero();
    }

    @Test
    void a_limit_beyond_ten_thousand_is_not_measured_until_another_is_forgotten() {
        ThrottledTime shares = new ThrottledTime();
        shares.sample(IntStream.range(0, 10_000).mapToObj(i -> "t" + i).collect(Collectors.toSet()));
        shares.sample(Set.of("t7", "more"));
        assertThat(shares.of("t7")).isGreaterThan(shares.of("t8"));
        assertThat(shares.of("more")).isZero();
        for (int second = 0; second < 60; second++) {
            shares.sample(Set.of("t7"));
        }
        shares.sample(Set.of("more"));
        assertThat(shares.of("more")).isPositive();
    }
}
