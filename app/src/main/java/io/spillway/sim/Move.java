package io.spillway.sim;

import io.spillway.core.item.Lane;

/**
 * What a transaction writes for an item that goes to another lane.
 *
 * @param item      not null
 * @param to        delay, overflow, aged or dead-letter
 * @param attempts  made so far
 * @param moves     made so far
 * @param dueMillis in the delay lane, when; milliseconds since 1970
 */
record Move(SimulatedItem item, Lane to, int attempts, int moves, long dueMillis) {}
