/**
 * The worker's state machine as pure code: what the arrival of an item, a free slot, the end of an attempt, a commit
 * and the loss of a partition lead to. The worker drives it with Kafka records under its lock, the simulator with
 * simulated items on its event loop. Time and randomness are arguments; every effect goes out through
 * {@link io.spillway.engine.EngineEffects}.
 */
package io.spillway.engine;
