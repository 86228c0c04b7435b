package io.spillway.worker;

import io.spillway.core.engine.EnginePartition;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.HeldBytes;
import io.spillway.kafka.codec.LedgerOwner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Partition that this worker owns, with the moves and ledger deltas for the next transaction. Guarded by the lock of
 * {@link WorkerCore}.
 *
 * <p>Bound: the ledger deltas cover the items that can finish between two commits, which the horizon limits; the
 * worker stops reading while the moves of all partitions exceed one transaction (see {@link WorkerCore#paused}).
 */
final class OwnedPartition extends EnginePartition {
    final TopicPartition partition;
    /** Number of the assignment in its worker, from 1. Set before an item is read. */
    long assignment;
    /** Records of finished items that the next transaction must produce. */
    final Deque<ProducerRecord<byte[], byte[]>> moves = new ArrayDeque<>();
    /** Whether the result of a batch with this partition is still to come. */
    boolean isInBatch;
    /** Deltas since the last batch. */
    private final LedgerDeltas current;
    /** Deltas in a batch whose commit is not confirmed. */
    private final LedgerDeltas uncommitted;
    private long moveBytes;
    /** Number of batches with this partition, and of the last one of them that is committed. */
    private long batches;
    private long committedBatch;

    /**
     * Records of one partition from one poll.
     *
     * @param records    empty where the poll read only transaction markers
     * @param nextOffset position after the poll
     */
    record Polled(OwnedPartition partition, List<ConsumerRecord<byte[], byte[]>> records, long nextOffset) {}

    OwnedPartition(TopicPartition partition, Lane lane, PartitionProgress progress) {
        super(partition, lane, progress);
        this.partition = partition;
        this.current = new LedgerDeltas(ItemState.of(lane));
        this.uncommitted = new LedgerDeltas(ItemState.of(lane));
    }

    /** Records a move to another lane for the next commit. */
    void moved(String tenant, Lane to, ProducerRecord<byte[], byte[]> move) {
        produce(move);
        left(tenant, ItemState.of(to));
    }

    /** Records a move to the dead-letter lane for the next commit. */
    void deadLettered(String tenant, DeadReason reason, ProducerRecord<byte[], byte[]> dead) {
        moved(tenant, Lane.DEAD_LETTER, dead);
        left(LedgerOwner.of(reason), ItemState.DEAD_LETTER);
    }

    /** Records for the next commit that a rule dropped an item. */
    void dropped(String tenant, DropReason reason) {
        left(tenant, ItemState.DROPPED);
        left(LedgerOwner.of(reason), ItemState.DROPPED);
    }

    /** Adds a record to the next commit. */
    void produce(ProducerRecord<byte[], byte[]> record) {
        moves.add(record);
        moveBytes += bytes(record);
    }

    /** Records in the ledger that an item of a tenant left this partition for another state. */
    void left(String tenant, ItemState to) {
        current.add(tenant, to);
    }

    /** Returns what to commit next with this progress; its deltas do not change until it is committed or replaced. */
    CommitBatch.Part toCommit(ProgressState progress, LaneRecords records) {
        uncommitted.takeAll(current);
        if (records.mayNotFit()) {
            Iterator<ProducerRecord<byte[], byte[]>> before = new ArrayList<>(moves).iterator();
            moves.clear();
            moveBytes = 0;
            while (before.hasNext()) {
                ProducerRecord<byte[], byte[]> move = before.next();
                ProducerRecord<byte[], byte[]> fitting = records.fitting(move, uncommitted);
                produce(fitting);
                if (fitting != move) {
                    records.turnEnded(fitting).ifPresent(this::produce);
                    // A dead letter that goes on has its turn still: the next record, that it has ended, is left out.
                    records.turnEnded(move).ifPresent(ended -> before.next());
                }
            }
        }
        isInBatch = true;
        batches++;
        return new CommitBatch.Part(progress, new ArrayList<>(moves), uncommitted);
    }

    /** Removes the first {@code count} moves, and the deltas that were committed with them. */
    void committed(int count) {
        isInBatch = false;
        committedBatch = batches;
        uncommitted.clear();
        for (int i = 0; i < count; i++) {
            moveBytes -= bytes(moves.remove());
        }
    }

    /** Records that a batch failed: the next one contains the same again. */
    void notCommitted() {
        isInBatch = false;
        markDirty();
    }

    /** Returns the number of the next batch with this partition, which has all moves so far. */
    long nextBatch() {
        return batches + 1;
    }

    /** Returns whether what was to be in the batch with this number is committed. */
    boolean isCommitted(long batch) {
        return committedBatch >= batch;
    }

    /** Returns the {@link HeldBytes} of the moves. */
    long moveBytes() {
        return moveBytes;
    }

    private static int bytes(ProducerRecord<byte[], byte[]> move) {
        return HeldBytes.of(move.key(), move.value(), move.headers());
    }
}
