package io.spillway.sim;

import io.spillway.core.item.Lane;

/**
 * Write of a transaction: an item moves to another lane.
 *
 * @param item      not null
 * @param to        delay, overflow, aged or dead-letter
 * @param attempts  attempts made
 * @param moves     moves made
 * @param dueMillis due time in the delay lane, epoch milliseconds
 */
record Move(SimulatedItem item, Lane to, int attempts, int moves, long dueMillis) {}
