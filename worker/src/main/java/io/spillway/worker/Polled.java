package io.spillway.worker;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What one poll brought of one partition.
 *
 * @param records    maybe none, where there were only transaction markers
 * @param nextOffset everything below it has been polled
 */
record Polled(OwnedPartition home, List<ConsumerRecord<byte[], byte[]>> records, long nextOffset) {}
