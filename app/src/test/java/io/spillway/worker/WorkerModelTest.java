package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Repetitions;
import org.junit.jupiter.api.Test;

/**
 * Whatever order polls, ends of attempts, commits, aborts, rebalances and deaths come in, each item is in one place at the most,
 * and one that is in none was handled.
 */
class WorkerModelTest {
    @Test
    void an_item_is_in_one_place_at_the_most_and_gone_only_when_it_was_handled() {
        long firstSeed = Long.getLong("spillway.test.seed", 1);
        int moved = 0;
        int deaths = 0;
        for (long seed = firstSeed; seed < firstSeed + Repetitions.of(25, 100); seed++) {
            WorkerModel model = new WorkerModel(seed);
            for (int step = 0; step < 1_500; step++) {
                model.step();
            }
            model.drain();
            moved += model.movesCommitted();
            deaths += model.deaths();
        }
        assertThat(moved).as("the model reaches moves").isGreaterThan(500);
        assertThat(deaths).as("the model reaches deaths").isGreaterThan(80);
    }
}
