package io.spillway.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What the scheduler promises in any scenario, by comparison with one FIFO queue and with the {@link IdealModel}.
 * Another sequence of scenarios with {@code -Dspillway.scheduler.seed=N}, and more of them with
 * {@code -Dspillway.scheduler.runs=N}. Each is left in {@code app/target/scheduler}, for
 * {@code spillway simulate FILE --seed N} with the seed in its name.
 */
class SchedulerPromisesTest {
    private static final long SEED = Long.getLong("spillway.scheduler.seed", Runs.SEED);
    private static final int RUNS = Integer.getInteger("spillway.scheduler.runs", 8);
    private static final double LONG_DRAIN = 1.3;

    private static List<Measured> mixed;
    private static List<Measured> bursts;
    private static List<Measured> burstsOfFleet;

    /** Figures of one scenario; one is empty where its promise does not apply. Times are seconds. */
    private record Measured(
            long seed, String yaml, long unattempted, double fleetDrained, double quietP99,
            OptionalDouble longestWait, OptionalDouble slotUse, OptionalDouble deviation) {
        static Measured of(long seed, GeneratedScenario generated) {
            Scenario scenario = generated.scenario;
            TimedRun spillway = TimedRun.of(scenario, Discipline.SPILLWAY, seed);
            TimedRun fifo = TimedRun.of(scenario, Discipline.FIFO, seed);
            TimedRun ideal = TimedRun.ideal(scenario, seed);
            Comparison comparison = new Comparison(scenario, spillway, fifo, ideal);
            return new Measured(
                    seed, generated.yaml, ideal.services().size() - spillway.services().size(),
                    comparison.fleetDrained(), comparison.quietP99(),
                    comparison.longestWait(), comparison.slotUse(), comparison.deviation());
        }
    }

    /** Figures of Spillway beside those of the other models. */
    private record Comparison(Scenario scenario, TimedRun spillway, TimedRun fifo, TimedRun ideal) {
        /** Returns how much later than 1.3 times the ideal all items had ended, counted from the last burst. */
        double fleetDrained() {
            long sinceNanos = scenario.groups().stream()
                    .flatMapToLong(group -> TimedRun.lastBurstMillis(group).stream())
                    .max().orElse(0) * SimulatedTime.NANOS_PER_MILLI;
            return seconds(spillway.endNanos() - sinceNanos - LONG_DRAIN * (ideal.endNanos() - sinceNanos));
        }

        /** Returns by how much the wait of the quiet tenants exceeds the ideal, at the 99th percentile. */
        double quietP99() {
            return (Runs.group(spillway.result(), "quiet").p99Millis()
                    - Runs.group(ideal.result(), "quiet").p99Millis()) / 1e3;
        }

        /**
         * Returns by how much a wait exceeds both the longest one through FIFO and the tenant's longest one in the
         * ideal, for the worst tenant that stays within its fair share and has no burst.
         */
        OptionalDouble longestWait() {
            Population population = new Population(scenario.groups());
            double weights = 0;
            for (int tenant = 0; tenant < population.size(); tenant++) {
                weights += population.policy(tenant).weight();
            }
            double[] worst = worstWaits(spillway);
            double[] idealWorst = worstWaits(ideal);
            double fifoWorst = Arrays.stream(worstWaits(fifo)).max().orElse(0);
            double[] load = new double[population.size()];
            spillway.services().forEach(each -> load[each.tenant()] += each.endedNanos() - each.startedNanos());
            OptionalDouble excess = OptionalDouble.empty();
            for (int tenant = 0; tenant < population.size(); tenant++) {
                double slots = load[tenant] / (scenario.durationMillis() * SimulatedTime.NANOS_PER_MILLI);
                double fair = scenario.cluster().slots() * population.policy(tenant).weight() / weights;
                if (slots <= 0.8 * fair && TimedRun.lastBurstMillis(population.group(tenant)).isEmpty()) {
                    double own = worst[tenant] - Math.max(fifoWorst, idealWorst[tenant]);
                    excess = OptionalDouble.of(Math.max(own, excess.orElse(own)));
                }
            }
            return excess;
        }

        private double[] worstWaits(TimedRun run) {
            double[] worst = new double[scenario.tenants()];
            run.services().forEach(each ->
                    worst[each.tenant()] = Math.max(worst[each.tenant()], seconds(each.waitNanos())));
            return worst;
        }

        /** Returns the share of the slots in use in a backlog of short attempts without limits of concurrency. */
        OptionalDouble slotUse() {
            boolean isLimited = scenario.groups().stream()
                    .anyMatch(group -> group.policy().concurrency() < Integer.MAX_VALUE);
            boolean isLong = spillway.services().stream()
                    .anyMatch(each -> seconds(each.endedNanos() - each.startedNanos()) > 2);
            TimedRun.Backlogged use = spillway.whileWaiting(2 * scenario.cluster().slots());
            return isLimited || isLong || use.seconds() < 3 ? OptionalDouble.empty()
                    : OptionalDouble.of(use.meanSlots() / scenario.cluster().slots());
        }

