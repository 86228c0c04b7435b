package io.spillway.worker;

import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.ProgressState;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Content of one transaction. Offsets and group metadata are captured together: with the metadata of a later
 * assignment, the cluster would accept offsets of partitions that were lost in between.
 *
 * @param group    metadata of the generation that the worker had joined at the capture; null only in an empty batch
 * @param parts    by partition
 * @param atMillis time of the capture, epoch milliseconds
 */
record CommitBatch(ConsumerGroupMetadata group, Map<OwnedPartition, Part> parts, long atMillis) {
    /**
     * Content for one partition.
     *
     * @param state  progress, which counts the items of the moves as finished
     * @param moves  records to produce
     * @param deltas ledger entries; not modified until the batch has ended
     */
    record Part(ProgressState state, List<ProducerRecord<byte[], byte[]>> moves, LedgerDeltas deltas) {}

    boolean isEmpty() {
        return parts.isEmpty();
    }
}
