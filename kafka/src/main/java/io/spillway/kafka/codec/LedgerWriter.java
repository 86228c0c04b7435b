package io.spillway.kafka.codec;

import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.kafka.topics.Topics;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Writer of ledger entries, to be sent in the transaction that moves the items. All lines of a tenant go to one
 * partition, where many tenants share an entry. Lines of reasons have entries of their own, in the first partition, and
 * so have those of sources, in the second, and committed offsets: a version that does not know one skips an entry as a
 * whole.
 *
 * <p>Owner: one thread. Bound: one entry of {@link LedgerLines#FULL_BYTES} for each partition, and two more.
 */
public final class LedgerWriter {
    private static final int OF_REASONS = Topics.LEDGER_PARTITIONS;
    private static final int OF_SOURCES = OF_REASONS + 1;

    private final String topic;
    private final LedgerLines[] open = new LedgerLines[OF_SOURCES + 1];

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
        sums.forEach(deltas -> deltas.forEach((tenant, from, counts) -> {
            int entry = LedgerOwner.isReason(tenant) ? OF_REASONS
                    : LedgerOwner.isSource(tenant) ? OF_SOURCES : Topics.ledgerPartition(tenant);
            open[entry].add(tenant, from, counts);
            if (open[entry].isFull()) {
                send(entry, atMillis, into);
            }
        }));
        for (int entry = 0; entry < open.length; entry++) {
            if (!open[entry].isEmpty()) {
                send(entry, atMillis, into);
            }
        }
    }

    /** Returns the entry of the offsets of ingress that the transaction commits. */
    public ProducerRecord<byte[], byte[]> offsets(List<IngressAccount.Range> committed, long atMillis) {
        return new ProducerRecord<>(topic, Topics.ledgerPartition(LedgerOwner.INGRESS), atMillis, null,
                CommittedOffsetsCodec.encode(committed, atMillis));
    }

    private void send(int entry, long atMillis, Consumer<ProducerRecord<byte[], byte[]>> into) {
        int partition = entry % Topics.LEDGER_PARTITIONS;
        into.accept(new ProducerRecord<>(topic, partition, atMillis, null, open[entry].take(atMillis)));
    }
}
