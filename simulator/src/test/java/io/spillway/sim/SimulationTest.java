package io.spillway.sim;

import static io.spillway.sim.Runs.MINUTE;
import static io.spillway.sim.Runs.SEED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Sweep;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.RecordedTrace;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.Surge;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Complete runs in virtual time: results of items, and reproducibility by the seed. */
class SimulationTest {
    private static final Handling USUAL = Handling.of(new Latency.LogNormal(20, 60));

    /** Failures, an outage, a worker that dies, a burst and a sweep, all at once. */
    private static Scenario everything() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.SWEEPABLE, "true").with(PolicyField.RATE, "20").with(PolicyField.TTL, "10m"));
        Handling failing = new Handling(new Latency.Exponential(30), 0.2, 0.01, false,
                List.of(new Disturbance.Outage(new Window(MINUTE, 2 * MINUTE))));
        return Runs.scenario(5 * MINUTE, Runs.cluster(2, 5), List.of(
                new TenantGroup("failing", 20, List.of(new Arrivals.Poisson(2)),
                        List.of(new Surge(new Window(MINUTE, 2 * MINUTE), 5)),
                        policy, failing, List.of(new Sweep(100_000, 120_000))),
                Runs.group("burst", 2, USUAL, new Arrivals.Constant(3), new Arrivals.Burst(500, 90_000, MINUTE)),
                Runs.group("pill", 1, new Handling(new Latency.Constant(50), 0, 0, true, List.of()),
                        new Arrivals.Burst(1, 30_000, 0))));
    }

    @ParameterizedTest
    @EnumSource
    void the_counts_balance_and_no_item_is_left(Discipline discipline) {
        SimulationResult result = Runs.run(everything(), discipline);

        assertThat(result.groups()).as("seed %d", SEED).allSatisfy(row -> {
            assertThat(row.accepted()).isEqualTo(row.done() + row.dropped() + row.dead());
            assertThat(row.waiting()).isZero();
        });
        SimulationResult.Sample last = result.samples().getLast();
        assertThat(last.waiting()).as("nothing counted in a lane that is in none").isZero();
        assertThat(last.depths().get(Lane.DEAD_LETTER)).isEqualTo(
                result.groups().stream().mapToLong(SimulationResult.Row::dead).sum());
        assertThat(Runs.group(result, "pill").dead()).isEqualTo(1);
        assertThat(result.deaths()).isGreaterThanOrEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void the_same_seed_gives_the_same_result_and_another_one_another(Discipline discipline) {
        SimulationResult first = Runs.run(everything(), discipline, 1);
        SimulationResult again = Runs.run(everything(), discipline, 1);

        assertThat(again.groups()).isEqualTo(first.groups());
        assertThat(again.samples()).usingRecursiveComparison().isEqualTo(first.samples());
        assertThat(again.jain()).isEqualTo(first.jain());
        assertThat(Runs.run(everything(), discipline, 2).groups()).isNotEqualTo(first.groups());
    }

    @Test
    void both_disciplines_get_the_same_items() {
        assertThat(Runs.run(everything(), Discipline.FIFO).groups()).extracting(SimulationResult.Row::accepted)
                .isEqualTo(Runs.run(everything(), Discipline.SPILLWAY).groups().stream()
                        .map(SimulationResult.Row::accepted).toList());
    }

    @Test
    void a_burst_of_one_tenant_hardly_delays_the_others_and_with_fifo_all_wait_for_it() {
        Scenario scenario = Runs.scenario(3 * MINUTE, Runs.cluster(1, 20), List.of(
                Runs.group("quiet", 40, USUAL, new Arrivals.Poisson(10)),
                Runs.group("noisy", 1, USUAL, new Arrivals.Poisson(10), new Arrivals.Burst(20_000, MINUTE, 0))));

        SimulationResult spillway = Runs.run(scenario, Discipline.SPILLWAY);
        SimulationResult fifo = Runs.run(scenario, Discipline.FIFO);

        assertThat(Runs.group(spillway, "quiet").p99Millis()).isLessThan(250);
        assertThat(Runs.group(fifo, "quiet").p99Millis()).isGreaterThan(10_000);
        assertThat(spillway.recoveredMillis().orElseThrow()).as("no slot is idle meanwhile")
                .isLessThan(fifo.recoveredMillis().orElseThrow() * 5 / 4);
        assertThat(spillway.peakDepths().get(Lane.OVERFLOW)).isGreaterThan(19_000L);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void the_workers_share_the_concurrency_of_a_tenant(int concurrency) {
        Scenario scenario = Runs.scenario(MINUTE + 1_000, Runs.cluster(3, 20), List.of(new TenantGroup(
                "limited", 1, List.of(new Arrivals.Burst(2_000, MINUTE, 0)), List.of(),
                Runs.policy(PolicyField.CONCURRENCY, Integer.toString(concurrency)), Runs.taking(100), List.of())));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(result.samples().stream().mapToInt(SimulationResult.Sample::inFlight).max()).hasValue(concurrency);
        assertThat(Runs.group(result, "limited").done()).isEqualTo(2_000);
        assertThat(result.endMillis() - MINUTE).as("the slots are used")
                .isLessThan(2_000 * 100 / concurrency * 5 / 4);
    }

    @Test
    void items_over_the_rate_wait_in_overflow_and_old_ones_in_aged() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.RATE, "5").with(PolicyField.AGED_AFTER, "10s"));
        Handling down = new Handling(new Latency.Constant(10), 0, 0, false,
                List.of(new Disturbance.Outage(new Window(0, MINUTE))));
        Scenario scenario = Runs.scenario(2 * MINUTE, Runs.cluster(1, 5), List.of(new TenantGroup(
                "limited", 1, List.of(new Arrivals.Constant(20)), List.of(), policy, down, List.of())));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(result.peakDepths().get(Lane.OVERFLOW)).isPositive();
        assertThat(result.peakDepths().get(Lane.AGED)).isPositive();
        assertThat(result.peakDepths().get(Lane.DELAY)).isPositive();
    }

    @Test
    void swept_and_expired_items_are_dropped() {
        Handling hanging = new Handling(new Latency.Constant(10), 0, 0, false,
                List.of(new Disturbance.Hang(new Window(0, MINUTE))));
        TenantPolicy swept = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.SWEEPABLE, "true").with(PolicyField.SWEEP_MARGIN, "0s"));
        Scenario scenario = Runs.scenario(2 * MINUTE, Runs.cluster(1, 1), List.of(
                new TenantGroup("swept", 1, List.of(new Arrivals.Constant(1)), List.of(), swept, hanging,
                        List.of(new Sweep(50_000, 55_000))),
                new TenantGroup("expired", 1, List.of(new Arrivals.Constant(1)), List.of(),
                        Runs.policy(PolicyField.TTL, "20s"),
                        hanging, List.of())));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(Runs.group(result, "swept").dropped()).isBetween(40L, 50L);
        assertThat(Runs.group(result, "expired").dropped()).isGreaterThan(20);
    }

    @Test
    void items_of_a_tenant_that_always_fails_level_off_at_arrivals_times_retry_for() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.ATTEMPTS, "1000").with(PolicyField.RETRY_FOR, "10m"));
        Handling down = new Handling(new Latency.Constant(10), 0, 0, false,
                List.of(new Disturbance.Outage(new Window(0, 10 * Runs.HOUR))));
        Scenario scenario = Runs.scenario(Runs.HOUR, Runs.cluster(1, 5), List.of(new TenantGroup(
                "failing", 1, List.of(new Arrivals.Constant(2)), List.of(), policy, down, List.of())));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(Runs.group(result, "failing").dead()).isEqualTo(Runs.group(result, "failing").accepted());
        assertThat(Runs.group(result, "failing").waiting()).isZero();
        assertThat(result.peakDepths().get(Lane.DELAY)).as("2/s for 10 min").isLessThanOrEqualTo(1_220L);
    }

    @Test
    void items_that_no_slot_takes_expire() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.TIMEOUT, "1h").with(PolicyField.EXPIRE_AFTER, "2m"));
        Handling hanging = new Handling(new Latency.Constant(10), 0, 0, false,
                List.of(new Disturbance.Hang(new Window(0, 10 * MINUTE))));
        Scenario scenario = Runs.scenario(4 * MINUTE, Runs.cluster(1, 1), List.of(new TenantGroup(
                "behind", 1, List.of(new Arrivals.Constant(1)), List.of(), policy, hanging, List.of())));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(Runs.group(result, "behind").dead()).as("all but the one in the slot").isEqualTo(
                Runs.group(result, "behind").accepted() - 1);
        assertThat(result.peakDepths()).as("1/s for 2 min, looked at each 10 s").allSatisfy(
                (lane, peak) -> assertThat(peak).isLessThanOrEqualTo(lane == Lane.DEAD_LETTER ? 239 : 132));
    }

    @Test
    void a_killer_is_convicted_by_three_deaths_and_its_neighbours_are_done() {
        Scenario scenario = Runs.scenario(2 * MINUTE, Runs.cluster(1, 20), List.of(
                Runs.group("neighbour", 10, USUAL, new Arrivals.Constant(10)),
                Runs.group("pill", 1, new Handling(new Latency.Constant(50), 0, 0, true, List.of()),
                        new Arrivals.Burst(1, 10_000, 0))));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(Runs.group(result, "pill").dead()).isEqualTo(1);
        assertThat(Runs.group(result, "neighbour").dead()).isZero();
        assertThat(Runs.group(result, "neighbour").done()).isEqualTo(Runs.group(result, "neighbour").accepted());
        assertThat(result.deaths()).as("free, and alone as often as convicts").isEqualTo(3);
    }

    @Test
    void five_killers_of_one_tenant_cost_one_death_each_after_the_first_conviction() {
        Scenario scenario = Runs.scenario(4 * MINUTE, Runs.cluster(1, 20), List.of(
                Runs.group("neighbour", 10, USUAL, new Arrivals.Constant(10)),
                Runs.group("pill", 1, new Handling(new Latency.Constant(50), 0, 0, true, List.of()),
                        new Arrivals.Burst(5, 10_000, 0))));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(Runs.group(result, "pill").dead()).isEqualTo(5);
        assertThat(Runs.group(result, "neighbour").dead()).isZero();
        assertThat(Runs.group(result, "neighbour").done()).isEqualTo(Runs.group(result, "neighbour").accepted());
        assertThat(result.deaths()).as("as many as a single one, and one for each of the others").isEqualTo(7);
    }

    @Test
    void a_killer_a_minute_of_a_convicted_tenant_costs_one_death_and_quiet_tenants_notice_nothing() {
        SimulationResult result = Runs.run(killers(10 * MINUTE, 1, new Arrivals.Burst(1, MINUTE, MINUTE)),
                Discipline.SPILLWAY);

        assertThat(Runs.group(result, "pill").dead()).isEqualTo(9);
        assertThat(result.deaths()).isEqualTo(3 + 8);
        assertThat(Runs.group(result, "quiet").p99Millis()).isLessThan(1_000);
    }

    @Test
    void killers_of_five_tenants_end_one_worker_at_a_time_after_they_all_ran_at_once() {
        SimulationResult result = Runs.run(killers(20 * MINUTE, 5, new Arrivals.Burst(1, 2 * MINUTE, 0)),
                Discipline.SPILLWAY);

        assertThat(Runs.group(result, "pill").dead()).isEqualTo(5);
        assertThat(Runs.group(result, "quiet").dead()).isZero();
        assertThat(Runs.group(result, "quiet").waiting()).isZero();
        assertThat(result.deaths()).isLessThanOrEqualTo(3 * 5);
        assertThat(Runs.phase(result, "trials", "quiet").p99Millis()).as("after the first restart of all workers")
                .isLessThan(1_000);
    }

    @Test
    void partitions_of_a_worker_that_stays_away_go_to_others_after_ten_seconds_and_come_back_without_a_pause() {
        Scenario scenario = Runs.scenario(4 * MINUTE, restarting(2 * MINUTE),
                List.of(Runs.group("quiet", 80, USUAL, new Arrivals.Poisson(3))),
                new Scenario.Phase("away", new Window(MINUTE + 12_000, 3 * MINUTE - 2_000)),
                new Scenario.Phase("back", new Window(3 * MINUTE - 2_000, 4 * MINUTE)));

        SimulationResult result = Simulation.run(scenario, Discipline.SPILLWAY, SEED, (a, b, c, d) -> { },
                (same, events, tally, destination) -> {
                    SpillwayModel model = new SpillwayModel(same, events, tally, destination);
                    events.add(MINUTE * SimulatedTime.NANOS_PER_MILLI, now -> model.kill(0, now));
                    return model;
                });

        assertThat(Runs.group(result, "quiet").done()).as("seed %d", SEED)
                .isEqualTo(Runs.group(result, "quiet").accepted());
        assertThat(Runs.group(result, "quiet").maxMillis()).as("seed %d: the session timeout, and what waited", SEED)
                .isBetween(9_000.0, 13_000.0);
        assertThat(Runs.phase(result, "away", "quiet").maxMillis()).as("seed %d: two thirds of the slots", SEED)
                .isLessThan(500);
        assertThat(Runs.phase(result, "back", "quiet").maxMillis()).as("seed %d: attempts end first", SEED)
                .isLessThan(500);
    }

    @Test
    void killers_of_many_tenants_do_not_stop_the_queue_when_workers_need_a_minute_to_restart() {
        Scenario at = killers(15 * MINUTE, 30, new Arrivals.Burst(1, 2 * MINUTE, 0));
        SimulationResult result = Runs.run(Runs.scenario(
                at.durationMillis(), restarting(MINUTE), at.groups(), at.phases().getFirst()), Discipline.SPILLWAY);

        assertThat(Runs.group(result, "pill").dead()).isEqualTo(30);
        assertThat(Runs.group(result, "quiet").done()).isEqualTo(Runs.group(result, "quiet").accepted());
        assertThat(result.deaths()).isLessThanOrEqualTo(3 * 30);
        assertThat(Runs.phase(result, "trials", "quiet").p50Millis()).as("seed %d", SEED).isLessThan(100);
    }

    private static SimulatedCluster restarting(long millis) {
        SimulatedCluster three = Runs.cluster(3, 25);
        return new SimulatedCluster(three.workers(), three.partitions(), three.shardSeed(), three.stuckAfterMillis(),
                three.commitMillis(), millis, three.killerDeaths(), three.protection());
    }

    private static Scenario killers(long durationMillis, int tenants, Arrivals arrivals) {
        return Runs.scenario(durationMillis, Runs.cluster(3, 25), List.of(
                Runs.group("quiet", 80, USUAL, new Arrivals.Poisson(3)),
                Runs.group("pill", tenants, new Handling(new Latency.Constant(50), 0, 0, true, List.of()), arrivals)),
                new Scenario.Phase("trials", new Window(2 * MINUTE + 15_000, durationMillis)));
    }

    @Test
    void arrivals_have_the_configured_rates() {
        Surge tenfold = new Surge(new Window(MINUTE, 2 * MINUTE), 10);
        Scenario scenario = Runs.scenario(4 * MINUTE, Runs.cluster(1, 50), List.of(
                new TenantGroup("steady", 3, List.of(new Arrivals.Constant(2)), List.of(tenfold), Runs.policy(),
                        Runs.taking(1), List.of()),
                new TenantGroup("random", 3, List.of(new Arrivals.Poisson(10)), List.of(tenfold), Runs.policy(),
                        Runs.taking(1), List.of()),
                Runs.group("bursts", 2, Runs.taking(1), new Arrivals.Burst(7, 0, MINUTE))));

        SimulationResult result = Runs.run(scenario, Discipline.FIFO);

        assertThat(Runs.group(result, "steady").accepted()).isBetween(6 * 60L * 13 - 2, 6 * 60L * 13);
        assertThat((double) Runs.group(result, "random").accepted()).as("seed %d", SEED)
                .isCloseTo(30 * 60.0 * 13, within(800.0));
        assertThat(Runs.group(result, "bursts").accepted()).isEqualTo(2 * 7 * 4);
    }

    @Test
    void a_recorded_trace_is_replayed_with_its_tenants_and_handling_times() {
        RecordedTrace rows = new RecordedTrace.Rows(List.of("a", "b"), new long[] {0, 500_000, 2_000_000},
                new int[] {0, 1, 0},
                new long[] {100_000, -1, 200_000});
        Scenario scenario = Runs.scenario(10_000, Runs.cluster(1, 2), List.of(
                Runs.group("recorded", 1, Runs.taking(50), new Arrivals.Recorded(rows, 2))));

        SimulationResult result = Runs.run(scenario, Discipline.FIFO);

        assertThat(result.series()).containsExactly("a", "b");
        assertThat(result.oldest()).extracting(SimulationResult.Row::accepted).containsExactlyInAnyOrder(2L, 1L);
        double slotMillis = result.slotUse() * 2 * result.endMillis();
        assertThat(slotMillis).isCloseTo(100 + 50 + 200, within(0.01));
    }

    @Test
    void counts_of_a_trace_are_spread_over_their_minutes() {
        RecordedTrace counts = new RecordedTrace.Counts(List.of("a", "b"), new int[][] {{30, 0, 60}, {0, 120, 0}},
                MINUTE,
                List.of(Optional.of(new Latency.Constant(10)), Optional.empty()));
        Scenario scenario = Runs.scenario(3 * MINUTE, Runs.cluster(1, 5),
                List.of(Runs.group("recorded", 1, Runs.taking(20), new Arrivals.Recorded(counts, 1))),
                new Scenario.Phase("second", new Window(MINUTE, 2 * MINUTE)));

        SimulationResult result = Runs.run(scenario, Discipline.FIFO);

        assertThat(Runs.group(result, "recorded").accepted()).isEqualTo(210);
        assertThat(Runs.phase(result, "second", "recorded").accepted()).isEqualTo(120);
        assertThat(result.slotUse() * 5 * result.endMillis()).isCloseTo(90 * 10 + 120 * 20, within(0.01));
    }
}
