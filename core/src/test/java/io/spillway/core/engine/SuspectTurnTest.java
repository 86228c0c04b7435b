package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.SuspectStatus;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whose turn it is to try suspects. Worker b decides; a and c are others. */
class SuspectTurnTest {
    private static final long START = 1_700_000_000_000L;

    private final Map<String, SuspectStatus.Received> fleet = new HashMap<>();
    private SuspectTurn turn = new SuspectTurn();
    private long nowMillis = START;

    private void hears(String worker, long sinceMillis, long turnMillis) {
        fleet.put(worker, new SuspectStatus.Received(
                new SuspectStatus(sinceMillis, turnMillis, Map.of()), nowMillis));
    }

    private boolean isOurs() {
        turn.follow("b", fleet);
        return turn.isOurs(true, nowMillis);
    }

    @Test
    void a_worker_without_others_has_its_turn_at_once() {
        assertThat(isOurs()).isTrue();
        assertThat(turn.isOurs(false, nowMillis)).as("without suspects").isFalse();
    }

    @Test
    void the_last_worker_works_for_a_while_before_it_tries_a_suspect_with_which_one_died() {
        turn.follow("b", fleet);
        turn.died();
        assertThat(isOurs()).isFalse();
        nowMillis += SuspectTurn.REST_MILLIS - 1;
        assertThat(isOurs()).isFalse();
        nowMillis++;
        assertThat(isOurs()).isTrue();
    }

    @Test
    void among_others_it_tells_them_first() {
        hears("a", 0, 0);
        assertThat(isOurs()).isFalse();
        nowMillis += SuspectTurn.SETTLE_MILLIS - 1;
        assertThat(isOurs()).isFalse();
        nowMillis++;
        assertThat(isOurs()).isTrue();
        assertThat(turn.status(Map.of())).isEqualTo(new SuspectStatus(START, nowMillis, Map.of()));
    }

    @Test
    void a_clock_that_is_set_back_delays_a_turn_no_longer_than_the_time_before_it() {
        hears("a", 0, 0);
        turn.follow("b", fleet);
        turn.died();
        assertThat(isOurs()).isFalse();
        nowMillis -= 3_600_000;
        hears("a", 0, 0);
        assertThat(isOurs()).isFalse();
        nowMillis += SuspectTurn.REST_MILLIS;
        hears("a", 0, 0);
        assertThat(isOurs()).isTrue();
    }

    @Test
    void the_one_that_waits_longest_is_first_and_then_the_one_with_the_lower_name() {
        hears("a", START, 0);
        hears("c", START, 0);
        assertThat(isOurs()).isFalse();
        nowMillis += SuspectTurn.SETTLE_MILLIS;
        assertThat(isOurs()).as("a has the lower name").isFalse();
        hears("a", START + 1, 0);
        assertThat(isOurs()).isTrue();
    }

    @Test
    void it_waits_for_the_turn_of_another_but_not_for_ever() {
        hears("c", START - 1, START - 1);
        assertThat(isOurs()).isFalse();
        nowMillis += SuspectTurn.TURN_MILLIS - 2;
        hears("c", START - 1, START - 1);
        assertThat(isOurs()).isFalse();
        nowMillis++;
        hears("c", START - 1, START - 1);
        assertThat(isOurs()).as("it hangs").isTrue();
    }

    @Test
    void its_own_turn_ends_and_it_goes_behind_those_that_wait() {
        isOurs();
        nowMillis += SuspectTurn.TURN_MILLIS;
        hears("c", nowMillis - 1, 0);
        assertThat(isOurs()).isFalse();
    }

    @Test
    void a_worker_that_is_missing_for_another_cause_delays_nobody() {
        hears("a", 0, 0);
        isOurs();
        nowMillis += SuspectTurn.MISSING_MILLIS;
        assertThat(isOurs()).isTrue();
    }

    @Test
    void nobody_has_a_turn_while_a_worker_is_missing_that_died_in_its_turn_and_for_a_while_after_its_return() {
        hears("a", START, START);
        isOurs();
        nowMillis += SuspectTurn.MISSING_MILLIS;
        assertThat(isOurs()).as("a may be down").isFalse();
        hears("a", 0, 0);
        nowMillis += SuspectTurn.REST_MILLIS - 1;
        hears("a", 0, 0);
        assertThat(isOurs()).isFalse();
        nowMillis++;
        assertThat(isOurs()).isTrue();
    }

    @Test
    void a_worker_that_stays_away_is_forgotten() {
        hears("a", START - 1, START - 1);
        isOurs();
        for (; nowMillis < START + SuspectTurn.GONE_MILLIS + SuspectTurn.REST_MILLIS - 1_000; nowMillis += 250) {
            assertThat(isOurs()).isFalse();
        }
        nowMillis += 1_000;
        assertThat(isOurs()).isTrue();
    }

    @Test
    void a_process_whose_predecessor_died_in_its_turn_rests_too() {
        hears("a", 0, 0);
        hears("b", START - 1, START - 1);
        isOurs();
        nowMillis += SuspectTurn.SETTLE_MILLIS;
        assertThat(isOurs()).isFalse();
        nowMillis = START + SuspectTurn.REST_MILLIS;
        hears("a", 0, 0);
        assertThat(isOurs()).isTrue();
    }

    @Test
    void after_a_conviction_the_others_are_told_before_the_next_trial() {
        hears("a", 0, 0);
        isOurs();
        nowMillis += SuspectTurn.SETTLE_MILLIS;
        assertThat(isOurs()).isTrue();
        turn.convicted();
        assertThat(isOurs()).isFalse();
        turn.status(Map.of("acme", nowMillis));
        assertThat(isOurs()).isTrue();
    }
}
