/**
 * Shuffle sharding: shards of virtual slots, a bound on their overlap, dedicated partitions, and the odds behind them.
 */
package io.spillway.core.sharding;
