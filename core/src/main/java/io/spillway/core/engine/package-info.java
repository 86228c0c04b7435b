/**
 * Internal. State machine of a worker: what an item's arrival, a free slot, an attempt's end, a commit and a takeover
 * lead to. The worker and the simulator drive the same engine, each with its own item type {@code T} and attempt type
 * {@code A}. Parameters and results are not null unless stated otherwise. {@code nowMillis} is now in epoch
 * milliseconds, {@code nowNanos} the same moment on a monotonic clock.
 */
package io.spillway.core.engine;
