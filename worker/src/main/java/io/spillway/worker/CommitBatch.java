package io.spillway.worker;

import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.ProgressState;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What one transaction commits. Offsets and group metadata were captured together: with metadata of a later
 * assignment the cluster would accept offsets of partitions that were lost in between.
 *
 * @param group as the poll thread last saw it when the parts were captured
 * @param parts by partition
 * @param atMillis when they were captured, epoch milliseconds
 */
record CommitBatch(ConsumerGroupMetadata group, Map<OwnedPartition, Part> parts, long atMillis) {
    /**
     * One partition's part.
     *
     * @param state what is finished, with the records below among it
     * @param moves records to produce
     * @param sums  what to book; nobody changes it before the batch is over
     */
    record Part(ProgressState state, List<ProducerRecord<byte[], byte[]>> moves, LedgerDeltas sums) {}

    boolean isEmpty() {
        return parts.isEmpty();
    }
}
