package io.spillway.sim;

import static io.spillway.sim.Runs.MINUTE;
import static io.spillway.sim.Runs.SEED;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Complete runs with {@code timeout: auto}, beside the fixed timeout of 30 s. */
class AutoTimeoutRunsTest {
    private static final Latency USUAL = new Latency.LogNormal(20, 60);
    private static final double NEVER_MILLIS = 80_000_000;
    private static final long HANG_END = 12 * MINUTE;

    @Test
    void attemptsThatHangFreeTheirSlotsSooner() {
        Handling hanging = Handling.of(mixed(0.02, NEVER_MILLIS));
        SimulationResult fixed = run(20, "30s", "1s", hanging);
        SimulationResult auto = run(20, "auto", "1s", hanging);

        assertThat(slotMillis(auto)).as("seed %s", SEED).isLessThan(slotMillis(fixed) / 4);
        assertThat(row(auto).done()).isEqualTo(row(auto).accepted());
    }

    @Test
    void whileADestinationHangsForTwoMinutesItemsStillGetTheirFirstAttemptAtOnce() {
        Handling hanging = new Handling(USUAL, 0, 0, false,
                List.of(new Disturbance.Hang(new Window(HANG_END - 2 * MINUTE, HANG_END))));
        SimulationResult fixed = run(2, "30s", "1s", hanging);
        SimulationResult auto = run(2, "auto", "1s", hanging);

        assertThat(slotsInHang(auto)).as("seed %s", SEED).isLessThan(0.7 * slotsInHang(fixed));
        assertThat(row(fixed).maxMillis()).as("attempts of 30 s hold all slots").isGreaterThan(60_000);
        assertThat(row(auto).maxMillis()).as("attempts of 1 s do not").isLessThan(1_000);
        assertThat(row(auto).done()).isEqualTo(row(auto).accepted());
    }

    @Test
    void aDestinationThatBecomesThreeTimesSlowerForGoodIsFollowedAndNoItemDiesOfIt() {
        Handling slower = new Handling(USUAL, 0, 0, false,
                List.of(new Disturbance.Slowdown(new Window(10 * MINUTE, 24 * Runs.HOUR), 3)));
        SimulationResult auto = run(20, "auto", "1ms", slower);
        SimulationResult much = run(20, "auto", "1ms", new Handling(USUAL, 0, 0, false,
                List.of(new Disturbance.Slowdown(new Window(10 * MINUTE, 24 * Runs.HOUR), 30))));

        assertThat(row(auto).done()).as("seed %s", SEED).isEqualTo(row(auto).accepted());
        assertThat(row(auto).attempts() - row(auto).accepted()).isLessThan(250);
        assertThat(row(much).done()).isEqualTo(row(much).accepted());
        assertThat(row(much).attempts() - row(much).accepted()).isLessThan(800);
    }

    @Test
    void oneAttemptInAHundredThatTakesFiftyTimesAsLongIsNotTimedOutForEver() {
        SimulationResult auto = run(20, "auto", "1ms", Handling.of(mixed(0.01, 1_000)));

        assertThat(row(auto).done()).as("seed %s", SEED).isEqualTo(row(auto).accepted());
        assertThat(row(auto).attempts() - row(auto).accepted())
                .as("of %s slow ones", row(auto).accepted() / 100).isLessThan(row(auto).accepted() / 500);
    }

    /** Runs one tenant for 20 minutes on two workers of 10 slots. */
    private static SimulationResult run(double perSecond, String timeout, String minimum, Handling handling) {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.TIMEOUT, timeout).with(PolicyField.TIMEOUT_MIN, minimum));
        TenantGroup group = new TenantGroup(
                "t", 1, List.of(new Arrivals.Constant(perSecond)), List.of(), policy, handling, List.of());
        return Runs.run(Runs.scenario(20 * MINUTE, Runs.cluster(2, 10), List.of(group)), Discipline.SPILLWAY);
    }

    private static Latency mixed(double share, double millis) {
        return new Latency.Percentiles(
                new double[] {0, 1 - share, 1 - share + 1e-9, 1}, new double[] {18, 22, millis, millis});
    }

    private static SimulationResult.Row row(SimulationResult result) {
        return Runs.group(result, "t");
    }

    private static double slotMillis(SimulationResult result) {
        return result.slotUse() * result.endMillis();
    }

    private static double slotsInHang(SimulationResult result) {
        return result.samples().stream()
                .filter(each -> each.nowMillis() > HANG_END - MINUTE && each.nowMillis() < HANG_END)
                .mapToInt(SimulationResult.Sample::inFlight).average().orElseThrow();
    }
}
