package io.spillway.worker;

import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.ProgressState;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Content of one transaction. Offsets and group metadata are captured together: with the metadata of a later
 * assignment, the cluster would accept offsets of partitions that were lost in between.
 *
 * @param group    metadata of the generation that the worker had joined at the capture; null only in an empty batch
 * @param parts    by partition
 * @param notices  on claimed items, whose partitions may be gone
 * @param atMillis time of the capture, epoch milliseconds
 */
record CommitBatch(
        ConsumerGroupMetadata group, Map<OwnedPartition, Part> parts, List<Notice> notices, long atMillis) {
    /** Approximate limit of one transaction: the moves of one second on a small machine. */
    private static final int MAX_MOVES = 50_000;
    private static final long MAX_MOVE_BYTES = 16L << 20;
    static final CommitBatch EMPTY = new CommitBatch(null, Map.of(), List.of(), 0);

    /**
     * Content for one partition.
     *
     * @param state  progress, which counts the items of the moves as finished
     * @param moves  records to produce
     * @param deltas ledger entries; not modified until the batch has ended
     */
    record Part(ProgressState state, List<ProducerRecord<byte[], byte[]>> moves, LedgerDeltas deltas) {}

    /**
     * Record for the delay lane about a claimed item. It may be written more than once.
     *
     * @param attempt   the attempt that has the claim
     * @param heldNanos end of the lease that the claim covers from its commit on, since the attempt's begin
     */
    record Notice(Attempt attempt, long heldNanos, ProducerRecord<byte[], byte[]> record) {}

    /**
     * Returns a batch of the first partitions that have changed, as many as one commit can have. They become the last
     * ones: otherwise those that have no room never get any.
     *
     * @param part    returns what to commit of a partition
     * @param notices returns what to tell in a batch of these partitions
     */
    static CommitBatch of(
            ConsumerGroupMetadata group, SequencedMap<TopicPartition, OwnedPartition> owned,
            Function<OwnedPartition, Part> part, Function<Set<OwnedPartition>, List<Notice>> notices, long nowMillis) {
        Map<OwnedPartition, Part> parts = new LinkedHashMap<>();
        owned.values().stream().filter(OwnedPartition::isDirty)
                .limit(CommitThread.MAX_METADATA_CHARACTERS / CommitThread.MAX_METADATA_CHARACTERS_PER_PARTITION + 1)
                .forEach(partition -> parts.put(partition, part.apply(partition)));
        parts.keySet().forEach(partition -> owned.putLast(partition.partition, partition));
        return new CommitBatch(group, parts, notices.apply(parts.keySet()), nowMillis);
    }

    /** Returns whether the next batch is so full that no more may be added to it by reading on. */
    static boolean isFull(Collection<OwnedPartition> partitions) {
        return partitions.stream().mapToInt(partition -> partition.moves.size()).sum() >= MAX_MOVES
                || partitions.stream().mapToLong(OwnedPartition::moveBytes).sum() >= MAX_MOVE_BYTES;
    }

    boolean isEmpty() {
        return parts.isEmpty() && notices.isEmpty();
    }
}
