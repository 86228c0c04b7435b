package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of what several tenants call, over a fleet in virtual time. */
class DestinationsTest {
    private static final int NORMAL = 4;
    private static final long MILLI = 1_000_000;
    private static final long STEP = 5 * MILLI;
    private static final TenantPolicy FREE = TenantPolicy.of(PolicySettings.DEFAULTS);
    private static final TenantPolicy BY_RATE = calling("crm", PolicyField.ATTEMPT_RATE, "40");
    private static final TenantPolicy BY_CONCURRENCY = calling("database", PolicyField.CONCURRENCY, "6");

    private final List<FairDispatch<String>> workers = new ArrayList<>();
    private final Map<String, Map<String, MaxMinSlots.Demand>> demands = new HashMap<>();
    private final List<String> starts = new ArrayList<>();
    private final Queue<Running> running = new ArrayDeque<>();
    private long attemptMillis;
    private int mostRunning;
    private long nowNanos;

    private record Running(FairDispatch<String> worker, SlotLease<String> lease, long endNanos) {}

    private static TenantPolicy calling(String name, PolicyField limit, String value) {
        return TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.DESTINATION, name),
                Optional.of(new NamedDestination(name, PolicySettings.NONE_SET.with(limit, value))),
                PolicySettings.NONE_SET);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 10, 24})
    void all_tenants_of_a_destination_together_start_as_many_attempts_as_its_rate_allows(int fleet) {
        fleet(fleet);
        for (int i = 0; i < 200; i++) {
            offer(workers.get(i % fleet), "t" + i, BY_RATE, 30);
        }
        run(15);
        starts.clear();

        run(60);

        assertThat(starts.size()).isCloseTo(60 * 40, withinPercentage(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6})
    void no_more_attempts_run_at_a_destination_than_its_concurrency_and_none_of_them_is_idle(int fleet) {
        fleet(fleet);
        attemptMillis = 50;
        for (int i = 0; i < 60; i++) {
            offer(workers.get(i % fleet), "t" + i, BY_CONCURRENCY, 200);
        }
        run(5);
        starts.clear();

        run(30);

        assertThat(mostRunning).isLessThanOrEqualTo(6);
        assertThat(starts.size()).isCloseTo(30 * 6 * 20, withinPercentage(4));
    }

    @Test
    void tenants_take_turns_at_a_destination_whatever_one_of_them_floods() {
        fleet(1);
        offer(workers.getFirst(), "flood", BY_RATE, 5_000);
        run(10);
        starts.clear();

        offer(workers.getFirst(), "quiet", BY_RATE, 20);
        run(2);

        assertThat(starts.stream().filter("quiet"::equals)).as("every other one").hasSize(20);
        assertThat(starts.stream().filter("flood"::equals)).hasSizeGreaterThan(40);
    }

    @Test
    void who_calls_nothing_or_something_else_does_not_wait_for_it() {
        fleet(1);
        FairDispatch<String> worker = workers.getFirst();
        for (int i = 0; i < 300; i++) {
            offer(worker, "t" + i, BY_RATE, 10);
        }
        run(1);
        offer(worker, "free", FREE, 500);
        offer(worker, "other", BY_CONCURRENCY, 100);

        run(1);

        assertThat(starts.stream().filter("free"::equals)).hasSize(500);
        assertThat(starts.stream().filter("other"::equals)).hasSize(100);
    }

    @Test
    void what_waits_for_a_destination_leaves_hot_and_comes_back_as_it_takes_it() {
        fleet(1);
        FairDispatch<String> worker = workers.getFirst();
        for (int i = 0; i < 100; i++) {
            offer(worker, "t" + i, BY_RATE, 190);
        }
        run(1);

        assertThat(worker.excess(0, nowNanos)).hasSizeGreaterThan(18_000)
                .allMatch(excess -> excess.to() == Lane.OVERFLOW);
        for (int i = 0; i < 2_000; i++) {
            worker.offer(Lane.OVERFLOW, "t" + i % 100, "", BY_RATE, "later", 0, NORMAL, 0);
        }
        List<Excess<String>> moved = worker.excess(0, nowNanos);
        assertThat(moved).hasSizeGreaterThan(1_800).allMatch(excess -> excess.to() == Lane.DELAY);
        assertThat(moved.stream().mapToLong(Excess::dueMillis).filter(due -> due < 10_000).count())
                .as("40 a second, and at least a second later").isBetween(300L, 440L);
    }

    @Test
    void a_changed_or_removed_limit_counts_at_once() {
        fleet(1);
        attemptMillis = 10_000;
        offer(workers.getFirst(), "slow", BY_CONCURRENCY, 40);
        run(1);
        assertThat(starts).hasSize(6);

        offer(workers.getFirst(), "other", calling("database", PolicyField.CONCURRENCY, "10"), 1);
        run(1);
        assertThat(starts).hasSize(10);

        offer(workers.getFirst(), "slow", FREE, 1);
        run(1);
        assertThat(starts).as("to its fair share of the slots").hasSizeGreaterThan(24);
    }

    @Test
    void workloads_of_a_tenant_that_are_divided_later_still_share_its_destination() {
        fleet(1);
        attemptMillis = 1_000;
        FairDispatch<String> worker = workers.getFirst();
        offer(worker, "many", BY_CONCURRENCY, 30);
        for (int i = 0; i < 30; i++) {
            worker.offer(Lane.HOT, "many", "mail", BY_CONCURRENCY, "many/mail", 0, NORMAL, 0);
        }

        run(20);

        assertThat(mostRunning).isEqualTo(6);
        assertThat(starts).hasSize(60);
    }

    @Test
    void random_items_all_start_and_never_more_than_a_destination_may_have() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        fleet(1);
        FairDispatch<String> worker = workers.getFirst();
        int offered = 0;
        for (int i = 0; i < 2_000; i++) {
            attemptMillis = random.nextInt(200);
            int count = random.nextInt(5);
            TenantPolicy policy = random.nextInt(10) == 0 ? FREE : BY_CONCURRENCY;
            for (int item = 0; item < count; item++) {
                worker.offer(Lane.WORKED.get(random.nextInt(3)), "t" + random.nextInt(30),
                        random.nextBoolean() ? "" : "w" + random.nextInt(3), policy, "item", 0, NORMAL, 0);
            }
            offered += count;
            runMillis(random.nextInt(40));
            if (random.nextInt(20) == 0) {
                int[] removed = {0};
                worker.removeIf(item -> {
                    boolean isGone = random.nextInt(4) == 0;
                    removed[0] += isGone ? 1 : 0;
                    return isGone;
                }, nowNanos);
                offered -= removed[0];
            }
        }
        run(600);

        assertThat(starts).as("seed " + seed).hasSize(offered);
    }

    private void fleet(int size) {
        for (int i = 0; i < size; i++) {
            workers.add(new FairDispatch<>(new DispatchSettings(50, 0.1, 0.05, 0.05, 20_000, 1L << 30, 100, true)));
            demands.put("worker-" + i, Map.of());
        }
    }

    private void offer(FairDispatch<String> worker, String tenant, TenantPolicy policy, int count) {
        for (int i = 0; i < count; i++) {
            worker.offer(Lane.HOT, tenant, "", policy, tenant, 0, NORMAL, 0);
        }
    }

    private void run(int seconds) {
        runMillis(1_000 * seconds);
    }

    /** Shares are exchanged twice a second, with those of the time before. */
    private void runMillis(int millis) {
        for (long end = nowNanos + millis * MILLI; nowNanos < end; nowNanos += STEP) {
            if (nowNanos % (500 * MILLI) == 0) {
                Map<String, Map<String, MaxMinSlots.Demand>> read = Map.copyOf(demands);
                for (int i = 0; i < workers.size(); i++) {
                    String name = "worker-" + i;
                    demands.put(name, workers.get(i).share(new MaxMinSlots(name, read, 0)));
                }
            }
            running.removeIf(attempt -> {
                if (attempt.endNanos > nowNanos) {
                    return false;
                }
                attempt.worker.worked(attempt.lease, nowNanos);
                attempt.worker.ended(attempt.lease, nowNanos);
                return true;
            });
            for (FairDispatch<String> worker : workers) {
                for (Optional<SlotLease<String>> next = worker.take(true, nowNanos); next.isPresent();
                        next = worker.take(true, nowNanos)) {
                    starts.add(next.get().item());
                    if (attemptMillis == 0) {
                        worker.worked(next.get(), nowNanos);
                        worker.ended(next.get(), nowNanos);
                    } else {
                        running.add(new Running(worker, next.get(), nowNanos + attemptMillis * MILLI));
                    }
                }
            }
            mostRunning = Math.max(mostRunning, running.size());
        }
    }
}
