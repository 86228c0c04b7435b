package io.spillway.kafka.codec;

import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.kafka.topics.Topics;
import java.util.Collection;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writer of ledger entries, to be sent in the transaction that moves the items. All lines of a tenant go to one
 * partition, where many tenants share an entry.
 *
 * <p>Owner: one thread. Bound: an entry of {@link LedgerLines#FULL_BYTES} for each partition.
 */
public final class LedgerWriter {
    private final String topic;
    private final LedgerLines[] open = new LedgerLines[Topics.LEDGER_PARTITIONS];

    public LedgerWriter(Topics topics) {
        this.topic = topics.ledger();
        for (int i = 0; i < open.length; i++) {
            open[i] = new LedgerLines();
        }
    }

    /**
     * Writes the entries of one transaction. No line is kept between calls: what a failed call left in open entries
     * belongs to a transaction that was aborted.
     *
     * @param sums not changed
     * @param into receives the entries; its exceptions end the call
     */
    public void write(
            Collection<LedgerDeltas> sums, long atMillis, Consumer<ProducerRecord<byte[], byte[]>> into) {
        for (LedgerLines lines : open) {
            lines.clear();
        }
        sums.forEach(each -> each.forEach((names, offset, length, from, counts, at) -> {
            int partition = Topics.ledgerPartition(names, offset, length);
            open[partition].add(names, offset, length, from, counts, at);
            if (open[partition].isFull()) {
                send(partition, atMillis, into);
            }
        }));
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
