package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.retry.AttemptTimeouts.TenantStats;
import io.spillway.core.retry.TimeoutStats;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeoutStatusesTest {
    private static final TimeoutStats ONE =
            new TimeoutStats(8_192, 20.9, 66.5, 92.25, 1_000, 3, 0, 1_000, 30_000, false);
    private static final TimeoutStats OTHER = new TimeoutStats(0, 0, 0, 0, 40, 40, 40, 30_000, 30_000, false);

    private long nowMillis = 1_800_000_000_000L;
    private final TimeoutStatuses statuses = new TimeoutStatuses(() -> Instant.ofEpochMilli(nowMillis));

    @Test
    void aTenantHasTheStatisticsOfEachLiveWorkerThatKnowsIt() {
        publish("w1", List.of(new TenantStats("acme", ONE), new TenantStats("bolt", OTHER)));
        nowMillis += 1;
        publish("w2", List.of(new TenantStats("acme", OTHER)));

        assertThat(statuses.of("acme")).isEqualTo(Map.of("w1", ONE, "w2", OTHER));
        assertThat(statuses.of("bolt")).isEqualTo(Map.of("w1", OTHER));
        assertThat(statuses.of("zinc")).isEmpty();
        nowMillis += TimeoutStatuses.ALIVE_MILLIS - 1;
        assertThat(statuses.of("acme")).as("w1 is silent").isEqualTo(Map.of("w2", OTHER));
        statuses.remove("w2");
        assertThat(statuses.of("acme")).as("w2 has removed its status").isEmpty();
    }

    @Test
    void theAgeOfAStatusCountsFromItsPublicationSinceACommandReadsItLater() {
        byte[] published = statuses.encode("w1", List.of(new TenantStats("acme", ONE)));
        nowMillis += TimeoutStatuses.ALIVE_MILLIS - 1;
        statuses.put("w1", published);
        assertThat(statuses.of("acme")).containsOnlyKeys("w1");
        nowMillis += 1;
        assertThat(statuses.of("acme")).isEmpty();
        nowMillis -= 3_600_000;
        statuses.put("w1", published);
        assertThat(statuses.of("acme")).as("from a clock that is ahead").containsOnlyKeys("w1");
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, Double.NaN, Double.POSITIVE_INFINITY})
    void anInvalidStatusIsRejectedAndThePreviousOneStays(double millis) {
        publish("w1", List.of(new TenantStats("acme", ONE)));
        byte[] invalid = statuses.encode("w1", List.of(
                new TenantStats("acme", new TimeoutStats(1, millis, 1, 1, 1, 1, 1, 1, 1, false))));
        byte[] tooMany = statuses.encode(
                "w1", Collections.nCopies(TimeoutStatuses.MOST_TENANTS + 1, new TenantStats("acme", ONE)));
        for (byte[] bytes : new byte[][] {invalid, tooMany, {1, 2, 3}}) {
            assertThatThrownBy(() -> statuses.put("w1", bytes)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(statuses.of("acme")).isEqualTo(Map.of("w1", ONE));
    }

    private void publish(String worker, List<TenantStats> tenants) {
        statuses.put(worker, statuses.encode(worker, tenants));
    }
}