        /** Returns how far the service of two bursts is from their weights while both are backlogged. */
        OptionalDouble deviation() {
            List<TenantGroup> groups = scenario.groups();
            if (groups.size() != 3 || TimedRun.lastBurstMillis(groups.get(1)).isEmpty()) {
                return OptionalDouble.empty();
            }
            Population population = new Population(groups);
            long fromNanos = TimedRun.lastBurstMillis(groups.get(1)).getAsLong() * SimulatedTime.NANOS_PER_MILLI;
            long toNanos = Math.min(backloggedUntil(population.first(1)), backloggedUntil(population.first(2)));
            double first = held(population.first(1), fromNanos, toNanos);
            double second = held(population.first(2), fromNanos, toNanos);
            double ratio = second / groups.get(2).policy().weight() / (first / groups.get(1).policy().weight());
            return OptionalDouble.of(Math.abs(ratio - 1));
        }

        /** Returns when as many of a tenant's items as two for each slot were left. */
        private long backloggedUntil(int tenant) {
            long[] starts = spillway.services().stream().filter(each -> each.tenant() == tenant)
                    .mapToLong(Service::startedNanos).sorted().toArray();
            return starts[Math.max(0, starts.length - 1 - 2 * scenario.cluster().slots())];
        }

        private double held(int tenant, long fromNanos, long toNanos) {
            return spillway.services().stream().filter(each -> each.tenant() == tenant)
                    .mapToDouble(each -> Math.max(0,
                            Math.min(each.endedNanos(), toNanos) - Math.max(each.startedNanos(), fromNanos)))
                    .sum();
        }

        private static double seconds(double nanos) {
            return nanos / SimulatedTime.NANOS_PER_SECOND;
        }
    }

    @BeforeAll
    static void run() {
        mixed = measured(RUNS, GeneratedScenario::mixed);
        bursts = measured((RUNS + 1) / 2, seed -> GeneratedScenario.twoBursts(seed, 1));
        burstsOfFleet = measured((RUNS + 3) / 4, seed -> GeneratedScenario.twoBursts(seed, 4));
    }

    private static List<Measured> measured(int runs, LongFunction<GeneratedScenario> generator) {
        return LongStream.range(SEED, SEED + runs).mapToObj(seed -> Measured.of(seed, generator.apply(seed))).toList();
    }

    @Test
    void every_item_is_attempted() {
        check("items without an attempt", mixed, each -> OptionalDouble.of(each.unattempted()), 0);
    }

    @Test
    void the_fleet_has_ended_within_five_seconds_of_1_3_times_the_ideal() {
        check("fleet beyond 1.3 ideals, s", mixed, each -> OptionalDouble.of(each.fleetDrained()), 5);
    }

    @Test
    void quiet_tenants_wait_at_most_half_a_second_longer_than_in_the_ideal() {
        check("p99 of quiet beyond ideal, s", mixed, each -> OptionalDouble.of(each.quietP99()), 0.5);
    }

    @Test
    void no_tenant_within_its_share_waits_ten_seconds_longer_than_in_both_fifo_and_the_ideal() {
        check("longest wait beyond FIFO and ideal, s", mixed, Measured::longestWait, 10);
    }

    @Test
    void at_least_0_85_of_the_slots_are_in_use_while_short_attempts_wait() {
        check("share of idle slots in a backlog", mixed, each -> idle(each.slotUse()), 0.15);
    }

    @Test
    void at_least_0_85_of_the_slots_are_in_use_while_two_large_bursts_wait() {
        check("share of idle slots with two bursts", bursts, each -> idle(each.slotUse()), 0.15);
    }

    @Test
    void two_backlogged_tenants_of_a_worker_are_served_by_their_weights_within_a_quarter() {
        check("deviation from weights on a worker", bursts, Measured::deviation, 0.25);
    }

    @Test
    void two_backlogged_tenants_of_a_fleet_are_served_by_their_weights_within_two_fifths() {
        check("deviation from weights in a fleet", burstsOfFleet, Measured::deviation, 0.4);
    }

    private static OptionalDouble idle(OptionalDouble use) {
        return use.isEmpty() ? use : OptionalDouble.of(1 - use.getAsDouble());
    }

    /** Prints the worst figures, and fails with the scenarios whose figure is above the limit. */
    private static void check(
            String what, List<Measured> all, Function<Measured, OptionalDouble> figure, double limit) {
        List<Measured> worst = all.stream().filter(each -> figure.apply(each).isPresent())
                .sorted(Comparator.comparingDouble((Measured each) -> -figure.apply(each).getAsDouble())).toList();
        List<String> broken = new ArrayList<>();
        for (Measured each : worst) {
            if (figure.apply(each).getAsDouble() > limit) {
                broken.add("seed %d: %.3f%n%s".formatted(each.seed(), figure.apply(each).getAsDouble(), each.yaml()));
            }
        }
        System.out.printf(Locale.ROOT, "%s, at most %.2f: %d of %d above; %s%n", what, limit, broken.size(),
                worst.size(), worst.stream().limit(12)
                        .map(each -> "%.3f (%d)".formatted(figure.apply(each).getAsDouble(), each.seed()))
                        .collect(Collectors.joining(", ")));
        assertThat(broken).as("%s, at most %s, from seed %d", what, limit, SEED).isEmpty();
    }
}
