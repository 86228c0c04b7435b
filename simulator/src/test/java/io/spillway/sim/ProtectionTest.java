package io.spillway.sim;

import static io.spillway.sim.Runs.MINUTE;
import static io.spillway.sim.Runs.SEED;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.Window;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Overload of hot with and without its protection: 99 quiet tenants, and one that sends 50,000 items at once. No tenant
 * has a rate.
 */
class ProtectionTest {
    private static final Handling USUAL = Handling.of(new Latency.LogNormal(20, 60));
    private static final Scenario.Phase FLOOD = new Scenario.Phase("flood", new Window(MINUTE, 2 * MINUTE));

    @Test
    void the_protection_keeps_the_burst_out_of_hot_from_the_start_and_quiet_tenants_stay_fast() {
        SimulationResult with = run(ProtectionSettings.DEFAULT);
        SimulationResult without = run(ProtectionSettings.OFF);

        assertThat(without.peakDepths().get(Lane.HOT)).as("seed %d", SEED).isGreaterThan(49_000);
        assertThat(with.peakDepths().get(Lane.HOT)).as("seed %d", SEED).isLessThan(2_000);
        assertThat(Runs.phase(with, "flood", "quiet").maxMillis()).as("seed %d", SEED).isLessThan(250);
        assertThat(Runs.group(with, "noisy").done()).as("seed %d", SEED)
                .isEqualTo(Runs.group(with, "noisy").accepted());
        assertThat(with.endMillis()).as("as much work in as much time; seed %d", SEED)
                .isLessThanOrEqualTo(without.endMillis() + 2_000);
    }

    private static SimulationResult run(ProtectionSettings protection) {
        return Runs.run(Runs.scenario(3 * MINUTE, Runs.cluster(1, 50, 50, protection), List.of(
                Runs.group("quiet", 99, USUAL, new Arrivals.Poisson(5)),
                Runs.group("noisy", 1, USUAL, new Arrivals.Poisson(5), new Arrivals.Burst(50_000, MINUTE, 0))),
                        FLOOD), Discipline.SPILLWAY);
    }
}
