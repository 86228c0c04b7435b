package io.spillway.kafka.topics;

import org.apache.kafka.common.TopicPartition;

/**
 * End of the readable part of a partition.
 *
 * @param readableTo last stable offset, the limit for readers of committed records
 * @param end        offset after the last known record, including open transactions; not below readableTo
 */
public record ReadableEnd(TopicPartition partition, long readableTo, long end) {}
