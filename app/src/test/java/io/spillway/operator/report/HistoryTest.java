package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.view.Depths;
import java.time.Instant;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long STEP_MILLIS = 1_000L * History.STEP_SECONDS;

    private final Depths depths = new Depths();
    private final History history = new History(depths);
    private TenantBalance balance = TenantBalance.EMPTY;

    @Test
    void a_point_has_the_lanes_the_oldest_and_the_flows_since_the_point_before() {
        move(ItemState.OUTSIDE, ItemState.HOT, 100);
        history.add(OptionalLong.empty(), NOW);
        assertThat(history.json().get("points")).as("a flow needs two observations").isEmpty();
        assertThat(history.json().get("source").textValue())
                .isEqualTo("this gateway since " + Instant.ofEpochMilli(NOW));

        move(ItemState.OUTSIDE, ItemState.OVERFLOW, 50);
        move(ItemState.HOT, ItemState.DONE, 20);
        move(ItemState.HOT, ItemState.DEAD_LETTER, 10);
        history.add(OptionalLong.of(NOW - 5_000), NOW + STEP_MILLIS);

        JsonNode point = history.json().at("/points/0");
        assertThat(point.get("at").textValue()).isEqualTo(Instant.ofEpochMilli(NOW + STEP_MILLIS).toString());
        assertThat(point.get("hot").longValue()).isEqualTo(70);
        assertThat(point.get("overflow").longValue()).isEqualTo(50);
        assertThat(point.get("aged").longValue()).isZero();
        assertThat(point.get("delay").longValue()).isZero();
        assertThat(point.get("deadLettered").longValue()).isEqualTo(10);
        assertThat(point.get("oldestSeconds").doubleValue()).isEqualTo(15);
        assertThat(point.get("inPerSecond").doubleValue()).isCloseTo(5, within(1e-9));
        assertThat(point.get("outPerSecond").doubleValue()).isCloseTo(3, within(1e-9));
    }

    @Test
    void a_replayed_dead_letter_comes_again() {
        move(ItemState.OUTSIDE, ItemState.DEAD_LETTER, 40);
        history.add(OptionalLong.empty(), NOW);
        move(ItemState.DEAD_LETTER, ItemState.DELAY, 40);
        history.add(OptionalLong.empty(), NOW + STEP_MILLIS);

        assertThat(history.json().at("/points/0/inPerSecond").doubleValue()).isCloseTo(4, within(1e-9));
        assertThat(history.json().at("/points/0/outPerSecond").doubleValue()).isZero();
    }

    @Test
    void an_unknown_age_is_null() {
        history.add(OptionalLong.empty(), NOW);
        history.add(OptionalLong.empty(), NOW + STEP_MILLIS);
        assertThat(history.json().at("/points/0/oldestSeconds").isNull()).isTrue();
    }

    @Test
    void it_holds_one_hour() {
        for (int i = 0; i <= History.MAX_POINTS + 5; i++) {
            history.add(OptionalLong.empty(), NOW + i * STEP_MILLIS);
        }
        JsonNode points = history.json().get("points");
        assertThat(points).hasSize(3_600 / History.STEP_SECONDS);
        assertThat(points.get(0).get("at").textValue())
                .isEqualTo(Instant.ofEpochMilli(NOW + 6 * STEP_MILLIS).toString());
    }

    @Test
    void a_point_is_due_each_step_and_a_clock_that_is_set_back_begins_anew() {
        assertThat(history.isDue(NOW)).isTrue();
        history.add(OptionalLong.empty(), NOW);
        history.add(OptionalLong.empty(), NOW + STEP_MILLIS);
        assertThat(history.isDue(NOW + 2 * STEP_MILLIS - 1)).isFalse();
        assertThat(history.isDue(NOW + 2 * STEP_MILLIS)).isTrue();
        assertThat(history.isDue(NOW)).as("set back").isTrue();

        history.add(OptionalLong.empty(), NOW - 1);
        assertThat(history.json().get("points")).isEmpty();
        assertThat(history.isDue(NOW)).isFalse();
    }

    private void move(ItemState from, ItemState to, long items) {
        long[] counts = new long[ItemState.COUNT];
        counts[to.ordinal()] = items;
        balance = balance.plus(from, counts);
        depths.put("acme", Depths.encode(
                "acme", new Depth(balance, FlowRates.startingAt(NOW), GrowingLimit.NONE, 0)));
    }
}
