package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** One run of a campaign, when asked for: {@code -Dspillway.campaign.seconds=180 -Dspillway.test.seed=N}. */
@Timeout(1_800) // Only against a hang.
@EnabledIfSystemProperty(named = "spillway.campaign.seconds", matches = "\\d+")
class CampaignIT {
    @Test
    void every_item_has_one_end_after_faults_of_processes_brokers_and_network(@TempDir Path directory)
            throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        int millis = Integer.getInteger("spillway.campaign.seconds") * 1_000;
        System.out.println("seed " + seed);
        try (Campaign campaign = new Campaign(directory)) {
            Campaign.Report report =
                    campaign.run(Schedule.of(seed, List.of(Fault.values()), millis), millis, Duration.ofMinutes(5));
            System.out.println(report);
            assertThat(report.breaches()).as("seed %d", seed).isEmpty();
            assertThat(report.accepted()).isPositive();
        }
    }
}
