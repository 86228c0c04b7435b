package io.spillway.kafka.topics;

import org.apache.kafka.common.TopicPartition;

/**
 * How far a partition can be read.
 *
 * @param partition  which
 * @param readableTo offset that readers of committed records come to: the last stable one
 * @param end        offset behind the last record that is known, of undecided transactions too; not below readableTo
 */
public record ReadableEnd(TopicPartition partition, long readableTo, long end) {}
