/**
 * State machine of a worker: what an item's arrival, a free slot, an attempt's end, a commit and a takeover lead to.
 * The worker and the simulator drive the same engine.
 */
package io.spillway.core.engine;
