package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.handler.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tenant with three attempts for an item and {@code timeout: auto} from 50 ms on; its attempts take 20 ms. */
class AutoTimeoutTimelineTest {
    private static final Outcome SUCCEEDED = Outcome.done();

    private final EngineTimeline timeline = new EngineTimeline(10);
    private final EnginePartition partition = timeline.partition(Lane.HOT);
    private long offset;

    @BeforeEach
    void setTimeout() {
        timeline.set(PolicyField.TIMEOUT, "auto");
        timeline.set(PolicyField.TIMEOUT_MIN, "50ms");
    }

    @Test
    void theTimeoutFollowsTheAttemptsOfTheTenantAndIsLongerForRetriesAndFixedForTheLastAttempt() {
        assertThat(timeoutMillis(0)).isEqualTo(30_000);
        for (int i = 0; i < 1_500; i++) {
            succeeds();
        }
        long usual = timeoutMillis(0);
        assertThat(usual).as("three times 20 ms").isBetween(60L, 64L);
        assertThat(timeoutMillis(1)).as("after one failure").isEqualTo(2 * usual);
        assertThat(timeoutMillis(2)).as("after two of three failures").isEqualTo(30_000);
        assertThat(timeline.engine.timeouts().size()).isEqualTo(1);
    }

    private void succeeds() {
        timeline.arrives(partition, offset, 0);
        timeline.nowMillis += 20;
        timeline.ends(offset++, SUCCEEDED);
        timeline.commit(partition);
    }

    /** Starts an attempt at an item with this many failures, ends it, and returns its timeout. */
    private long timeoutMillis(int failures) {
        timeline.arrives(new EngineTimeline.Item(partition, offset, "acme", failures, 0, timeline.nowMillis));
        long millis = timeline.attempt(offset).timeout.millis();
        timeline.nowMillis += 20;
        timeline.ends(offset++, SUCCEEDED);
        timeline.commit(partition);
        return millis;
    }
}
