package io.spillway.sim;

/**
 * Service of an item, in nanoseconds since the start of the run.
 *
 * @param firstNanos   when it first had a part of a slot
 * @param startedNanos when it had a slot; in the ideal, its end less its duration
 */
record Service(int tenant, long arrivedNanos, long firstNanos, long startedNanos, long endedNanos) {
    long waitNanos() {
        return startedNanos - arrivedNanos;
    }
}
