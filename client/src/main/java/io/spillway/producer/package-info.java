/**
 * What producers use: an item as a Kafka record, and the partitioner that spreads each tenant over its shard. Stable:
 * changes only with a changelog entry.
 */
package io.spillway.producer;
