package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns, limits and bounds of the workloads of one tenant. An item of these tests is the name of its workload. */
class WorkloadDispatchTest {
    private static final int READ_AHEAD = 1_000;
    private static final int NORMAL = 4;

    private FairDispatch<String> dispatch = dispatch(1);
    private TenantPolicy policy = TenantPolicy.of(PolicySettings.DEFAULTS);
    private long nowMillis;

    @Test
    void workloads_take_turns_and_items_without_one_are_a_workload_too() {
        offer("noisy", 6);
        offer("", 2);
        offer("quiet", 2);
        assertThat(serve(10, 10)).containsExactly(
                "noisy", "", "quiet", "noisy", "", "quiet", "noisy", "noisy", "noisy", "noisy");
    }

    @Test
    void items_that_came_before_the_first_workload_keep_their_order_and_their_turn() {
        offer("", 3);
        offer("mail", 3);
        assertThat(serve(6, 10)).containsExactly("", "mail", "", "mail", "", "mail");
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 10, 10, 20", "2, 1, 10, 10, 30", "1, 1, 10, 90, 40", "5, 1, 20, 20, 60"})
    void slot_time_is_in_proportion_to_the_weights_whatever_the_handlers_take(
            double weightA, double weightB, long millisA, long millisB, int rounds) {
        limits("a", weightA, Integer.MAX_VALUE);
        limits("b", weightB, Integer.MAX_VALUE);
        offer("a", 2_000);
        offer("b", 2_000);
        Map<String, Double> served = new HashMap<>();
        for (int i = 0; i < 20 * rounds; i++) {
            SlotLease<String> lease = take().orElseThrow();
            long millis = lease.item().equals("a") ? millisA : millisB;
            served.merge(lease.item(), (double) millis, Double::sum);
            end(lease, millis);
        }
        assertThat(served.get("a") / weightA).isCloseTo(served.get("b") / weightB, withinPercentage(10));
    }

    @Test
    void a_workload_that_was_idle_does_not_catch_up() {
        offer("a", 100);
        offer("b", 1);
        assertThat(serve(50, 10)).contains("b");
        offer("b", 50);
        assertThat(serve(20, 10).stream().filter("b"::equals)).hasSize(10);
    }

    @Test
    void a_workload_at_its_concurrency_leaves_the_slots_to_the_others_of_its_tenant() {
        dispatch = dispatch(10);
        limits("capped", 1, 2);
        offer("capped", 20);
        offer("free", 20);
        assertThat(takeAll()).filteredOn(lease -> lease.item().equals("capped")).hasSize(2);
        assertThat(dispatch.pool.inFlight).isEqualTo(10);
    }

    @Test
    void a_tenant_whose_workloads_are_all_at_their_concurrency_leaves_the_slots_to_other_tenants() {
        dispatch = dispatch(10);
        limits("capped", 1, 2);
        offer("capped", 20);
        DispatchTimeline.offer(dispatch, Lane.HOT, "other", policy, "other", 0);
        List<SlotLease<String>> running = takeAll();
        assertThat(running).extracting(SlotLease::item).containsExactlyInAnyOrder("capped", "capped", "other");
        assertThat(dispatch.limitsAtCap()).containsExactly("t/capped");
        end(running.getFirst(), 10);
        assertThat(takeAll()).extracting(SlotLease::item).containsExactly("capped");
    }

    @Test
    void a_new_limit_applies_from_the_next_item_that_is_read() {
        dispatch = dispatch(10);
        limits("mail", 1, 1);
        offer("mail", 5);
        assertThat(takeAll()).hasSize(1);
        limits("mail", 1, 3);
        offer("mail", 1);
        assertThat(takeAll()).hasSize(2);
    }

    @Test
    void of_a_queue_that_is_too_long_the_items_of_the_largest_workloads_move() {
        offer("known", 3);
        serve(3, 1_000);
        offer("small", 2);
        offer("large", 300);
        offer("larger", 400);
        offer("", 1);
        List<Excess<String>> moved = dispatch.excess(nowMillis, nowNanos());
        assertThat(dispatch.waiting(Lane.HOT)).as("of 703, one slot of 1 s and 100 ms of buffer").isEqualTo(1);
        assertThat(moved).hasSize(702).allMatch(move -> move.to() == Lane.OVERFLOW);

        offer(Lane.OVERFLOW, "small", 3);
        offer(Lane.OVERFLOW, "large", 1_200);
        dispatch.hold(Optional.of("t"));
        assertThat(dispatch.excess(nowMillis, nowNanos()))
                .as("held: one item is kept").hasSize(1_202).filteredOn(each -> each.item().equals("small")).hasSize(3);
    }

    @Test
    void a_cut_leaves_queues_of_the_same_length() {
        dispatch = dispatch(50);
        for (int i = 0; i < 100; i++) {
            offer("known", 1);
        }
        takeAll().forEach(lease -> end(lease, 100));
        takeAll().forEach(lease -> end(lease, 100));
        offer("small", 10);
        offer("large", 300);
        offer("larger", 600);
        Map<String, Integer> moved = new HashMap<>();
        dispatch.excess(nowMillis, nowNanos()).forEach(each -> moved.merge(each.item(), 1, Integer::sum));
        int kept = dispatch.waiting(Lane.HOT);
        assertThat(moved.getOrDefault("small", 0)).isZero();
        assertThat(300 - moved.get("large")).isBetween((kept - 10) / 2 - 1, (kept - 10) / 2 + 1);
        assertThat(600 - moved.get("larger")).isBetween((kept - 10) / 2 - 1, (kept - 10) / 2 + 1);
    }

    @Test
    void items_of_a_workload_at_its_concurrency_do_not_keep_the_lane_full() {
        dispatch = dispatch(10);
        limits("capped", 1, 1);
        offer(Lane.OVERFLOW, "capped", READ_AHEAD + 1);
        takeAll();
        assertThat(dispatch.hasRoom(Lane.OVERFLOW, READ_AHEAD / 2, 0)).isFalse();
        List<Excess<String>> moved = dispatch.excess(nowMillis, nowNanos());
        assertThat(moved).isNotEmpty().allMatch(move -> move.to() == Lane.DELAY);
        assertThat(dispatch.hasRoom(Lane.OVERFLOW, READ_AHEAD / 2, 0)).isTrue();
        assertThat(dispatch.waiting(Lane.OVERFLOW)).isPositive();
    }

    @Test
    void items_of_hot_that_would_wait_behind_their_own_workload_move_to_overflow() {
        dispatch = dispatch(10);
        limits("capped", 1, 1);
        offer("capped", 20);
        serve(20, 20);
        offer("capped", 100);
        offer("free", 5);
        assertThat(dispatch.excess(nowMillis, nowNanos())).hasSize(94).extracting(Excess::item).containsOnly("capped");
    }

    @Test
    void more_workloads_than_the_bound_share_queues_and_all_are_served() {
        int names = 5_000;
        for (int i = 0; i < names; i++) {
            offer(Lane.OVERFLOW, "w" + i, 1);
        }
        assertThat(known()).isLessThanOrEqualTo(Workloads.MAX_OWN + Workloads.SHARED);
        limits("named", 1, 1);
        offer(Lane.OVERFLOW, "named", 1);
        assertThat(known()).as("a workload of the policy has its own queue")
                .isLessThanOrEqualTo(Workloads.MAX_OWN + Workloads.SHARED + 1);
        Set<String> served = new HashSet<>(serve(names + 1, 1));
        assertThat(served).hasSize(names + 1);
    }

    @Test
    void the_workloads_of_a_tenant_that_is_idle_for_long_are_forgotten() {
        offer("mail", 1);
        serve(1, 10);
        assertThat(known()).isPositive();
        nowMillis += 60_000;
        dispatch.take(true, nowNanos());
        assertThat(known()).isZero();
        offer("", 2);
        assertThat(known()).as("without a workload nothing is divided").isZero();
        assertThat(serve(2, 10)).hasSize(2);
    }

    /** Compared with a model: lists of waiting items, and the charges of the siblings that may start. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void any_sequence_of_events_keeps_order_limits_and_turns(long seed) {
        Random random = new Random(seed);
        int slots = 1 + random.nextInt(6);
        dispatch = dispatch(slots);
        int names = 1 + random.nextInt(90);
        Map<String, Queue<String>> waiting = new HashMap<>();
        Map<String, Integer> inFlight = new HashMap<>();
        List<SlotLease<String>> running = new ArrayList<>();
        PolicySettings settings = PolicySettings.DEFAULTS;
        for (int i = 0; i < names; i += 3) {
            settings = settings.withWorkload("w" + i, new WorkloadPolicy(0.5 + i, 1 + random.nextInt(3)));
        }
        policy = TenantPolicy.of(settings);
        for (int step = 0; step < 20_000; step++) {
            String context = "seed " + seed + ", step " + step;
            nowMillis += random.nextInt(5);
            switch (random.nextInt(step % 2_000 < 1_000 ? 4 : 8)) {
                case 0, 1 -> {
                    String name = random.nextInt(names) == 0 ? "" : "w" + random.nextInt(names);
                    String item = name + "/" + step;
                    dispatch.offer(Lane.HOT, "t", name, policy, item, 0, NORMAL, nowMillis);
                    waiting.computeIfAbsent(name, absent -> new ArrayDeque<>()).add(item);
                }
                case 2 -> {
                    String gone = "/" + random.nextInt(20_000);
                    dispatch.removeIf(item -> item.endsWith(gone), nowNanos());
                    waiting.values().forEach(queue -> queue.removeIf(item -> item.endsWith(gone)));
                }
                default -> {
                    if (!running.isEmpty()) {
                        SlotLease<String> lease = running.remove(random.nextInt(running.size()));
                        inFlight.merge(nameOf(lease.item()), -1, Integer::sum);
                        if (random.nextInt(4) == 0) {
                            dispatch.cancelled(lease, nowNanos());
                        } else {
                            dispatch.ended(lease, nowNanos());
                        }
                    }
                }
            }
            while (true) {
                Map<FairQueue<String>, Long> rounds = rounds();
                Optional<SlotLease<String>> lease = take();
                if (lease.isEmpty()) {
                    break;
                }
                String name = nameOf(lease.get().item());
                assertThat(waiting.get(name).remove()).as(context).isEqualTo(lease.get().item());
                int now = inFlight.merge(name, 1, Integer::sum);
                assertThat(now).as(context).isLessThanOrEqualTo(policy.workload(name).concurrency());
                assertThat(rounds.values()).as("%s: the sibling with the least charge starts", context)
                        .allMatch(round -> round >= rounds.get(workloadOf(lease.get())));
                running.add(lease.get());
            }
            int left = waiting.values().stream().mapToInt(Queue::size).sum();
            assertThat(dispatch.waiting(Lane.HOT)).as(context).isEqualTo(left);
            if (running.size() < slots) {
                assertThat(waiting.entrySet().stream()).as("%s: no slot is idle while an item may start", context)
                        .allMatch(each -> each.getValue().isEmpty() || inFlight.getOrDefault(each.getKey(), 0)
                                >= policy.workload(each.getKey()).concurrency());
            }
        }
        System.out.printf("seed %d: %d slots, %d workloads%n", seed, slots, names);
    }

    /** Returns the next round of each workload that may start; of none while no item names one. */
    private Map<FairQueue<String>, Long> rounds() {
        Map<FairQueue<String>, Long> rounds = new HashMap<>();
        rounds.put(null, 0L);
        if (tenant() != null) {
            tenant().parts(dispatch.lanes.of(Lane.HOT)).stream().filter(part -> part.heap != null)
                    .forEach(part -> rounds.put(part, part.round));
            rounds.computeIfPresent(null, (none, round) -> rounds.size() > 1 ? null : round);
        }
        return rounds;
    }

    /** Returns the queue of its workload; null when it started while no item of the tenant named one. */
    private static FairQueue<String> workloadOf(SlotLease<String> lease) {
        return lease.queue.parent == null ? null : lease.queue;
    }

    private static String nameOf(String item) {
        return item.substring(0, item.indexOf('/'));
    }

    private static FairDispatch<String> dispatch(int slots) {
        return new FairDispatch<>(new DispatchSettings(slots, 0, 0, 0, READ_AHEAD, 1 << 30, 100, false));
    }

    private FairNode<String> tenant() {
        return dispatch.tenants.tenants.get("t");
    }

    private int known() {
        return tenant().children().size();
    }

    private void limits(String workload, double weight, int concurrency) {
        PolicySettings settings = PolicySettings.DEFAULTS;
        for (Map.Entry<String, WorkloadPolicy> each : policy.workloads().entrySet()) {
            settings = settings.withWorkload(each.getKey(), each.getValue());
        }
        policy = TenantPolicy.of(settings.withWorkload(workload, new WorkloadPolicy(weight, concurrency)));
    }

    private void offer(String workload, int count) {
        offer(Lane.HOT, workload, count);
    }

    private void offer(Lane lane, String workload, int count) {
        for (int i = 0; i < count; i++) {
            dispatch.offer(lane, "t", workload, policy, workload, 0, NORMAL, nowMillis);
        }
    }

    private Optional<SlotLease<String>> take() {
        return dispatch.take(true, nowNanos());
    }

    private List<SlotLease<String>> takeAll() {
        List<SlotLease<String>> taken = new ArrayList<>();
        for (Optional<SlotLease<String>> lease = take(); lease.isPresent(); lease = take()) {
            taken.add(lease.get());
        }
        return taken;
    }

    private List<String> serve(int count, long millis) {
        List<String> served = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SlotLease<String> lease = take().orElseThrow();
            served.add(lease.item());
            end(lease, millis);
        }
        return served;
    }

    private void end(SlotLease<String> lease, long millis) {
        nowMillis += millis;
        dispatch.ended(lease, nowNanos());
    }

    private long nowNanos() {
        return nowMillis * 1_000_000;
    }
}
