package io.spillway.worker;

import io.spillway.policy.Lane;
import io.spillway.policy.PartitionProgress;
import io.spillway.policy.Place;
import io.spillway.policy.TenantSums;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition that this worker owns, from its assignment to its end. Every field belongs to whoever holds the lock of
 * {@link WorkerCore}.
 *
 * <p>Bounds: what is booked is of as many items as can be finished between two commits, which the horizon bounds; held items are within the unfinished ones, which {@link PartitionProgress} bounds; while the moves of all
 * partitions are more than one transaction should carry, nothing more is read (see {@link WorkerCore#paused}).
 */
final class OwnedPartition {
    private static final int MIN_HORIZON_AHEAD = 128;
    /** A sixteenth at each snapshot: half of it in ten. */
    private static final int HORIZON_FADE = 4;

    final TopicPartition partition;
    final Lane lane;
    final PartitionProgress progress;
    /** Items at or above the committed horizon, which may not start yet. */
    final Queue<LaneItem> held = new ArrayDeque<>();
    /** Records that the next transaction must produce, since their items are finished here. */
    final Deque<ProducerRecord<byte[], byte[]>> moves = new ArrayDeque<>();
    /** Whether there is something to commit. */
    boolean dirty = true;
    /** Whether it is being given up: nothing of it starts any more. */
    boolean leaving;
    /** Whether nothing of it runs any more, or what does is deaf to its interrupt and no danger to this process. */
    boolean drained;
    /** Whether one of its attempts is ending this process: who takes it over must find suspects in it. */
    boolean killed;
    /** Whether it is given up: nothing of it matters any more. */
    boolean gone;
    /** Offset behind the last record that was polled. */
    long position = -1;
    /** Items read since the last snapshot, for how far ahead the horizon must be. */
    int readSinceSnapshot;
    /** What was settled since the last snapshot; and what was before, and is not known to be committed. */
    private final TenantSums settled;
    private final TenantSums booked;
    private int mostRead;
    private long moveBytes;

    OwnedPartition(TopicPartition partition, Lane lane, PartitionProgress progress) {
        this.partition = partition;
        this.lane = lane;
        this.progress = progress;
        // Anything that nobody outside can know; the tables are small.
        int seed = System.identityHashCode(this);
        this.settled = new TenantSums(Place.of(lane), seed);
        this.booked = new TenantSums(Place.of(lane), seed);
    }

    /** The item at this offset has gone to another lane; its record goes out with the commit that says so. */
    void settle(long offset, String tenant, Lane to, ProducerRecord<byte[], byte[]> move) {
        moves.add(move);
        moveBytes += bytes(move);
        settle(offset, tenant, Place.of(to));
    }

    /**
     * The item at this offset is over.
     *
     * @param tenant in whose books it is
     * @param to     where it has gone
     */
    void settle(long offset, String tenant, Place to) {
        settled.add(tenant, to);
        progress.finished(offset);
        dirty = true;
    }

    /**
     * What is booked by the next commit. It stays as it is until that is committed, or made again with what came since.
     */
    TenantSums bookedSoFar() {
        booked.addAll(settled);
        settled.clear();
        return booked;
    }

    /**
     * How far the horizon of a snapshot that is taken now is to be ahead: too little holds items back for a commit, too
     * much makes more suspects of a crash. A poll brings one partition's items by the thousand and then another's, so
     * what counts is the most that was read between two snapshots lately.
     */
    int horizonAhead() {
        mostRead = Math.max(readSinceSnapshot, mostRead - (mostRead >> HORIZON_FADE));
        readSinceSnapshot = 0;
        return Math.max(MIN_HORIZON_AHEAD, 2 * mostRead);
    }

    /** Whether it is handed on without suspicion: an attempt that ends this process must not do so for ever. */
    boolean isClean() {
        return drained && !killed;
    }

    /** Everything below this offset has been polled. */
    void positionedAt(long nextOffset) {
        if (nextOffset != position) {
            position = nextOffset;
            progress.positionedAt(nextOffset);
            dirty = true;
        }
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
