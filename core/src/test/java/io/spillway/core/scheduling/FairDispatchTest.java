package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FairDispatchTest extends DispatchTimeline {
    FairDispatchTest() {
        dispatch = new FairDispatch<>(settings(1, 0));
    }

    @Test
    void hot_has_priority_over_overflow_and_overflow_over_aged() {
        offer(Lane.AGED, "a", 2);
        offer(Lane.OVERFLOW, "b", 2);
        offer(Lane.HOT, "c", 2);
        assertThat(serve(6, 10)).containsExactly("c", "c", "b", "b", "a", "a");
    }

    @Test
    void aged_waits_until_the_live_lanes_are_caught_up() {
        offer(Lane.AGED, "a", 1);
        assertThat(dispatch.take(false, 0)).isEmpty();
        assertThat(dispatch.take(true, 0)).isPresent();
    }

    @Test
    void no_more_than_the_slots_are_in_flight_and_an_ended_attempt_frees_its_slot() {
        dispatch = new FairDispatch<>(settings(3, 0));
        offer(Lane.HOT, "a", 10);
        List<SlotLease<String>> starts = takeAll(true);
        assertThat(starts).hasSize(3);
        assertThat(dispatch.pool.inFlight).isEqualTo(3);
        assertThat(TenantLoad.inFlight(dispatch, "a")).isEqualTo(3);
        dispatch.ended(starts.get(1), 0);
        assertThat(takeAll(true)).hasSize(1);
    }

    @Test
    void an_attempt_ends_once() {
        offer(Lane.HOT, "a", 1);
        SlotLease<String> start = dispatch.take(true, 0).orElseThrow();
        dispatch.ended(start, 1);
        assertThatIllegalStateException().isThrownBy(() -> dispatch.ended(start, 2));
        assertThat(dispatch.pool.inFlight).isZero();
    }

    @Test
    void a_lease_returns_its_item_tenant_and_lane() {
        offer(dispatch, Lane.OVERFLOW, "a", POLICY, "item", 0);
        SlotLease<String> start = dispatch.take(true, 0).orElseThrow();
        assertThat(start.item()).isEqualTo("item");
        assertThat(start.queue.node.name).isEqualTo("a");
        assertThat(start.queue.lane.lane).isEqualTo(Lane.OVERFLOW);
    }

    @Test
    void equal_tenants_take_turns_however_many_items_each_has() {
        offer(Lane.HOT, "a", 100);
        offer(Lane.HOT, "b", 3);
        offer(Lane.HOT, "c", 3);
        assertThat(serve(9, 10)).containsExactlyInAnyOrder("a", "a", "a", "b", "b", "b", "c", "c", "c");
    }

    @Test
    void a_tenant_is_charged_for_the_time_it_holds_a_slot() {
        offer(Lane.HOT, "fast", 1_000);
        offer(Lane.HOT, "slow", 1_000);
        double[] heldMillis = new double[2];
        for (int i = 0; i < 550; i++) {
            SlotLease<String> start = dispatch.take(true, nanos()).orElseThrow();
            boolean isSlow = start.queue.node.name.equals("slow");
            nowMillis += isSlow ? 100 : 10;
            heldMillis[isSlow ? 1 : 0] += isSlow ? 100 : 10;
            dispatch.ended(start, nanos());
        }
        assertThat(heldMillis[1] / heldMillis[0]).isBetween(0.95, 1.05);
    }

    @Test
    void starts_that_are_cancelled_cost_a_tenant_no_turn() {
        offer(Lane.HOT, "a", 100);
        offer(Lane.HOT, "b", 100);
        serve(20, 10);
        int served = 0;
        for (int cancelled = 0; cancelled < 10;) {
            SlotLease<String> start = dispatch.take(true, nanos()).orElseThrow();
            if (start.queue.node.name.equals("a")) {
                dispatch.cancelled(start, nanos());
                cancelled++;
            } else {
                nowMillis += 10;
                dispatch.ended(start, nanos());
                served++;
            }
        }
        assertThat(served).as("of b").isLessThanOrEqualTo(1);
        assertThat(dispatch.pool.inFlight).isZero();
    }

    @Test
    void a_tenant_saves_no_credit_while_it_is_idle() {
        offer(Lane.HOT, "a", 1);
        offer(Lane.HOT, "b", 1_000);
        serve(301, 10);
        offer(Lane.HOT, "a", 100);
        assertThat(Collections.frequency(serve(40, 10), "a")).isBetween(19, 21);
    }

    @Test
    void a_tenant_that_returns_is_served_after_those_that_wait_already() {
        offer(Lane.HOT, "a", 1);
        offer(Lane.HOT, "c", 3);
        offer(Lane.HOT, "b", 100);
        serve(34, 10);
        offer(Lane.HOT, "c", 1);
        offer(Lane.HOT, "a", 1);
        assertThat(serve(3, 10)).containsExactly("c", "a", "b");
    }

    @Test
    void a_tenant_saves_no_credit_while_it_is_at_its_cap() {
        dispatch = new FairDispatch<>(settings(2, 0));
        offer(Lane.HOT, "a", 200, PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "1"));
        SlotLease<String> held = dispatch.take(true, 0).orElseThrow();
        offer(Lane.HOT, "b", 1_000);
        serve(200, 10);
        dispatch.ended(held, nanos());
        assertThat(Collections.frequency(serve(40, 10), "b")).isGreaterThanOrEqualTo(19);
    }

    @Test
    void a_tenant_keeps_its_debt_while_its_queue_is_empty() {
        offer(Lane.HOT, "slow", 1);
        offer(Lane.HOT, "b", 1_000);
        SlotLease<String> slow = dispatch.take(true, nanos()).orElseThrow();
        assertThat(slow.queue.node.name).isEqualTo("slow");
        nowMillis += 1_000;
        dispatch.ended(slow, nanos());
        offer(Lane.HOT, "slow", 1);
        List<String> served = serve(105, 10);
        assertThat(served.indexOf("slow")).isBetween(95, 104);
    }

    @Test
    void a_single_tenant_may_use_every_slot_once_its_attempts_are_known_to_be_short() {
        dispatch = new FairDispatch<>(settings(50, 0.2));
        offer(Lane.HOT, "alone", 100);
        List<SlotLease<String>> starts = takeAll(true);
        assertThat(starts).hasSize(40);
        nowMillis += 20;
        dispatch.ended(starts.getFirst(), nanos());
        assertThat(takeAll(true)).hasSize(11);
    }

    @ParameterizedTest
    @CsvSource({"9999, 49", "10001, 50"})
    void a_tenant_counts_as_single_when_no_other_had_work_for_ten_seconds(long afterMillis, int expected) {
        dispatch = new FairDispatch<>(notAdaptive(50, 0.2));
        offer(Lane.HOT, "noisy", 1);
        serve(1, 1);
        offer(Lane.HOT, "other", 1);
        serve(1, 1);
        nowMillis += afterMillis;
        offer(Lane.HOT, "noisy", 100);
        assertThat(takeAll(true)).hasSize(expected);
    }

    @Test
    void a_single_tenant_may_use_every_slot_even_when_its_attempts_take_far_longer_than_those_before() {
        dispatch = new FairDispatch<>(settings(50, 0.2));
        offer(Lane.HOT, "slow", 1);
        serve(1, 1_000);
        offer(Lane.HOT, "other", 300);
        serve(300, 1);
        nowMillis += 10_001;
        offer(Lane.HOT, "slow", 100);
        assertThat(takeAll(true)).hasSize(40);
        nowMillis += 900;
        assertThat(takeAll(true)).hasSize(10);
    }

    @ParameterizedTest
    @CsvSource({"9999, 50", "10001, 40"})
    void a_tenant_is_single_also_when_the_weight_of_the_others_was_negligible(long afterMillis, int expected) {
        dispatch = new FairDispatch<>(settings(50, 0.2));
        PolicySettings heavy = PolicySettings.DEFAULTS.with(PolicyField.WEIGHT, "10");
        offer(Lane.HOT, "heavy", 1, heavy);
        serve(1, 1_000);
        offer(Lane.HOT, "light", 1, PolicySettings.DEFAULTS.with(PolicyField.WEIGHT, "0.1"));
        serve(1, 1);
        nowMillis += afterMillis;
        offer(Lane.HOT, "heavy", 100, heavy);
        assertThat(takeAll(true)).hasSize(expected);
    }

    @Test
    void the_reserve_is_left_to_tenants_below_their_share() {
        dispatch = new FairDispatch<>(notAdaptive(50, 0.2));
        offer(Lane.HOT, "quiet", 1);
        serve(1, 1);
        offer(Lane.HOT, "noisy", 100);
        assertThat(takeAll(true)).hasSize(40);
        offer(Lane.AGED, "quiet", 20);
        assertThat(takeAll(true)).hasSize(10).allMatch(start -> start.queue.node.name.equals("quiet"));
    }

    @Test
    void when_others_arrive_a_tenant_beyond_its_new_share_holds_nothing_of_the_reserve() {
        dispatch = new FairDispatch<>(notAdaptive(50, 0.2));
        offer(Lane.AGED, "b", 1);
        offer(Lane.HOT, "a", 20);
        assertThat(takeAll(false)).hasSize(20);
        for (int i = 0; i < 8; i++) {
            offer(Lane.AGED, "other" + i, 1);
        }
        offer(Lane.HOT, "b", 100);
        takeAll(false);
        assertThat(TenantLoad.inFlight(dispatch, "b")).isEqualTo(20);
    }

    @Test
    void quiet_tenants_draw_from_the_reserve_so_that_the_noisy_one_gets_the_rest() {
        dispatch = new FairDispatch<>(notAdaptive(50, 0.2));
        for (int i = 0; i < 99; i++) {
            offer(Lane.HOT, "quiet" + i, 1);
        }
        serve(99, 1);
        for (int i = 0; i < 10; i++) {
            offer(Lane.HOT, "quiet" + i, 1);
        }
        offer(Lane.OVERFLOW, "noisy", 100);
        assertThat(takeAll(true)).hasSize(50);
        assertThat(TenantLoad.inFlight(dispatch, "noisy")).isEqualTo(40);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 2, 12, 24", "1, 3, 4, 6, 24", "0.01, 1, 1, 1, 24"})
    void shares_follow_the_weights(double first, double second, double third, int firstShare, int thirdShare) {
        dispatch = new FairDispatch<>(settings(48, 0.2));
        offer(Lane.HOT, "a", 1, PolicySettings.DEFAULTS.with(PolicyField.WEIGHT, "" + first));
        offer(Lane.HOT, "b", 1, PolicySettings.DEFAULTS.with(PolicyField.WEIGHT, "" + second));
        offer(Lane.HOT, "c", 1, PolicySettings.DEFAULTS.with(PolicyField.WEIGHT, "" + third));
        assertThat(TenantLoad.of(dispatch, "a").orElseThrow().share()).isEqualTo(firstShare);
        assertThat(TenantLoad.of(dispatch, "c").orElseThrow().share()).isEqualTo(thirdShare);
    }

    @Test
    void no_tenant_holds_more_slots_than_its_concurrency_even_as_the_only_one() {
        dispatch = new FairDispatch<>(settings(50, 0.2));
        offer(Lane.HOT, "a", 100, PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "7"));
        assertThat(takeAll(true)).hasSize(7);
        assertThat(dispatch.tenantsAtCap()).isEqualTo(1);
    }

    @Test
    void a_policy_changed_while_items_wait_applies_from_the_next_offer() {
        dispatch = new FairDispatch<>(settings(50, 0.2));
        offer(Lane.HOT, "a", 50, PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "7"));
        assertThat(takeAll(true)).hasSize(7);
        offer(Lane.HOT, "a", 1, PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "9"));
        assertThat(takeAll(true)).hasSize(2);
    }

    @Test
    void a_lane_is_full_at_its_read_ahead_in_items_or_in_bytes() {
        dispatch = new FairDispatch<>(new DispatchSettings(1, 0, 0, 0, 3, 100, 100, true));
        offer(Lane.HOT, "a", 2);
        assertThat(dispatch.hasRoom(Lane.HOT, 0, 0)).isTrue();
        offer(Lane.HOT, "b", 1);
        assertThat(dispatch.hasRoom(Lane.HOT, 0, 0)).isFalse();
        assertThat(dispatch.hasRoom(Lane.OVERFLOW, 0, 0)).isTrue();
        dispatch.hold(Lane.OVERFLOW, 1, 99);
        assertThat(dispatch.hasRoom(Lane.OVERFLOW, 0, 0)).isTrue();
        dispatch.hold(Lane.OVERFLOW, 1, 1);
        assertThat(dispatch.hasRoom(Lane.OVERFLOW, 0, 0)).isFalse();
        assertThat(serve(3, 1)).hasSize(3);
        dispatch.hold(Lane.OVERFLOW, -2, -100);
        assertThat(dispatch.hasRoom(Lane.HOT, 0, 0) && dispatch.hasRoom(Lane.OVERFLOW, 0, 0)).isTrue();
    }

    @Test
    void items_that_were_removed_are_not_wanted_any_more() {
        offer(Lane.HOT, "gone", 3);
        offer(Lane.HOT, "other", 1);
        offer(Lane.HOT, "gone", 1);
        assertThat(dispatch.pool.wanted).isPositive();
        dispatch.removeIf(item -> true, nanos());
        assertThat(dispatch.pool.wanted).isZero();
    }

    @Test
    void waiting_items_of_a_revoked_partition_are_removed_and_attempts_in_flight_end_as_usual() {
        offer(dispatch, Lane.HOT, "a", POLICY, "gone-1", 0);
        offer(dispatch, Lane.HOT, "a", POLICY, "gone-2", 0);
        offer(dispatch, Lane.HOT, "a", POLICY, "stays", 0);
        offer(dispatch, Lane.AGED, "b", POLICY, "gone-3", 0);
        SlotLease<String> first = dispatch.take(true, 0).orElseThrow();
        List<String> removed = new ArrayList<>();
        dispatch.removeIf(item -> item.startsWith("gone") && removed.add(item), 0);
        assertThat(removed).containsExactlyInAnyOrder("gone-2", "gone-3");
        dispatch.ended(first, 0);
        assertThat(dispatch.take(true, 0).map(SlotLease::item)).hasValue("stays");
        assertThat(dispatch.take(true, 0)).isEmpty();
        assertThat(dispatch.waiting(Lane.HOT) + dispatch.waiting(Lane.AGED)).isZero();
    }

    @Test
    void beyond_the_bound_the_longest_idle_tenants_are_removed() {
        for (int i = 0; i < TenantTable.MAX_IDLE + 500; i++) {
            offer(Lane.HOT, "t" + i, 1);
            serve(1, 1);
        }
        assertThat(TenantLoad.of(dispatch, "t499")).isEmpty();
        assertThat(TenantLoad.of(dispatch, "t500")).isPresent();
        nowMillis += 20_000;
        dispatch.take(true, nanos());
        assertThat(dispatch.tenants.active).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = Lane.class, names = {"DELAY", "DEAD_LETTER"})
    void only_hot_overflow_and_aged_are_scheduled(Lane lane) {
        assertThatIllegalArgumentException().isThrownBy(() -> offer(dispatch, lane, "a", POLICY, "x", 0))
                .withMessageContaining(lane.label());
        assertThatIllegalArgumentException().isThrownBy(() -> dispatch.hasRoom(lane, 0, 0));
    }

    private static DispatchSettings settings(int slots, double reserve) {
        return new DispatchSettings(slots, reserve, 0, 0, 100_000, 1 << 30, 100, true);
    }

    private static DispatchSettings notAdaptive(int slots, double reserve) {
        return new DispatchSettings(slots, reserve, 0, 0, 100_000, 1 << 30, 100, false);
    }
}
