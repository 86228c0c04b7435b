package io.spillway.worker;

import io.spillway.core.engine.EnginePartition;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.PartitionProgress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition that this worker owns, from its assignment to its end: what the engine knows of it, and what its finished
 * items add to the next transaction. Guarded by the lock of {@link WorkerCore}.
 *
 * <p>Bounds: the ledger sums are of as many items as can be finished between two commits, which the horizon bounds;
 * while the moves of all partitions are more than one transaction should carry, nothing more is read (see
 * {@link WorkerCore#paused}).
 */
final class OwnedPartition {
    final TopicPartition partition;
    /** What the engine knows of it. */
    final EnginePartition state;
    /** Records that the next transaction must produce, since their items are finished here. */
    final Deque<ProducerRecord<byte[], byte[]>> moves = new ArrayDeque<>();
    /** What was settled since the last snapshot; and what was before, and is not known to be committed. */
    private final LedgerDeltas settled;
    private final LedgerDeltas booked;
    private long moveBytes;

    OwnedPartition(TopicPartition partition, Lane lane, PartitionProgress progress) {
        this.partition = partition;
        this.state = new EnginePartition(partition, lane, progress);
        // Anything that nobody outside can know; the tables are small.
        int seed = System.identityHashCode(this);
        this.settled = new LedgerDeltas(ItemState.of(lane), seed);
        this.booked = new LedgerDeltas(ItemState.of(lane), seed);
    }

    /** Records that an item goes to another lane by a record that is part of the next commit. */
    void moved(String tenant, Lane to, ProducerRecord<byte[], byte[]> move) {
        moves.add(move);
        moveBytes += bytes(move);
        left(tenant, ItemState.of(to));
    }

    /**
     * Books an item that has left this partition.
     *
     * @param tenant in whose balance it is
     * @param to     where it has gone
     */
    void left(String tenant, ItemState to) {
        settled.add(tenant, to);
    }

    /**
     * What is booked by the next commit. It stays as it is until that is committed, or made again with what came since.
     */
    LedgerDeltas bookedSoFar() {
        booked.addAll(settled);
        settled.clear();
        return booked;
    }

    /** So many of the moves, from the first on, are produced for good, with what was booked along with them. */
    void committed(int count) {
        booked.clear();
        for (int i = 0; i < count; i++) {
            moveBytes -= bytes(moves.remove());
        }
    }

    /** Key and value bytes of the moves. */
    long moveBytes() {
        return moveBytes;
    }

    private static int bytes(ProducerRecord<byte[], byte[]> move) {
        return (move.key() == null ? 0 : move.key().length) + (move.value() == null ? 0 : move.value().length);
    }

    List<ProducerRecord<byte[], byte[]>> movesSoFar() {
        return new ArrayList<>(moves);
    }

    @Override
    public String toString() {
        return partition.toString();
    }
}
