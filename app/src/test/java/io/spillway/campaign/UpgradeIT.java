package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rolling upgrade from an earlier version and back, when asked for: {@code -Dspillway.upgrade.from=JAR}, a jar that
 * {@code .ci/earlier} builds. Further properties: {@code spillway.upgrade.order} ({@code ROUTER,WORKER,GATEWAY}),
 * {@code spillway.upgrade.signal} ({@code TERM}) and {@code spillway.test.seed}.
 */
@Timeout(1_800) // Only against a hang.
@EnabledIfSystemProperty(
        named = "spillway.upgrade.from", matches = ".+",
        disabledReason = "needs the jar of an earlier version: .ci/earlier COMMIT DIRECTORY builds it")
class UpgradeIT {
    @Test
    void every_item_has_one_end_after_a_rolling_upgrade_and_the_way_back(@TempDir Path directory) throws Exception {
        List<Fault.Target> order = Stream.of(
                        System.getProperty("spillway.upgrade.order", "ROUTER,WORKER,GATEWAY").split(","))
                .map(Fault.Target::valueOf).toList();
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed + ", order " + order);
        try (UpgradeDrill drill = new UpgradeDrill(directory, Path.of(System.getProperty("spillway.upgrade.from")))) {
            UpgradeDrill.Report report =
                    drill.run(order, System.getProperty("spillway.upgrade.signal", "TERM"), seed);
            report.table().forEach(System.out::println);
            System.out.println(report);
            assertThat(report.breaches()).as("seed %d", seed).isEmpty();
            assertThat(report.accepted()).isPositive();
        }
    }
}
