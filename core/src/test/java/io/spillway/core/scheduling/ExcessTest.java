package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExcessTest {
    private static final long EPOCH_MILLIS = 1_800_000_000_000L;
    private static final int READ_AHEAD = 1_000;

    private final FairDispatch<Integer> dispatch =
            new FairDispatch<>(new DispatchSettings(50, 0.2, 0, 0, READ_AHEAD, 1 << 30, 100, true));
    private long nowMillis;

    /**
     * A tenant with 500 items; at a concurrency of 5 and 20 ms each, 5 run at once and 25 within the buffer time of 100
     * ms.
     */
    @ParameterizedTest
    @CsvSource({"20, 5, 30", "20, 1, 6", "100, 5, 10", "1000, 5, 5", "1000, 1, 1"})
    void items_of_hot_that_would_wait_behind_their_own_tenant_longer_than_the_buffer_time_move_to_overflow(
            long handlerMillis, int concurrency, int kept) {
        learn("noisy", handlerMillis, concurrency);
        offer(Lane.HOT, "noisy", concurrency, 500, 0);
        List<Excess<Integer>> moved = excess();
        assertThat(dispatch.waiting(Lane.HOT)).isEqualTo(kept);
        assertThat(moved).hasSize(500 - kept).allMatch(move -> move.to() == Lane.OVERFLOW);
    }

    @Test
    void the_last_items_move_in_their_order() {
        learn("noisy", 1_000, 1);
        offer(Lane.HOT, "noisy", 1, 5, 0);
        takeAll();
        assertThat(excess()).extracting(Excess::item).containsExactly(1, 2, 3, 4);
    }

    @Test
    void items_in_flight_count_as_ahead() {
        learn("noisy", 20, 5);
        offer(Lane.HOT, "noisy", 5, 500, 0);
        takeAll();
        excess();
        assertThat(TenantLoad.inFlight(dispatch, "noisy")).isEqualTo(5);
        assertThat(dispatch.waiting(Lane.HOT)).isEqualTo(25);
    }

    @Test
    void items_of_other_tenants_stay() {
        learn("noisy", 20, 5);
        learn("quiet", 20, 5);
        offer(Lane.HOT, "noisy", 5, 500, 0);
        offer(Lane.HOT, "quiet", 5, 10, 0);
        excess();
        assertThat(TenantLoad.of(dispatch, "quiet").orElseThrow().waiting()).isEqualTo(10);
    }

    @Test
    void after_a_stall_of_the_worker_every_tenant_keeps_an_equal_share_of_the_read_ahead() {
        for (int i = 0; i < 10; i++) {
            learn("quiet" + i, 20, 50);
        }
        learn("noisy", 20, 50);
        for (int i = 0; i < 10; i++) {
            offer(Lane.HOT, "quiet" + i, 50, 90, 0);
        }
        offer(Lane.HOT, "noisy", 50, 2_000, 0);
        excess();
        for (int i = 0; i < 10; i++) {
            assertThat(TenantLoad.of(dispatch, "quiet" + i).orElseThrow().waiting()).isEqualTo(90);
        }
        assertThat(TenantLoad.of(dispatch, "noisy").orElseThrow().waiting()).isBetween(READ_AHEAD / 11, READ_AHEAD / 2);
    }

    @Test
    void when_the_buffer_empties_soon_nothing_moves_and_reading_pauses() {
        learn("fast", 0, 50);
        offer(Lane.HOT, "fast", 50, READ_AHEAD + 500, 0);
        assertThat(excess()).isEmpty();
        assertThat(dispatch.hasRoom(Lane.HOT, READ_AHEAD / 2, 0)).isFalse();
    }

    @Test
    void items_of_a_tenant_that_its_concurrency_slows_down_move_even_if_they_are_fast() {
        learn("capped", 2, 1);
        offer(Lane.HOT, "capped", 1, READ_AHEAD, 0);
        assertThat(excess()).hasSize(READ_AHEAD - 51);
    }

    /** Half of the read-ahead is 500 waiting items, or half a GiB in memory. */
    @ParameterizedTest
    @CsvSource({"500, 0, false", "501, 0, true", "10, 536870911, false", "10, 536870912, true"})
    void a_capped_tenants_backlog_moves_when_half_of_the_read_ahead_is_used(int items, long bytes, boolean moves) {
        learn("capped", 20, 1);
        offer(Lane.OVERFLOW, "capped", 1, items, 0);
        dispatch.hold(Lane.OVERFLOW, items, bytes);
        assertThat(takeAll()).hasSize(1);
        assertThat(excess().isEmpty()).isEqualTo(!moves);
    }

    @ParameterizedTest
    @EnumSource(value = Lane.class, names = {"OVERFLOW", "AGED"})
    void a_full_backlog_buffer_only_pauses_while_its_tenants_may_start_or_all_slots_are_busy(Lane lane) {
        learn("noisy", 20, 50);
        offer(lane, "noisy", 50, READ_AHEAD + 50, 0);
        assertThat(takeAll()).hasSize(50);
        assertThat(dispatch.hasRoom(lane, READ_AHEAD / 2, 0)).isFalse();
        assertThat(excess()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Lane.class, names = {"OVERFLOW", "AGED"})
    void items_of_a_tenant_at_its_cap_are_delayed_while_slots_are_idle_and_return_at_its_service_rate(Lane lane) {
        learn("held", 200, 2);
        offer(lane, "held", 2, READ_AHEAD + 2, 0);
        assertThat(takeAll()).hasSize(2);
        assertThat(excess()).hasSize(READ_AHEAD - 1).first().extracting(Excess::to).isEqualTo(Lane.DELAY);
        assertThat(dispatch.waiting(lane)).isEqualTo(1);
        assertThat(excess()).isEmpty();
    }

    @Test
    void due_times_are_a_service_time_apart_and_at_most_ten_minutes_ahead() {
        learn("held", 200, 2);
        offer(Lane.OVERFLOW, "held", 2, READ_AHEAD + 2, 6);
        takeAll();
        List<Long> first = dueAfterMillis(excess());
        assertThat(first).startsWith(64_000L).endsWith(99_900L).isSorted();
        assertThat(first.get(700) - first.get(699)).isEqualTo(100);

        offer(Lane.OVERFLOW, "held", 2, READ_AHEAD, 6);
        assertThat(dueAfterMillis(excess())).startsWith(100_000L);

        for (int i = 0; i < 6; i++) {
            offer(Lane.OVERFLOW, "held", 2, READ_AHEAD, 6);
            assertThat(dueAfterMillis(excess())).allMatch(due -> due <= 600_000);
        }
    }

    /** The estimate is 999 × 100 ms. */
    @ParameterizedTest
    @CsvSource({"0, 15", "1, 30", "2, 60", "3, 99", "6, 99", "7, 128", "9, 512", "10, 600", "2147483647, 600"})
    void the_estimate_counts_only_for_about_as_long_as_an_item_has_waited_before(int moves, long longestSeconds) {
        learn("held", 200, 2);
        offer(Lane.OVERFLOW, "held", 2, READ_AHEAD + 2, moves);
        takeAll();
        assertThat(dueAfterMillis(excess()).getLast() / 1_000).isEqualTo(longestSeconds);
    }

    /**
     * The last item of a backlog of a year, moved again whenever it returns: through overflow or aged it gets one move
     * more each time, through hot two. Before, it was six times in an hour and then, after eight moves, no more: it
     * stayed in the read-ahead of overflow, in front of the items of all other tenants.
     */
    @ParameterizedTest
    @CsvSource({"1, 1, 11", "1, 2, 8", "24, 1, 149", "24, 2, 146"})
    void moves_to_delay_are_bounded_by_the_hour(int hours, int movesEach, int expected) {
        learn("held", 60_000, 1);
        offer(Lane.OVERFLOW, "held", 1, READ_AHEAD, 0);
        takeAll();
        excess();
        int toDelay = 0;
        int moves = movesEach - 1;
        for (long at = 0; at < hours * 3_600_000L; toDelay++, moves += movesEach) {
            offer(Lane.OVERFLOW, "held", 1, READ_AHEAD, moves);
            List<Excess<Integer>> moved = dispatch.excess(EPOCH_MILLIS + at, nanos());
            at = moved.getLast().dueMillis() - EPOCH_MILLIS;
        }
        assertThat(toDelay).isEqualTo(expected);
    }

    /** 1,500 items of 30 s each for 2 at a time: more than 6 hours, until the attempts take 10 ms from second 60 on. */
    @Test
    void items_that_a_slow_tenant_held_back_return_soon_after_it_is_fast_again() {
        DispatchSimulation simulation = new DispatchSimulation(
                new DispatchSettings(50, 0.2, 0.05, 0.02, 2 * READ_AHEAD, 1 << 30, 100, true),
                item -> item.startedMillis < 60_000 ? 30_000 : 10);
        simulation.policy("held", policy(2));
        simulation.burst("held", Lane.OVERFLOW, 1_500, 0);
        simulation.run(3_600_000);
        assertThat(simulation.items.stream().filter(item -> item.endedMillis < 0)).isEmpty();
        assertThat(simulation.items.stream().mapToInt(item -> item.moves).max().orElseThrow()).isLessThanOrEqualTo(12);
        double lastMillis = simulation.items.stream().mapToDouble(item -> item.endedMillis).max().orElseThrow();
        System.out.printf("held back: the last item is done at second %.1f%n", lastMillis / 1_000);
        assertThat(lastMillis).as("before: 10 minutes after its only move").isLessThan(180_000);
    }

    @Test
    void a_tenant_whose_adaptive_cap_is_still_growing_is_not_held() {
        learn("other", 20, 50);
        learn("ramping", 20, 50);
        offer(Lane.OVERFLOW, "ramping", 50, READ_AHEAD + 50, 0);
        assertThat(takeAll()).hasSizeLessThan(40);
        assertThat(excess()).isEmpty();
    }

    @Test
    void an_item_with_many_moves_still_gives_way_in_hot() {
        learn("noisy", 1_000, 1);
        offer(Lane.HOT, "noisy", 1, 5, 9);
        offer(Lane.HOT, "noisy", 1, 5, 1_000);
        assertThat(excess()).hasSize(9).allMatch(move -> move.to() == Lane.OVERFLOW);
    }

    /** After an attempt of 50 ms it may start the next one in 200 ms or later, which is more than the buffer time. */
    @ParameterizedTest
    @ValueSource(doubles = {5, 1, 0.01})
    void a_tenant_whose_last_item_moves_to_overflow_is_not_active_after_ten_seconds(double attemptRate) {
        TenantPolicy paced = TenantPolicy.of(
                PolicySettings.DEFAULTS.with(PolicyField.ATTEMPT_RATE, Double.toString(attemptRate)));
        DispatchTimeline.offer(dispatch, Lane.HOT, "paced", paced, 0, 0);
        SlotLease<Integer> first = takeAll().getFirst();
        nowMillis += 50;
        dispatch.ended(first, nanos());
        DispatchTimeline.offer(dispatch, Lane.HOT, "paced", paced, 1, 0);
        assertThat(takeAll()).isEmpty();
        assertThat(excess()).extracting(Excess::item).containsExactly(1);

        nowMillis += 9_999;
        takeAll();
        assertThat(dispatch.tenants.active).isEqualTo(1);
        nowMillis += 1;
        takeAll();
        assertThat(dispatch.tenants.active).isZero();
        assertThat(dispatch.tenants.activeWeight).isZero();

        DispatchTimeline.offer(dispatch, Lane.HOT, "paced", paced, 2, 0);
        assertThat(dispatch.tenants.active).as("with its next item").isEqualTo(1);
    }

    /** Runs single attempts until the estimate equals the handler's duration. */
    private void learn(String tenant, long handlerMillis, int concurrency) {
        for (int i = 0; i < 20; i++) {
            offer(Lane.HOT, tenant, concurrency, 1, 0);
            SlotLease<Integer> start = dispatch.take(true, nanos()).orElseThrow();
            nowMillis += handlerMillis;
            dispatch.ended(start, nanos());
        }
    }

    private void offer(Lane lane, String tenant, int concurrency, int count, int moves) {
        TenantPolicy policy = policy(concurrency);
        IntStream.range(0, count).forEach(i -> DispatchTimeline.offer(dispatch, lane, tenant, policy, i, moves));
    }

    private static TenantPolicy policy(int concurrency) {
        return TenantPolicy.of(PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "" + concurrency));
    }

    private List<SlotLease<Integer>> takeAll() {
        List<SlotLease<Integer>> starts = new ArrayList<>();
        Optional<SlotLease<Integer>> start;
        while ((start = dispatch.take(true, nanos())).isPresent()) {
            starts.add(start.get());
        }
        return starts;
    }

    private List<Excess<Integer>> excess() {
        return dispatch.excess(EPOCH_MILLIS, nanos());
    }

    private static List<Long> dueAfterMillis(List<Excess<Integer>> moved) {
        return moved.stream().map(move -> move.dueMillis() - EPOCH_MILLIS).toList();
    }

    private long nanos() {
        return nowMillis * 1_000_000;
    }
}
