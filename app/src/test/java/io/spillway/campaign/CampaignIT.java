package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs of a campaign, when asked for: {@code -Dspillway.campaign.seconds=180}, and then
 * {@code -Dspillway.campaign.seed=N} for the first run instead of the seed of the day, and
 * {@code -Dspillway.campaign.runs=N} for the following seeds too, {@code -Dspillway.campaign.faults=A,B} for some kinds
 * of faults alone. Writes a table to {@code target/campaign.md}.
 */
@Tag("alone") // Nine JVMs.
@EnabledIfSystemProperty(named = "spillway.campaign.seconds", matches = "[1-9]\\d*")
class CampaignIT {
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    @Test
    void every_item_has_one_end_after_faults_of_processes_brokers_and_network(
            @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        long first = property("seed").map(Long::parseLong).orElse(LocalDate.now(Clock.systemUTC()).toEpochDay());
        int runs = property("runs").map(Integer::parseInt).orElse(1);
        int millis = property("seconds").map(Integer::parseInt).orElseThrow() * 1_000;
        CampaignTable table = new CampaignTable();
        List<String> breaches = new ArrayList<>();
        for (long seed = first; seed < first + runs; seed++) {
            System.out.println("campaign with seed " + seed + " in " + directory);
            try (Campaign campaign = new Campaign(directory.resolve("seed-" + seed),
                    System.getProperty("spillway.test.bootstrap", ""), clocks(seed),
                    property("namespaces").map(Boolean::valueOf).orElse(false))) {
                Schedule schedule = Schedule.of(seed, property("faults").map(CampaignIT::faults)
                        .orElseGet(campaign::faults), millis);
                Campaign.Report report = campaign.run(schedule, millis, PATIENCE);
                System.out.println(report);
                table.add(schedule, report);
                Files.writeString(Path.of("target", "campaign.md"), table.text());
                assertThat(report.accepted()).as("seed %d", seed).isPositive();
                for (String breach : report.breaches()) {
                    breaches.add("seed " + seed + ": " + breach);
                }
            }
        }
        assertThat(breaches).isEmpty();
    }

    /** For every third seed, so that most runs have processes without the library. */
    private static Optional<Path> clocks(long seed) {
        return seed % 3 == 0 ? property("clocks").map(Path::of) : Optional.empty();
    }

    private static List<Fault> faults(String names) {
        return Arrays.stream(names.split(",")).map(Fault::valueOf).toList();
    }

    private static Optional<String> property(String name) {
        return Optional.ofNullable(System.getProperty("spillway.campaign." + name)).filter(text -> !text.isEmpty());
    }
}
