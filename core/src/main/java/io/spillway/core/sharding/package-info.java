/**
 * Shuffle sharding: shards of virtual slots, a bound on their overlap, dedicated partitions, and overlap probabilities.
 */
package io.spillway.core.sharding;
