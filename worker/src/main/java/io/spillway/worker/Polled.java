package io.spillway.worker;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of one partition from one poll.
 *
 * @param records    empty where the poll read only transaction markers
 * @param nextOffset position after the poll
 */
record Polled(OwnedPartition partition, List<ConsumerRecord<byte[], byte[]>> records, long nextOffset) {}
