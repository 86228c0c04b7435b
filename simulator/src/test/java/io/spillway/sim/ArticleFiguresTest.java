package io.spillway.sim;

import static io.spillway.sim.Runs.HOUR;
import static io.spillway.sim.Runs.MINUTE;
import static io.spillway.sim.Runs.SEED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptRules;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.retry.ItemHistory;
import io.spillway.core.retry.NextStep;
import io.spillway.handler.Outcome;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.Surge;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures of published articles, simulated with a FIFO queue and with Spillway. */
class ArticleFiguresTest {
    private static final double SLOTS = 20;
    /** Transactions every 250 ms instead of every 50 ms, since the runs last hours and an item takes a second. */
    private static final SimulatedCluster CLUSTER =
            Runs.cluster(1, (int) SLOTS, 250, ProtectionSettings.DEFAULT);

    /**
     * "Avoiding insurmountable queue backlogs" (D. Yanacek, Amazon Builders' Library): after a spike of duration T at r
     * times the usual rate, a FIFO queue with a capacity of c times that rate needs T(r − c)/(c − 1) to recover. 30
     * minutes at 10 times the usual rate, with 1.818 times the capacity, make 300 minutes.
     */
    @ParameterizedTest(name = "capacity {0}: {1} minutes")
    @CsvSource({"2, 240", "1.818, 300"})
    void a_spike_of_30_minutes_at_10_times_delays_fifo_for_hours_and_new_items_of_spillway_hardly(double capacity,
            double minutes) {
        double formula = 30 * (10 - capacity) / (capacity - 1);
        assertThat(formula).isCloseTo(minutes, within(0.01 * minutes));
        // Compares the median. Handlers take a second, ten times the buffer time of hot, so that some items of the
        // steady tenants move to overflow and wait behind the spike. Nine tenants in ten keep their rate, and the tenth
        // makes the whole spike.
        double usual = SLOTS / capacity;
        Surge surge = new Surge(new Window(HOUR, 90 * MINUTE), 91);
        Scenario scenario = Runs.scenario(7 * HOUR, CLUSTER, List.of(
                Runs.group("steady", 9, Runs.taking(1_000), new Arrivals.Poisson(usual / 10)),
                new TenantGroup("spiking", 1, List.of(new Arrivals.Poisson(usual / 10)), List.of(surge), Runs.policy(),
                        Runs.taking(1_000), List.of())),
                new Scenario.Phase("after", new Window(90 * MINUTE, 120 * MINUTE)));

        SimulationResult fifo = Runs.run(scenario, Discipline.FIFO);
        SimulationResult spillway = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat(fifo.recoveredMillis().orElseThrow() / (double) MINUTE).as("seed %d", SEED)
                .isCloseTo(formula, within(0.03 * formula));
        assertThat(Runs.phase(fifo, "after", "steady").p50Millis()).as("seed %d", SEED).isGreaterThan(HOUR);
        assertThat(Runs.phase(spillway, "after", "steady").p50Millis()).as("seed %d", SEED).isLessThan(1_000);
        assertThat((double) spillway.recoveredMillis().orElseThrow()).as("as much work in as much time; seed %d", SEED)
                .isCloseTo(fifo.recoveredMillis().orElseThrow(), within(0.05 * fifo.recoveredMillis().orElseThrow()));
    }

    /** Same article: a system that stops for an hour needs twice its capacity for another hour. */
    @Test
    void an_outage_of_an_hour_takes_an_hour_at_twice_the_capacity_and_new_items_of_spillway_do_not_wait_for_it() {
        Handling down = new Handling(new Latency.Constant(1_000), 0, 0, false,
                List.of(new Disturbance.Outage(new Window(HOUR, 2 * HOUR))));
        Scenario scenario = Runs.scenario(4 * HOUR, CLUSTER, List.of(new TenantGroup(
                "tenant", 20, List.of(new Arrivals.Poisson(0.5)), List.of(), Runs.policy(), down, List.of())),
                new Scenario.Phase("after", new Window(2 * HOUR + 10 * MINUTE, 3 * HOUR)));

        SimulationResult fifo = Runs.run(scenario, Discipline.FIFO);
        SimulationResult spillway = Runs.run(scenario, Discipline.SPILLWAY);

        assertThat((double) fifo.recoveredMillis().orElseThrow()).as("seed %d", SEED)
                .isCloseTo(HOUR, within(0.03 * HOUR));
        assertThat(Runs.phase(fifo, "after", "tenant").p50Millis()).as("seed %d", SEED).isGreaterThan(5.0 * MINUTE);
        assertThat(Runs.phase(spillway, "after", "tenant").p50Millis()).as("seed %d", SEED).isLessThan(1_000);
        assertThat(spillway.groups().getFirst().dead()).as("seed %d", SEED).isZero();
        assertThat(spillway.groups().getFirst().waiting()).as("seed %d", SEED).isZero();
    }

