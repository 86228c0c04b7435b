package io.spillway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.sim.Simulation;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.SimulationResult;
import org.junit.jupiter.api.Test;

/** The shipped scenario {@code noisy-workload}, in defaults: one workload of a tenant beside its siblings. */
class NoisyWorkloadTest {
    private static final long SEED = 1;

    private final SimulationResult result =
            Simulation.run(ScenarioLoader.load("noisy-workload"), Discipline.SPILLWAY, SEED, (a, b, c, d) -> {});

    @Test
    void quiet_workloads_of_a_tenant_do_not_notice_a_noisy_one() {
        for (String quiet : new String[] {"platform/mail", "platform/export", "platform/hooks", "others"}) {
            SimulationResult.Row before = phase("before", quiet);
            SimulationResult.Row flood = phase("flood", quiet);
            System.out.printf("%s: p99 %.0f ms before, %.0f ms in the flood; p50 %.0f and %.0f ms%n", quiet,
                    before.p99Millis(), flood.p99Millis(), before.p50Millis(), flood.p50Millis());
            assertThat(flood.p99Millis()).as("%s, seed %d", quiet, SEED).isLessThanOrEqualTo(1.25 * before.p99Millis());
        }
    }

    @Test
    void the_noisy_workload_uses_all_idle_slots() {
        SimulationResult.Row noisy = phase("flood", "platform/noisy");
        // 30,000 items of 22.5 ms, the mean of the lognormal. Beyond its share a tenant has the 40 slots that are not
        // reserved, and the other workloads of this one use 2 of them (90 items a second).
        double idealMillis = 30_000 * 22.5 / (40 - 90 * 0.0225);
        System.out.printf("noisy: done after %.0f ms, ideal %.0f ms%n", noisy.maxMillis(), idealMillis);
        assertThat(noisy.maxMillis()).as("seed %d", SEED).isLessThan(1.1 * idealMillis);
        assertThat(noisy.waiting()).isZero();
    }

    private SimulationResult.Row phase(String phase, String name) {
        return result.phases().stream()
                .filter(each -> each.phase().equals(phase) && each.row().name().equals(name))
                .findFirst().orElseThrow().row();
    }
}
