/**
 * API for producers: the builder of item records, and the partitioner that spreads each tenant over its shard. Stable:
 * every change has a changelog entry.
 */
package io.spillway.producer;
