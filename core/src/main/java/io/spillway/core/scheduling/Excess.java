package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;

/**
 * A waiting item that the scheduler has removed from its buffers to be written to another lane, with one move more than
 * it came with.
 *
 * @param item      as it was offered
 * @param to        the overflow lane, because new items of other tenants wait behind it in hot; or the delay lane until
 *                  its tenant can run it, because the tenant is at its own cap while slots are idle
 * @param dueMillis 0 for overflow; for delay 1 to 15 seconds after now, and up to 10 minutes for an item that was moved
 *                  before
 */
public record Excess<T>(T item, Lane to, long dueMillis) {}
