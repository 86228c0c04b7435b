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
 * The books of the moves that this router makes, from a move to the transaction that makes it.
 *
 * <p>Each task sums up what it has done since the last commit. Just before its stream thread's producer adds the offsets to
 * the transaction, the sums of all tasks of that thread go into it, and are forgotten ({@link LedgerProducer}). A task
 * that is closed takes its sums with it. So they live exactly as long as what they tell of: a task that is closed without a
 * commit, after an abort or because it went elsewhere, is begun again from its last commit and books the same once more; one
 * that is closed after a commit has no sums left. Clearing them at an abort would not do: a task that has only dropped items
 * has written nothing, so Kafka Streams has no transaction to abort when it goes.
 *
 * <p>A task, its processor and its producer are on one stream thread, which is how they find each other.
 *
 * <p>Owner of the sums: each stream thread of its own. Bound: see {@link LedgerDeltas}.
 */
public final class LedgerRecorder {
    private final Topics topics;
    private final long seed;
    private final boolean isOn;
    private final ThreadLocal<OfThread> ofThread;

    /**
     * Books everything.
     *
     * @param seed of the tables of tenants; nobody who can name a tenant should know it
     */
    public LedgerRecorder(Topics topics, long seed) {
        this(topics, seed, true);
    }

    private LedgerRecorder(Topics topics, long seed, boolean isOn) {
        this.topics = topics;
        this.seed = seed;
        this.isOn = isOn;
        this.ofThread = ThreadLocal.withInitial(() -> new OfThread(new LedgerWriter(this.topics), new ArrayList<>()));
    }

    /** Books nothing, to measure what the books cost. */
    public static LedgerRecorder none(Topics topics) {
        return new LedgerRecorder(topics, 0, false);
    }

    /**
     * Opens the book of a task, on the thread that it runs on.
     *
     * @param from where the items are that it moves
     */
    public Book open(ItemState from) {
        if (!isOn) {
            return Book.OFF;
        }
        List<LedgerDeltas> books = ofThread.get().books();
        LedgerDeltas sums = new LedgerDeltas(from, seed);
        books.add(sums);
        return new Book() {
            @Override
            public boolean book(String tenant, ItemState to) {
                sums.add(tenant, to);
                return sums.isFull();
            }

            @Override
            public void close() {
                books.removeIf(each -> each == sums);
            }
        };
    }

    /**
     * Writes what the tasks of this thread have done since the last time, and forgets it.
     *
     * @param into the transaction that the moves are in
     */
    void settle(long nowMillis, Consumer<ProducerRecord<byte[], byte[]>> into) {
        OfThread mine = ofThread.get();
        for (LedgerDeltas sums : mine.books()) {
            if (!sums.isEmpty()) {
                mine.writer().write(sums, nowMillis, into);
                sums.clear();
            }
        }
        mine.writer().flush(nowMillis, into);
    }

    /** What one task has done since the last commit. Used by the task's thread. */
    public interface Book extends AutoCloseable {
        /** Of a router that books nothing. */
        Book OFF = new Book() {
            @Override
            public boolean book(String tenant, ItemState to) {
                return false;
            }

            @Override
            public void close() {
                // There is nothing to forget.
            }
        };

        /**
         * Books an item, after it was forwarded if it was.
         *
         * @return whether there is so much in the book that a commit should be asked for
         */
        boolean book(String tenant, ItemState to);

        /** Forgets what was not committed. */
        @Override
        void close();
    }

    private record OfThread(LedgerWriter writer, List<LedgerDeltas> books) {}
}