    /** "Timeouts, retries and backoff with jitter" (M. Brooker, Amazon Builders' Library): 3 tries in 5 layers each. */
    @Test
    void three_tries_in_each_of_five_layers_are_243_calls_and_in_one_layer_three() {
        TenantPolicy threeTries = Runs.policy(PolicyField.ATTEMPTS, "3");
        TenantPolicy oneTry = Runs.policy(PolicyField.ATTEMPTS, "1");

        assertThat(calls(5, threeTries, threeTries)).isEqualTo(243);
        assertThat(calls(5, threeTries, oneTry)).isEqualTo(3);
    }

    /** Returns the calls to a destination that always fails, through layers that retry by the rules. */
    private static int calls(int layers, TenantPolicy top, TenantPolicy below) {
        record History(int attempts, int blameThousandths, long waitMillis) implements ItemHistory {}
        if (layers == 0) {
            return 1;
        }
        int calls = 0;
        int attempts = 0;
        NextStep next;
        do {
            calls += calls(layers - 1, below, below);
            ItemHistory before = new History(attempts, attempts * DestinationHealth.WHOLE, 0);
            attempts++;
            next = AttemptRules.nextStep(Outcome.retry("down"), before,
                    DestinationHealth.WHOLE, top, new SeededRandom(SEED), 0);
        } while (next instanceof NextStep.Delay);
        return calls;
    }

    /** J. D. C. Little, 1961, in the first article: 100 a second of 0.1 s are 10 at once, and of 10 s 1,000. */
    @ParameterizedTest(name = "{0} ms: {1} at once")
    @CsvSource({"100, 10", "10000, 1000"})
    void concurrency_is_rate_times_latency(double millis, double atOnce) {
        Scenario scenario = Runs.scenario(HOUR, Runs.cluster(1, 2_000), List.of(
                Runs.group("tenant", 1, Runs.taking(millis), new Arrivals.Poisson(100))));

        double inFlight = Runs.run(scenario, Discipline.FIFO).slotUse() * 2_000;

        assertThat(inFlight).as("seed %d", SEED).isCloseTo(atOnce, within(0.03 * atOnce));
    }

    /** Same article: no tenant takes the whole worker, whatever its latency. */
    @Test
    void a_tenant_whose_handler_takes_ten_seconds_instead_of_a_tenth_does_not_delay_the_others() {
        Scenario scenario = Runs.scenario(10 * MINUTE, Runs.cluster(1, 50), List.of(
                Runs.group("others", 9, Runs.taking(100), new Arrivals.Poisson(20)),
                new TenantGroup("slow", 1, List.of(new Arrivals.Poisson(100)), List.of(), Runs.policy(),
                        new Handling(new Latency.Constant(100), 0, 0, false,
                                List.of(new Disturbance.Slowdown(new Window(2 * MINUTE, 5 * MINUTE), 100))),
                                        List.of())));

        SimulationResult spillway = Runs.run(scenario, Discipline.SPILLWAY);
        SimulationResult fifo = Runs.run(scenario, Discipline.FIFO);

        assertThat(Runs.group(spillway, "others").p99Millis()).as("seed %d", SEED).isLessThan(250);
        assertThat(Runs.group(fifo, "others").p99Millis()).as("seed %d", SEED).isGreaterThan(MINUTE);
    }

    /**
     * "A quantitative measure of fairness and discrimination" (Jain, Chiu and Hawe 1984): ten tenants with demands of
     * one to ten times a unit, together more than the capacity.
     */
    @Test
    void jains_index_of_a_run_is_near_one_where_fifo_serves_tenants_by_demand() {
        List<TenantGroup> groups = IntStream.rangeClosed(1, 10)
                .mapToObj(i -> Runs.group("t" + i, 1, Runs.taking(100), new Arrivals.Poisson(4.0 * i)))
                .toList();
        Scenario scenario = new Scenario("jain", "", 10 * MINUTE, 0, Runs.cluster(1, 10), groups, List.of());

        assertThat(Runs.run(scenario, Discipline.SPILLWAY).jain()).as("seed %d", SEED).isGreaterThan(0.98);
        assertThat(Runs.run(scenario, Discipline.FIFO).jain()).as("seed %d", SEED).isLessThan(0.9);
    }
}
