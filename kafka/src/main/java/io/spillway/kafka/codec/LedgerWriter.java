package io.spillway.kafka.codec;

import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.kafka.topics.Topics;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Makes entries of the ledger from sums, for whoever sends them in the transaction that makes the moves. A tenant's lines all
 * go to one partition, in which many tenants share an entry.
 *
 * <p>Owned by one thread. Bound: an entry of {@link LedgerLines#FULL_BYTES} for each partition.
 */
public final class LedgerWriter {
    private final String topic;
    private final LedgerLines[] open = new LedgerLines[Topics.LEDGER_PARTITIONS];

    /** Makes a writer. */
    public LedgerWriter(Topics topics) {
        this.topic = topics.ledger();
        for (int i = 0; i < open.length; i++) {
            open[i] = new LedgerLines();
        }
    }

    /**
     * Writes sums, all that it is given since the last {@link #flush} together.
     *
     * @param sums  not changed
     * @param into  takes the entries that are full; what it throws leaves the writer as if it had been flushed
     */
    public void write(LedgerDeltas sums, long atMillis, Consumer<ProducerRecord<byte[], byte[]>> into) {
        sums.forEach((names, offset, length, from, counts, at) -> {
            int partition = Topics.ledgerPartition(names, offset, length);
            open[partition].add(names, offset, length, from, counts, at);
            if (open[partition].isFull()) {
                send(partition, atMillis, into);
            }
        });
    }

    /** Writes what is left. */
    public void flush(long atMillis, Consumer<ProducerRecord<byte[], byte[]>> into) {
        for (int partition = 0; partition < open.length; partition++) {
            if (!open[partition].isEmpty()) {
                send(partition, atMillis, into);
            }
        }
    }

    private void send(int partition, long atMillis, Consumer<ProducerRecord<byte[], byte[]>> into) {
        into.accept(new ProducerRecord<>(topic, partition, atMillis, null, open[partition].take(atMillis)));
    }
}
