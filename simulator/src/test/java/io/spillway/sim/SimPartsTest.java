package io.spillway.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.spillway.Seed;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.handler.Outcome;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Parts of the simulator. */
class SimPartsTest {
    private final Seed seed = new Seed();

    @Test
    void the_queue_returns_elements_by_time_and_then_in_insertion_order() {
        TimedQueue<long[]> queue = new TimedQueue<>();
        List<long[]> expected = new ArrayList<>();
        List<long[]> taken = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            long[] thing = {seed.random().nextInt(100) + i / 50, i};
            queue.add(thing[0], thing);
            expected.add(thing);
        }
        expected.sort(Comparator.<long[]>comparingLong(thing -> thing[0]).thenComparingLong(thing -> thing[1]));
        while (!queue.isEmpty()) {
            assertThat(queue.firstTime()).isEqualTo(expected.get(taken.size())[0]);
            taken.add(queue.remove());
        }
        assertThat(taken).as("%s", seed).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"20000, 1, 20000, false", "20000, 2, 30000, true", "40000, 1, 30000, true", "40000, 0.5, 20000, false"})
    void an_attempt_times_out_by_the_time_that_it_takes_on_its_worker(
            double millis, double slowdown, long tookMillis, boolean timesOut) {
        Population population = new Population(List.of(new TenantGroup("acme", 1, List.of(), List.of(),
                TenantPolicy.of(PolicySettings.NONE_SET), Handling.of(new Latency.Constant(millis)), List.of())));
        SimulatedItem item = new SimulatedItem(0, 0, "acme", "", 0, SimulatedItem.NOT_RECORDED);
        Destination.Ending ending =
                new ScenarioDestination(population, 1).attempt(item, 0, slowdown, 30_000, 0);
        assertThat(ending.nanos()).isEqualTo(tookMillis * SimulatedTime.NANOS_PER_MILLI);
        assertThat(ending.result() instanceof Outcome.TimedOut).isEqualTo(timesOut);
    }

    @Test
    void percentiles_are_within_two_percent_and_the_maximum_is_exact() {
        AgeHistogram histogram = new AgeHistogram();
        long[] nanos = seed.random().longs(20_000, 0, 44).map(shift -> seed.random().nextLong(1L << shift)).toArray();
        Arrays.stream(nanos).forEach(histogram::add);
        Arrays.sort(nanos);
        for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 0.999}) {
            double exact = nanos[(int) Math.ceil(share * nanos.length) - 1] / 1e6;
            assertThat(histogram.percentileMillis(share)).as("%s, %s", share, seed)
                    .isCloseTo(exact, within(0.02 * exact + 0.001));
        }
        assertThat(histogram.maxMillis()).isEqualTo(nanos[nanos.length - 1] / 1e6);
        assertThat(new AgeHistogram().percentileMillis(0.5)).isZero();
    }

    static List<Object[]> latencies() {
        return List.of(
                new Object[] {new Latency.Constant(7), 7.0},
                new Object[] {new Latency.Uniform(10, 30), 20.0},
                new Object[] {new Latency.Exponential(40), 40.0},
                new Object[] {new Latency.Normal(100, 10), 100.0},
                // The mean of a lognormal distribution is its median times e to half the square of sigma.
                new Object[] {new Latency.LogNormal(20, 60),
                        20 * Math.exp(Math.pow(Math.log(3) / Latency.Z_99, 2) / 2)},
                new Object[] {new Latency.Percentiles(new double[] {0, 0.5, 1}, new double[] {0, 10, 30}), 12.5});
    }

    @ParameterizedTest
    @MethodSource("latencies")
    void latencies_have_the_means_of_their_distributions(Latency latency, double mean) {
        SeededRandom dice = new SeededRandom(5);
        double sum = 0;
        for (int i = 0; i < 100_000; i++) {
            double millis = latency.millis(dice);
            assertThat(millis).isNotNegative();
            sum += millis;
        }
        assertThat(sum / 100_000).as("seed 5").isCloseTo(mean, within(0.02 * mean));
    }

    @Test
    void invalid_arguments_are_rejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Window(5, 5));
        assertThatIllegalArgumentException().isThrownBy(() -> new Latency.Uniform(5, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> new Latency.LogNormal(0, 4));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Latency.Percentiles(new double[] {0, 0.9}, new double[] {1, 2}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Handling(new Latency.Constant(1), 0.6, 0.6, false, List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new Arrivals.Poisson(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Arrivals.Burst(0, 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> Runs.cluster(1_001, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Runs.scenario(1, Runs.cluster(1, 1), List.of()));
    }
}
