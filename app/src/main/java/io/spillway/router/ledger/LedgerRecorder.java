package io.spillway.router.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Recorder of the ledger deltas of this router's moves.
 *
 * <p>Each task adds up its moves since the last commit. Just before a stream thread's producer adds the offsets to the
 * transaction, the sums of all the thread's tasks are written to it and cleared ({@link LedgerProducer}). A closed task
 * discards its sums: it restarts from its last commit and records the same moves again. Clearing the sums at an abort
 * is not enough, because Kafka Streams has no transaction to abort when a task has only dropped items.
 *
 * <p>A task, its processor and its producer share a stream thread, which is how they find each other. Owner of the
 * sums: each stream thread of its own. Bound: that of {@link LedgerDeltas}.
 */
public final class LedgerRecorder {
    private final ThreadLocal<ThreadLedger> ofThread;

    /** Creates a recorder. */
    public LedgerRecorder(Topics topics) {
        this.ofThread = ThreadLocal.withInitial(() -> new ThreadLedger(new LedgerWriter(topics), new ArrayList<>()));
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

    private record ThreadLedger(LedgerWriter writer, List<LedgerDeltas> tasks) {}
}
