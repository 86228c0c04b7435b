/**
 * Internal. Views of compacted topics: policies, keys, sweeps, shards, balances, and the statuses that instances
 * publish.
 */
package io.spillway.kafka.view;
