package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.TimeoutStats;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimeoutExplanationTest {
    private static final TenantPolicy FIXED = TenantPolicy.of(PolicySettings.NONE_SET);
    private static final TenantPolicy AUTO = TenantPolicy.of(
            PolicySettings.NONE_SET.with(PolicyField.TIMEOUT, "auto"));

    @Test
    void eachWorkerHasARowWithWhatAppliesAndWhatAutoWouldChoose() {
        TimeoutExplanation timeouts = new TimeoutExplanation(FIXED, new TreeMap<>(Map.of(
                "w2", new TimeoutStats(8_192, 20.97, 67.1, 92.27, 1_000, 3, 0, 1_000, 30_000, false),
                "w1", new TimeoutStats(12, 0.131, 4.19, 4.19, 12, 0, 0, 30_000, 30_000, false))));

        assertThat(timeouts.lines()).containsExactly(
                "Timeout 30s, and the durations of successful attempts, by worker:");
        assertThat(timeouts.rows()).containsExactly(
                List.of("w1", 12L, "0.1ms", "4.2ms", "4.2ms", "0.0%", "30s", "after 300"),
                List.of("w2", 8_192L, "21ms", "67ms", "92ms", "0.3%", "30s", "1s"));
        assertThat(timeouts.fields().get(1)).containsEntry("worker", "w2").containsEntry("p999Millis", 92.27)
                .containsEntry("recentTimeouts", 3L).containsEntry("autoMillis", 1_000L);
    }

    @Test
    void aTenantWhoseAttemptsAlwaysTimeOutIsNamedAsSuch() {
        TimeoutExplanation timeouts = new TimeoutExplanation(AUTO, Map.of(
                "w1", new TimeoutStats(0, 0, 0, 0, 45, 45, 45, 30_000, 30_000, false)));

        assertThat(timeouts.lines()).containsExactly(
                "All attempts time out in worker w1: the latest 45.",
                "Timeout auto, and the durations of successful attempts, by worker:");
        assertThat(timeouts.rows()).containsExactly(
                List.of("w1", 0L, "-", "-", "-", "100.0%", "30s", "after 300"));
    }

    @Test
    void aTenantWhoseDestinationIsUnavailableIsNamedAsSuch() {
        TimeoutExplanation timeouts = new TimeoutExplanation(FIXED, Map.of(
                "w1", new TimeoutStats(12, 1, 2, 3, 45, 0, 0, 30_000, 30_000, false),
                "w2", new TimeoutStats(12, 1, 2, 3, 45, 0, 0, 30_000, 30_000, false).withUnavailable(true)));

        assertThat(timeouts.lines()).filteredOn(line -> line.contains("unavailable")).containsExactly(
                "Its destination is unavailable in worker w2: nearly all of its items fail, so failures use up no"
                        + " attempts.");
        assertThat(timeouts.fields()).extracting(fields -> fields.get("unavailable"))
                .containsExactlyInAnyOrder(false, true);
    }

    @Test
    void withoutAStatusItSaysWhatApplies() {
        assertThat(new TimeoutExplanation(FIXED, Map.of()).lines()).containsExactly(
                "Timeout 30s. No worker has published recent attempts of this tenant.");
        assertThat(new TimeoutExplanation(AUTO, Map.of()).lines()).containsExactly(
                "Timeout 30s until workers have measured attempts. No worker has published recent attempts of this"
                        + " tenant.");
    }
}
