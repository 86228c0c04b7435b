package io.spillway.router.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Recorder of the ledger deltas of this router's moves.
 *
 * <p>Each task adds up its moves since the last commit. Just before a stream thread's producer adds the offsets to the
 * transaction, the sums of all the thread's tasks are written to it and cleared ({@link LedgerProducer}). A closed task
 * discards its sums: it restarts from its last commit and records the same moves again. Clearing the sums at an abort
 * is not enough, because Kafka Streams has no transaction to abort when a task has only dropped items.
 *
 * <p>The offsets of ingress that the transaction commits have an entry too, with those at which it began, so that one
 * which Kafka commits in part is found ({@link IngressAccount}).
 *
 * <p>A task, its processor and its producer share a stream thread, which is how they find each other. Owner of the
 * sums: each stream thread of its own. Bound: that of {@link LedgerDeltas}, and the partitions of ingress.
 */
public final class LedgerRecorder {
    private final String ingress;
    private final ThreadLocal<ThreadLedger> ofThread;

    /** Creates a recorder. */
    public LedgerRecorder(Topics topics) {
        this.ingress = topics.ingress();
        this.ofThread = ThreadLocal.withInitial(
                () -> new ThreadLedger(new LedgerWriter(topics), new ArrayList<>(), new HashMap<>()));
    }

    /** Opens, on the task's thread, the ledger of a task that moves items out of this state. */
    public TaskLedger open(ItemState from) {
        return new TaskLedger(new LedgerDeltas(from), ofThread.get().tasks());
    }

    /**
     * Writes the sums of this thread's tasks to the transaction that contains the moves, and clears them. After a
     * failure they are cleared too, because the transaction cannot commit and its moves are made again or lost.
     */
    void flush(long nowMillis, Consumer<ProducerRecord<byte[], byte[]>> into) {
        ThreadLedger thread = ofThread.get();
        try {
            thread.writer().write(thread.tasks(), nowMillis, into);
        } finally {
            thread.tasks().forEach(LedgerDeltas::clear);
        }
    }

    /** Notes where tasks of this thread begin, or go on: what their group has committed, or null where it has not. */
    public void began(Map<TopicPartition, OffsetAndMetadata> committed) {
        committed.forEach((partition, offset) -> {
            if (partition.topic().equals(ingress)) {
                ofThread.get().next().put(partition, offset == null ? IngressAccount.UNKNOWN : offset.offset());
            }
        });
    }

    /** Returns the entry of the offsets of ingress that a transaction commits; empty if it commits none. */
    Optional<ProducerRecord<byte[], byte[]>> committing(
            Map<TopicPartition, OffsetAndMetadata> offsets, long nowMillis) {
        ThreadLedger thread = ofThread.get();
        List<IngressAccount.Range> ranges = new ArrayList<>();
        offsets.forEach((partition, offset) -> {
            if (partition.topic().equals(ingress)) {
                Long from = thread.next().put(partition, offset.offset());
                ranges.add(new IngressAccount.Range(
                        partition.partition(), from == null ? IngressAccount.UNKNOWN : from, offset.offset()));
            }
        });
        return ranges.isEmpty() ? Optional.empty() : Optional.of(thread.writer().offsets(ranges, nowMillis));
    }

    /** Moves of one task since the last commit. Used by the task's thread. */
    public static final class TaskLedger implements AutoCloseable {
        private final LedgerDeltas sums;
        private final List<LedgerDeltas> siblings;

        private TaskLedger(LedgerDeltas sums, List<LedgerDeltas> siblings) {
            this.sums = sums;
            this.siblings = siblings;
            siblings.add(sums);
        }

        /** Records the move of a forwarded item. Returns whether the ledger is full: the task requests a commit. */
        public boolean record(String tenant, ItemState to) {
            sums.add(tenant, to);
            return sums.isFull();
        }

        /** Discards the moves that were not committed. */
        @Override
        public void close() {
            siblings.removeIf(sibling -> sibling == sums);
        }
    }

    /** @param next by partition of ingress, where its next transaction begins. An abort ends all tasks of the thread */
    private record ThreadLedger(LedgerWriter writer, List<LedgerDeltas> tasks, Map<TopicPartition, Long> next) {}
}
