package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import java.util.Optional;

/** Move of an item to another lane, with its numbers from then on; for delay with its due time. */
record SimMove(SimulatedItem item, Lane to, int attempts, int moves, long dueEpochMillis,
        Optional<NextStep.Delay> retry, Optional<Route.DeadLetter> why) {
    static SimMove dead(SimulatedItem item, int attempts, Route.DeadLetter why) {
        return new SimMove(item, Lane.DEAD_LETTER, attempts, item.moves, 0, Optional.empty(), Optional.of(why));
    }
}
