package io.spillway.worker;

import io.spillway.core.engine.WorkerEngine;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Records of one partition from one poll.
 *
 * @param records    empty where the poll read only transaction markers
 * @param nextOffset position after the poll
 */
record Polled(OwnedPartition partition, List<ConsumerRecord<byte[], byte[]>> records, long nextOffset) {
    /** Returns the position of the partition after its records are added: lower if it has no room for all of them. */
    long position(WorkerEngine<?, ?> engine) {
        for (int i = 0; i < records.size(); i++) {
            if (engine.isCutAt(partition.state, records.get(i).offset(), records.size() - i)) {
                return records.get(i).offset();
            }
        }
        return nextOffset;
    }
}
