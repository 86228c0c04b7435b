package io.spillway.core.engine;

import static io.spillway.core.engine.EngineTimeline.START_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What waits for its first attempt, and how busy the slots are, on a set timeline with one slot. */
class OldestWaitingTest {
    private final EngineTimeline one = new EngineTimeline(1);

    @BeforeEach
    void keep_old_items_in_their_lane() {
        one.set(PolicyField.AGED_AFTER, "none");
        one.set(PolicyField.TTL, "none");
    }

    @Test
    void an_idle_worker_has_nothing_that_waits_and_neither_has_one_whose_items_all_run() {
        EnginePartition hot = one.partition(Lane.HOT);
        assertThat(one.engine.waitingSinceMillis()).isEmpty();

        arrives(hot, 0, "acme", 0, 90);
        assertThat(one.engine.waitingSinceMillis()).isEmpty();
    }

    @Test
    void the_time_stays_while_the_only_slot_hangs_and_ends_when_the_item_starts() {
        EnginePartition hot = one.partition(Lane.HOT);
        arrives(hot, 0, "acme", 0, 0);
        arrives(hot, 1, "bolt", 0, 2);

        one.nowMillis += 600_000;
        assertThat(one.engine.waitingSinceMillis()).isEqualTo(Map.of(Lane.HOT, Map.of("bolt", START_MILLIS - 2)));

        one.ends(0, Outcome.done());
        assertThat(one.engine.waitingSinceMillis()).isEmpty();
    }

    @Test
    void each_lane_and_tenant_has_its_oldest_item_that_was_not_attempted() {
        EnginePartition hot = one.partition(Lane.HOT);
        EnginePartition aged = one.partition(Lane.AGED);
        arrives(hot, 0, "acme", 0, 0);
        arrives(hot, 1, "acme", 3, 9_000);
        arrives(hot, 2, "acme", 0, 10);
        arrives(hot, 3, "acme", 0, 30);
        arrives(hot, 4, "bolt", 1, 50);
        arrives(aged, 0, "bolt", 0, 70);

        assertThat(one.engine.waitingSinceMillis()).isEqualTo(Map.of(
                Lane.HOT, Map.of("acme", START_MILLIS - 30), Lane.AGED, Map.of("bolt", START_MILLIS - 70)));
    }

    @Test
    void an_item_behind_many_retries_is_found() {
        EnginePartition hot = one.partition(Lane.HOT);
        for (long offset = 0; offset < 100; offset++) {
            arrives(hot, offset, "acme", 1, 0);
        }
        arrives(hot, 100, "acme", 0, 5);

        assertThat(one.engine.waitingSinceMillis()).isEqualTo(Map.of(Lane.HOT, Map.of("acme", START_MILLIS - 5)));
    }

    /** All but one wait for two milliseconds. */
    @ParameterizedTest(name = "an older item behind {0} others: {1} ms")
    @CsvSource({"63, 9", "64, 2"})
    void an_older_item_is_found_among_the_first_64_of_its_tenant(int before, long waitsMillis) {
        EnginePartition hot = one.partition(Lane.HOT);
        arrives(hot, 0, "runs", 0, 0);
        for (long offset = 1; offset < 80; offset++) {
            arrives(hot, offset, "acme", 0, offset == before + 1 ? 9 : 2);
        }
        assertThat(one.engine.waitingSinceMillis())
                .isEqualTo(Map.of(Lane.HOT, Map.of("acme", START_MILLIS - waitsMillis)));
    }

    /** The first item of acme and cord was not attempted, and neither was the last of all three. */
    @Test
    void behind_64_items_only_a_tenant_is_looked_at_of_which_all_were_attempted() {
        EnginePartition hot = one.partition(Lane.HOT);
        arrives(hot, 0, "runs", 0, 0);
        long offset = 1;
        for (String tenant : new String[] {"acme", "bolt", "cord"}) {
            for (int i = 0; i < 70; i++) {
                boolean isFresh = i == 0 && !tenant.equals("bolt");
                arrives(hot, offset++, tenant, isFresh ? 0 : 1, isFresh ? 2 : 0);
            }
            arrives(hot, offset++, tenant, 0, 9);
        }
        one.commit(hot);
        assertThat(one.engine.waitingSinceMillis()).isEqualTo(Map.of(Lane.HOT, Map.of(
                "acme", START_MILLIS - 2, "bolt", START_MILLIS - 9, "cord", START_MILLIS - 2)));
    }

    @Test
    void items_that_wait_for_a_commit_and_suspects_count_too() {
        EnginePartition hot = one.takeOver(Lane.HOT, new ProgressState(
                0, 1, 1, OffsetList.of(0), Optional.empty(), 0, false, true));
        arrives(hot, 0, "suspect", 0, 40);
        arrives(hot, 1, "held", 0, 20);

        // The suspect is marked, and starts after the commit.
        assertThat(one.engine.waitingSinceMillis().get(Lane.HOT)).containsEntry("held", START_MILLIS - 20);
    }

    @Test
    void slots_are_busy_for_as_long_as_attempts_run() {
        EnginePartition hot = one.partition(Lane.HOT);
        one.nowMillis += 5;
        assertThat(busyMillis()).isZero();
        arrives(hot, 0, "acme", 0, 0);
        one.nowMillis += 300;
        assertThat(busyMillis()).as("while it runs").isEqualTo(300);
        one.nowMillis += 50;
        one.ends(0, Outcome.done());
        one.nowMillis += 1_000;
        assertThat(busyMillis()).as("when it has ended").isEqualTo(350);
    }

    private long busyMillis() {
        return one.engine.busyNanos(one.nowNanos()) / 1_000_000;
    }

    private void arrives(EnginePartition partition, long offset, String tenant, int attempts, long ageMillis) {
        one.arrives(new EngineTimeline.Item(partition, offset, tenant, attempts, 0, START_MILLIS - ageMillis));
    }
}
