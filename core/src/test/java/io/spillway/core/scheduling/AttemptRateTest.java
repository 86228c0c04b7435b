package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rate of attempts of a tenant, and of a subscription, over a fleet in virtual time. */
class AttemptRateTest {
    private static final int NORMAL = 4;
    private static final long MILLI = 1_000_000;
    private static final long STEP = 5 * MILLI;
    private static final TenantPolicy FREE = TenantPolicy.of(PolicySettings.DEFAULTS);
    private static final TenantPolicy LIMITED =
            TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.ATTEMPT_RATE, "40"));

    private final List<FairDispatch<String>> workers = new ArrayList<>();
    private final Map<String, Map<String, MaxMinSlots.Demand>> demands = new HashMap<>();
    private final List<String> starts = new ArrayList<>();
    private long nowNanos;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 10, 24})
    void a_fleet_of_any_size_starts_as_many_attempts_as_the_rate_allows(int fleet) {
        fleet(fleet);
        workers.forEach(worker -> offer(worker, "slow", "", LIMITED, 3_000));
        run(15);
        starts.clear();

        run(60);

        assertThat(starts.size()).isCloseTo(60 * 40, withinPercentage(2));
    }

    @Test
    void a_rate_that_one_worker_has_items_for_is_all_its_own_and_a_change_never_exceeds_it() {
        fleet(4);
        offer(workers.getFirst(), "slow", "", LIMITED, 5_000);
        run(15);
        starts.clear();
        run(20);
        assertThat(starts.size()).isCloseTo(20 * 40, withinPercentage(2));

        starts.clear();
        offer(workers.get(2), "slow", "", LIMITED, 5_000);
        run(20);

        assertThat(starts.size()).as("while the other takes its part").isBetween(20 * 40 * 9 / 10, 20 * 40 + 10);
    }

    @Test
    void who_waits_for_a_rate_keeps_no_other_tenant_waiting_and_no_other_subscription() {
        fleet(1);
        FairDispatch<String> worker = workers.getFirst();
        offer(worker, "slow", "", LIMITED, 500);
        offer(worker, "free", "", FREE, 500);
        Subscription subscription = new Subscription(
                "hook", "*", PolicySettings.NONE_SET.with(PolicyField.ATTEMPT_RATE, "1"));
        offer(worker, "many", "~hook", FREE.with(subscription, Optional.empty()), 500);
        offer(worker, "many", "~other", FREE, 500);

        run(1);

        assertThat(starts.stream().filter("free"::equals)).hasSize(500);
        assertThat(starts.stream().filter("many~other"::equals)).hasSize(500);
        assertThat(starts.stream().filter("many~hook"::equals)).hasSizeBetween(1, 2);
        assertThat(starts.stream().filter("slow"::equals)).hasSizeBetween(4, 15);
    }

    @ParameterizedTest
    @CsvSource({"1, 600, ''", "1, 600, ~hook", "0.5, 700, ~hook", "0.02, 15000, ''", "0.02, 15000, ~hook"})
    void items_that_come_one_by_one_and_end_at_once_do_not_exceed_a_rate(
            String perSecond, int apartMillis, String workload) {
        fleet(1);
        PolicySettings rate = PolicySettings.NONE_SET.with(PolicyField.ATTEMPT_RATE, perSecond);
        TenantPolicy policy = workload.isEmpty()
                ? TenantPolicy.of(rate) : FREE.with(new Subscription("hook", "*", rate), Optional.empty());
        int most = (int) Math.ceil(600 * Double.parseDouble(perSecond)) + 1;
        for (long end = nowNanos + 600_000 * MILLI; nowNanos < end; ) {
            offer(workers.getFirst(), "slow", workload, policy, 1);
            runMillis(apartMillis);
        }

        assertThat(starts).hasSizeBetween(most * 8 / 10, most);
    }

    @Test
    void a_rate_that_is_taken_away_ends_the_wait() {
        fleet(1);
        offer(workers.getFirst(), "slow", "", LIMITED, 500);
        run(1);

        offer(workers.getFirst(), "slow", "", FREE, 1);
        run(1);

        assertThat(starts).hasSize(501);
    }

    @Test
    void items_beyond_what_the_rate_takes_soon_leave_hot_and_the_buffer_of_a_backlog() {
        fleet(1);
        FairDispatch<String> worker = workers.getFirst();
        offer(worker, "slow", "", LIMITED, 500);
        run(1);

        List<Excess<String>> moved = worker.excess(0, nowNanos);

        assertThat(moved).hasSizeGreaterThan(400).allMatch(excess -> excess.to() == Lane.OVERFLOW);
        worker.offer(Lane.OVERFLOW, "slow", "", LIMITED, "first", 0, NORMAL, 0);
        for (int i = 0; i < 2_000; i++) {
            worker.offer(Lane.OVERFLOW, "slow", "", LIMITED, "later", 0, NORMAL, 0);
        }
        assertThat(worker.excess(0, nowNanos)).as("due as the rate takes them").hasSizeGreaterThan(1_900)
                .allMatch(excess -> excess.to() == Lane.DELAY).anyMatch(excess -> excess.dueMillis() > 14_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "~hook"})
    void a_backlog_that_waits_for_a_rate_makes_room_for_others(String workload) {
        fleet(1);
        FairDispatch<String> worker = workers.getFirst();
        PolicySettings rate = PolicySettings.NONE_SET.with(PolicyField.ATTEMPT_RATE, "10");
        TenantPolicy policy = workload.isEmpty()
                ? TenantPolicy.of(rate) : FREE.with(new Subscription("hook", "*", rate), Optional.empty());
        offer(worker, "slow", workload, policy, 1);
        run(1);
        for (int i = 0; i < 2_000; i++) {
            worker.offer(Lane.OVERFLOW, "slow", workload, policy, "later", 0, NORMAL, 0);
        }
        run(1);

        worker.excess(0, nowNanos);

        assertThat(worker.waiting(Lane.OVERFLOW)).as("two seconds of it").isBetween(19, 21);
    }

    @Test
    void many_tenants_at_their_rates_leave_hot_to_the_others() {
        fleet(1);
        FairDispatch<String> worker = workers.getFirst();
        for (int i = 0; i < 50; i++) {
            offer(worker, "slow" + i, "", LIMITED, 1);
        }
        run(1);
        for (int i = 0; i < 50; i++) {
            offer(worker, "slow" + i, "", LIMITED, 100);
        }
        runMillis(5);

        assertThat(worker.excess(0, nowNanos)).hasSizeGreaterThan(4_500);
        assertThat(worker.waiting(Lane.HOT)).isLessThan(400);
    }

    @Test
    void random_fleets_with_attempts_of_any_length_never_exceed_a_rate() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        fleet(1 + random.nextInt(6));
        for (int i = 0; i < 300; i++) {
            offer(workers.get(random.nextInt(workers.size())), "slow", "", LIMITED, random.nextInt(40));
            int before = starts.size();
            run(1);
            assertThat(starts.size() - before).as("seed " + seed)
                    .isLessThanOrEqualTo(40 + 3 * workers.size());
        }
    }

    private void fleet(int size) {
        for (int i = 0; i < size; i++) {
            workers.add(new FairDispatch<>(new DispatchSettings(50, 0.1, 0.05, 0.05, 20_000, 1L << 30, 100, true)));
            demands.put("worker-" + i, Map.of());
        }
    }

    private void offer(
            FairDispatch<String> worker, String tenant, String workload, TenantPolicy policy, int count) {
        for (int i = 0; i < count; i++) {
            worker.offer(Lane.HOT, tenant, workload, policy, tenant + workload, 0, NORMAL, 0);
        }
    }

    /** Each attempt works and takes no time; shares are exchanged twice a second, with those of the time before. */
    private void run(int seconds) {
        runMillis(1_000 * seconds);
    }

    private void runMillis(int millis) {
        for (long end = nowNanos + millis * MILLI; nowNanos < end; nowNanos += STEP) {
            if (nowNanos % (500 * MILLI) == 0) {
                Map<String, Map<String, MaxMinSlots.Demand>> read = Map.copyOf(demands);
                for (int i = 0; i < workers.size(); i++) {
                    String name = "worker-" + i;
                    demands.put(name, workers.get(i).share(new MaxMinSlots(name, read, 0)));
                }
            }
            for (FairDispatch<String> worker : workers) {
                for (Optional<SlotLease<String>> next = worker.take(true, nowNanos); next.isPresent();
                        next = worker.take(true, nowNanos)) {
                    starts.add(next.get().item());
                    worker.worked(next.get(), nowNanos);
                    worker.ended(next.get(), nowNanos);
                }
            }
        }
    }
}
