package io.spillway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.terminal.DurationText;
import io.spillway.sim.Simulation;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.SimulationResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The figures in {@code docs/simulator.md} are those that the commands on the page print. */
class SimulatorPageTest {
    @Test
    void a_noisy_neighbour_costs_the_others_what_the_page_says() throws IOException {
        SimulationResult spillway = run("noisy-neighbour", Discipline.SPILLWAY);
        SimulationResult fifo = run("noisy-neighbour", Discipline.FIFO);
        assertThat(page())
                .contains("| Spillway | " + ages(phase(spillway, "flood", "quiet")))
                .contains("| one FIFO queue | " + ages(phase(fifo, "flood", "quiet")))
                .contains("The last item of the burst is attempted after %s, through FIFO after %s.".formatted(
                        lastOfBurst(spillway), lastOfBurst(fifo)));
    }

    @Test
    void workloads_beside_a_noisy_one_have_the_ages_of_the_page() throws IOException {
        SimulationResult result = run("noisy-workload", Discipline.SPILLWAY);
        StringBuilder table = new StringBuilder();
        for (String name : new String[] {"platform/mail", "platform/export", "platform/hooks", "others"}) {
            table.append("| %s | %s | %s |%n".formatted(name, p99(result, "before", name), p99(result, "flood", name)));
        }
        assertThat(page()).contains(table);
    }

    private static String p99(SimulationResult result, String phase, String name) {
        return DurationText.of(phase(result, phase, name).p99Millis());
    }

    private static String ages(SimulationResult.Row row) {
        return "%s | %s | %s |".formatted(DurationText.of(row.p50Millis()), DurationText.of(row.p99Millis()),
                DurationText.of(row.maxMillis()));
    }

    private static String lastOfBurst(SimulationResult result) {
        return DurationText.of(phase(result, "flood", "noisy").maxMillis());
    }

    private static SimulationResult run(String scenario, Discipline discipline) {
        return Simulation.run(ScenarioLoader.load(scenario), discipline, 0, (a, b, c, d) -> {});
    }

    private static SimulationResult.Row phase(SimulationResult result, String phase, String name) {
        return result.phases().stream()
                .filter(each -> each.phase().equals(phase) && each.row().name().equals(name))
                .findFirst().orElseThrow().row();
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/simulator.md"));
    }
}
