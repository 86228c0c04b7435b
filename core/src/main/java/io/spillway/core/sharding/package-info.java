/**
 * Internal. Shuffle sharding: shards of virtual slots, a bound on their overlap, dedicated partitions, and overlap
 * probabilities. Parameters and results are not null unless stated otherwise. A number that is refused because it is
 * out of its stated range causes an {@link IllegalArgumentException} which contains it.
 */
package io.spillway.core.sharding;
