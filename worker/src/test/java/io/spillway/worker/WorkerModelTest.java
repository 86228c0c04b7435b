package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Repetitions;
import org.junit.jupiter.api.Test;

/** Random orders of polls, ends of attempts, commits, aborts, rebalances and crashes of two workers. */
class WorkerModelTest {
    @Test
    void an_item_is_in_at_most_one_lane_and_disappears_only_after_it_was_handled() {
        long firstSeed = Long.getLong("spillway.test.seed", 1);
        int moved = 0;
        int crashes = 0;
        int answersLost = 0;
        int claimed = 0;
        int expired = 0;
        for (long seed = firstSeed; seed < firstSeed + Repetitions.of(25, 50); seed++) {
            WorkerModel model = new WorkerModel(seed);
            for (int step = 0; step < 1_500; step++) {
                model.step();
            }
            model.drain();
            moved += model.movesCommitted();
            crashes += model.crashes();
            answersLost += model.answersLost;
            claimed += model.claimed;
            expired += model.expired;
        }
        assertThat(moved).as("the model reaches moves").isGreaterThan(500);
        assertThat(crashes).as("the model reaches crashes").isGreaterThan(80);
        assertThat(answersLost).as("the model reaches commits with an unknown result").isGreaterThan(80);
        assertThat(claimed).as("the model reaches claims").isGreaterThan(40);
        assertThat(expired).as("the model reaches ends of claims without their workers").isGreaterThan(5);
    }
}
