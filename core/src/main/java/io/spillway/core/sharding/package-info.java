/**
 * Shuffle sharding: shards of virtual slots, a bound on their overlap, dedicated partitions, and overlap probabilities.
 * Parameters and results are not null unless stated otherwise.
 */
package io.spillway.core.sharding;
