package io.spillway.core.item;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.routing.Route;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Labels in headers, topics and metrics, on which other programs rely. */
class LabelsTest {
    @Test
    void lanes_and_reasons_have_their_public_labels() {
        assertThat(Arrays.stream(Lane.values()).map(Lane::label))
                .containsExactly("hot", "overflow", "aged", "delay", "dead-letter");
        assertThat(Arrays.stream(LaneReason.values()).map(LaneReason::label)).containsExactly(
                "fresh", "rate", "share", "age", "retry", "due", "excess", "capped", "later",
                "scheduled", "paused", "fan-out", "order", "claimed", "isolated", "lost");
        assertThat(Arrays.stream(DropReason.values()).map(DropReason::label))
                .containsExactly("sweep", "ttl", "cancelled", "duplicate");
        assertThat(Arrays.stream(DeadReason.values()).map(DeadReason::label)).containsExactly(
                "malformed", "null-value", "unknown-schema", "schema-registry-framing", "bad-tenant",
                "bad-id", "bad-workload", "bad-enqueued-at", "bad-deliver-at", "bad-order-key", "bad-due", "too-large",
                "too-many-headers", "router-error", "attempts-used-up", "retry-time-over", "expired",
                "final-failure", "killed-worker", "stuck");
    }

    @Test
    void a_reason_of_a_dead_letter_is_found_by_its_label() {
        assertThat(DeadReason.of("killed-worker")).contains(DeadReason.KILLED_WORKER);
        assertThat(DeadReason.of("KILLED_WORKER")).isEmpty();
    }

    @Test
    void an_item_in_a_lane_has_the_state_of_the_same_name() {
        for (Lane lane : Lane.values()) {
            assertThat(ItemState.of(lane).label()).isEqualTo(lane.label());
        }
    }

    @Test
    void each_route_constant_has_its_lane_and_reason() {
        assertThat(Route.HOT).isEqualTo(new Route.ToLane(Lane.HOT, LaneReason.FRESH));
        assertThat(Route.RETRIED).isEqualTo(new Route.ToLane(Lane.HOT, LaneReason.RETRY));
        assertThat(Route.DUE).isEqualTo(new Route.ToLane(Lane.HOT, LaneReason.DUE));
        assertThat(Route.SCHEDULED).isEqualTo(new Route.ToLane(Lane.DELAY, LaneReason.SCHEDULED));
        assertThat(Route.OVERFLOW).isEqualTo(new Route.ToLane(Lane.OVERFLOW, LaneReason.RATE));
        assertThat(Route.SURPLUS).isEqualTo(new Route.ToLane(Lane.OVERFLOW, LaneReason.SHARE));
        assertThat(Route.AGED).isEqualTo(new Route.ToLane(Lane.AGED, LaneReason.AGE));
        assertThat(Route.SWEPT).isEqualTo(new Route.Drop(DropReason.SWEEP));
        assertThat(Route.PAST_TTL).isEqualTo(new Route.Drop(DropReason.TTL));
    }
}
