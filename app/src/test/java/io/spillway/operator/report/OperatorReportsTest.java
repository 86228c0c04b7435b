package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OperatorReportsTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final int POINTS = 5;

    private final Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of());
    private final Depths depths = new Depths();
    private final FakeReads reads = new FakeReads();
    private final OperatorReports reports = new OperatorReports(
            configuration,
            new OperatorReports.Views(new TenantPolicies(configuration.defaults()), new Sweeps(), depths,
                    new LaneFlows(depths), tenant -> 1),
            reads, "1.2.3", InstantSource.system());

    @BeforeEach
    void an_item_waits_in_hot() {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.HOT.ordinal()] = 1;
        depths.put("acme", Depths.encode("acme", new Depth(TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts),
                FlowRates.startingAt(NOW), GrowingLimit.NONE, 0)));
    }

    @Test
    void an_age_that_the_login_may_not_read_is_asked_for_once_because_brokers_log_each_denial() {
        reads.failure = Optional.of(new KafkaFailure("read offsets", new GroupAuthorizationException("worker")));
        samplePoints();
        assertThat(reads.oldestReads).hasValue(1);
    }

    @Test
    void an_age_that_kafka_does_not_tell_now_is_asked_for_again() {
        reads.failure = Optional.of(new KafkaFailure("read offsets", new TimeoutException("no answer")));
        samplePoints();
        assertThat(reads.oldestReads).hasValue(POINTS);
    }

    private void samplePoints() {
        for (int i = 0; i < POINTS; i++) {
            reports.sample(NOW + i * 1_000L * History.STEP_SECONDS);
        }
    }
}
