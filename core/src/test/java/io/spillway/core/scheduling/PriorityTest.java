package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Order of one tenant's items with priorities. */
class PriorityTest {
    private static final long EPOCH_MILLIS = 1_800_000_000_000L;
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.DEFAULTS);

    private final FairDispatch<String> dispatch =
            new FairDispatch<>(new DispatchSettings(1, 0, 0, 0, 10_000, 1 << 30, 60_000, false));

    @Test
    void an_urgent_item_goes_before_those_that_wait_and_without_priorities_the_order_is_that_of_arrival() {
        offer("t", "", "first", 4, 5_000);
        offer("t", "", "second", 4, 0);
        offer("t", "", "urgent", 9, 9_000);
        offer("t", "", "low", 0, 0);
        offer("t", "", "third", 4, 1_000);
        assertThat(serve(5)).containsExactly("urgent", "first", "second", "third", "low");
    }

    /** Each level is a minute. */
    @ParameterizedTest
    @CsvSource({
        "0, 9, 539, later", "0, 9, 541, earlier", "0, 4, 239, later", "0, 4, 241, earlier", "4, 5, 59, later",
        "4, 5, 61, earlier", "9, 0, 1, earlier", "4, 4, 0, earlier", "0, 1, 0, later"})
    void an_item_is_overtaken_only_by_items_that_came_within_minutes_after_it(
            int priorityOfEarlier, int priorityOfLater, int secondsLater, String first) {
        offer("t", "", "earlier", priorityOfEarlier, 0);
        offer("t", "", "later", priorityOfLater, secondsLater * 1_000L);
        assertThat(serve(1)).containsExactly(first);
    }

    @Test
    void of_two_items_that_are_as_urgent_the_one_of_the_higher_level_goes_first() {
        SlotLease<String> normal = new SlotLease<>("normal", 0, 4, EPOCH_MILLIS);
        SlotLease<String> higher = new SlotLease<>("higher", 0, 5, EPOCH_MILLIS + 60_000);
        assertThat(higher.isBefore(normal)).isTrue();
        assertThat(normal.isBefore(higher)).isFalse();
        assertThat(normal.isBefore(normal)).isFalse();
    }

    @Test
    void priorities_change_nothing_between_tenants_and_workloads() {
        for (int i = 0; i < 3; i++) {
            offer("a", "x", "a/x", 9, 0);
            offer("a", "y", "a/y", 0, 0);
            offer("b", "", "b", 4, 0);
        }
        assertThat(serve(9)).containsExactly("a/x", "b", "a/y", "b", "a/x", "b", "a/y", "a/x", "a/y");
    }

    @Test
    void a_priority_out_of_range_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> offer("t", "", "x", 10, 0))
                .withMessageContaining("priority = 10");
        assertThatIllegalArgumentException().isThrownBy(() -> offer("t", "", "x", -1, 0));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void any_sequence_is_served_like_a_list_that_is_searched_for_the_most_urgent(long seed) {
        record Waiting(String name, int priority, long sinceSeconds, int number) {}
        Random random = new Random(seed);
        List<Waiting> model = new ArrayList<>();
        long nowSeconds = 0;
        for (int i = 0; i < 5_000; i++) {
            nowSeconds += random.nextInt(30);
            int what = random.nextInt(i % 500 < 250 ? 3 : 6);
            if (what < 2) {
                int priority = random.nextBoolean() ? 4 : random.nextInt(10);
                model.add(new Waiting("i" + i, priority, nowSeconds - (priority - 4) * 60L, i));
                offer("t", "", "i" + i, priority, nowSeconds * 1_000);
            } else if (what == 2) {
                String ending = Integer.toString(random.nextInt(100));
                dispatch.removeIf(name -> name.endsWith(ending), 0);
                model.removeIf(each -> each.name().endsWith(ending));
            } else if (!model.isEmpty()) {
                Waiting next = model.stream().min(Comparator.comparingLong(Waiting::sinceSeconds)
                        .thenComparing(each -> -each.priority()).thenComparing(Waiting::number)).orElseThrow();
                model.remove(next);
                assertThat(serve(1)).as("seed %d, step %d", seed, i).containsExactly(next.name());
            }
        }
        assertThat(dispatch.waiting(Lane.HOT)).isEqualTo(model.size());
    }

    @Test
    void of_a_queue_that_is_too_long_the_least_urgent_items_move() {
        for (int i = 0; i < 20; i++) {
            offer("t", "", "known", 4, 0);
            SlotLease<String> lease = dispatch.take(true, i * 100_000_000_000L).orElseThrow();
            dispatch.ended(lease, i * 100_000_000_000L + 70_000_000_000L);
        }
        offer("t", "", "normal", 4, 0);
        offer("t", "", "low-1", 0, 0);
        offer("t", "", "urgent", 9, 10_000);
        offer("t", "", "low-2", 0, 0);
        assertThat(dispatch.excess(EPOCH_MILLIS, 0)).extracting(Excess::item)
                .containsExactly("normal", "low-1", "low-2");
    }

    private void offer(String tenant, String workload, String item, int priority, long afterMillis) {
        dispatch.offer(Lane.HOT, tenant, workload, POLICY, item, 0, priority, EPOCH_MILLIS + afterMillis);
    }

    private List<String> serve(int count) {
        List<String> served = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SlotLease<String> lease = dispatch.take(true, 0).orElseThrow();
            served.add(lease.item());
            dispatch.ended(lease, 10_000_000);
        }
        return served;
    }
}
