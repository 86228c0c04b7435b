package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.SlotUse;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.LaneState;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneStatesTest {
    private static final WorkerReport ONE = new WorkerReport(
            50, 1_234.5, 2_345.5, 67.25, 89, 10.5,
            Map.of(Lane.HOT, Set.of(1, 11), Lane.OVERFLOW, Set.of(), Lane.AGED, Set.of(0)));
    private static final WorkerReport OTHER = new WorkerReport(
            4, 80, 40, 80, 0, 300, Map.of(Lane.HOT, Set.of(), Lane.OVERFLOW, Set.of(3), Lane.AGED, Set.of()));

    private static final SlotUse USE = new SlotUse(52, Map.of("acme", 40, "globex", 7));

    private long nowMillis = 1_800_000_000_000L;
    private final LaneStates states = new LaneStates(() -> Instant.ofEpochMilli(nowMillis));

    @Test
    void reports_of_live_workers_are_returned_unchanged() {
        states.put("a", states.encode("a", ONE));
        states.put("b", states.encode("b", OTHER));
        assertThat(states.reports()).isEqualTo(Map.of("a", ONE, "b", OTHER));

        nowMillis += LaneStates.ALIVE_MILLIS - 1;
        states.put("b", states.encode("b", ONE));
        assertThat(states.reports()).isEqualTo(Map.of("a", ONE, "b", ONE));
        nowMillis++;
        assertThat(states.reports()).as("a is silent").isEqualTo(Map.of("b", ONE));
        states.remove("b");
        assertThat(states.reports()).as("b has removed its status").isEmpty();
    }

    @Test
    void a_worker_that_has_died_does_not_come_back_when_the_clock_is_set_back_and_a_live_one_stays() {
        states.put("dead", states.encode("dead", ONE));
        nowMillis += 30 * 60_000;
        states.put("live", states.encode("live", OTHER));
        nowMillis -= 3_600_000;
        assertThat(states.reports()).containsEntry("live", OTHER);
        assertThat(states.suspects().get("dead").atMillis()).isLessThanOrEqualTo(nowMillis);
        nowMillis += LaneStates.ALIVE_MILLIS;
        states.put("live", states.encode("live", OTHER));
        assertThat(states.reports()).isEqualTo(Map.of("live", OTHER));
    }

    @Test
    void the_suspects_of_a_worker_that_has_died_are_still_known() {
        SuspectStatus suspects = new SuspectStatus(nowMillis - 7, nowMillis - 3, Map.of("acme", nowMillis - 5));
        long receivedMillis = nowMillis;
        states.put("a", states.encode("a", ONE.with("spare", USE, suspects)));
        assertThat(states.reports()).isEqualTo(Map.of("a", ONE.with("spare", USE, suspects)));

        nowMillis += LaneStates.ALIVE_MILLIS;
        assertThat(states.reports()).isEmpty();
        assertThat(states.suspects())
                .isEqualTo(Map.of("a", new SuspectStatus.Received(suspects, receivedMillis)));
        states.remove("a");
        assertThat(states.suspects()).as("it has ended in order").isEmpty();
    }

    @Test
    void a_status_received_long_after_its_publication_does_not_count() {
        byte[] published = states.encode("a", ONE);
        nowMillis += LaneStates.OLD_MILLIS;
        states.put("a", published);
        assertThat(states.reports()).as("a minute").isEqualTo(Map.of("a", ONE));
        nowMillis++;
        states.put("a", published);
        assertThat(states.reports()).as("more").isEmpty();
        nowMillis -= 3_600_000;
        states.put("a", published);
        assertThat(states.reports()).as("from a clock that is ahead").isEqualTo(Map.of("a", ONE));
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1, 1, 1", "4294967297, 1, 1, 1, 1", "1, -1, 1, 1, 1", "1, 1, NaN, 1, 1", "1, 1, 1, -1, 1",
        "1, 1, 1, 1, 1e13"})
    void an_invalid_status_is_rejected_and_the_previous_one_stays(
            long slots, double possible, double handled, long waiting, double age) {
        states.put("a", states.encode("a", ONE));
        byte[] invalid = new RecordCodec<>(new LaneState()).encode(
                new LaneState("a", Instant.ofEpochMilli(nowMillis), slots, possible, handled, waiting, age, possible,
                        Map.of(), 0L, 0L, Map.of(), "shared", 0L, Map.of()));
        assertThatThrownBy(() -> states.put("a", invalid)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> states.put("a", new byte[] {1, 2, 3})).isInstanceOf(IllegalArgumentException.class);
        assertThat(states.reports()).isEqualTo(Map.of("a", ONE));
    }
}
