package io.spillway.audit;

import io.spillway.core.item.Printable;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads every tenant's books as of the end of the ledger: those that the router has written down, and the entries that are
 * not in them yet. So they are exact whether a router runs or not. Bound: all tenants.
 */
public final class LedgerReader {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerReader.class);
    private static final int MOST_TRIES = 10;

    private LedgerReader() {}

    /**
     * Reads them.
     *
     * @return books by tenant
     * @throws KafkaFailure when the cluster does not answer, or purges the ledger faster than it can be read
     */
    public static Map<String, TenantBalance> read(Census census) {
        for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
            Depths depths = depths(census);
            Map<String, TenantBalance> books = new HashMap<>();
            depths.forEach((tenant, depth) -> books.put(tenant, depth.books()));
            if (addLedger(census, depths, books)) {
                return books;
            }
        }
        throw new KafkaFailure("cannot read the ledger", new KafkaException(
                "it was purged while it was read, " + MOST_TRIES + " times"));
    }

    /** What the router has written down. */
    public static Depths depths(Census census) {
        Depths depths = new Depths();
        census.readWhole(new TopicPartition(census.topics().depths(), 0), record -> put(depths, record));
        return depths;
    }

    private static void put(Depths depths, ConsumerRecord<byte[], byte[]> record) {
        try {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (record.value() == null) {
                depths.remove(key);
            } else {
                depths.put(key, record.value());
            }
        } catch (RuntimeException e) {
            LOG.warn("Passed over {}-{}@{}: {}", record.topic(), record.partition(), record.offset(), Printable.of(e.getMessage()));
        }
    }

    /** False when some of it was purged since the depths were read: then it is in newer depths. */
    private static boolean addLedger(Census census, Depths depths, Map<String, TenantBalance> books) {
        for (int partition = 0; partition < Topics.LEDGER_PARTITIONS; partition++) {
            TopicPartition ledger = new TopicPartition(census.topics().ledger(), partition);
            long from = depths.foldedTo(partition);
            if (census.start(ledger) > from) {
                return false;
            }
            census.readFrom(ledger, from, record -> add(record, depths, books));
            if (census.start(ledger) > from) {
                return false;
            }
        }
        return true;
    }

    private static void add(ConsumerRecord<byte[], byte[]> record, Depths depths, Map<String, TenantBalance> books) {
        try {
            LedgerCodec.read(record.value(), (tenant, from, counts, at) -> {
                if (record.offset() >= depths.of(tenant).map(Depth::upTo).orElse(0L)) {
                    books.put(tenant, books.getOrDefault(tenant, TenantBalance.EMPTY).plus(from, counts, at));
                }
            });
        } catch (IllegalArgumentException e) {
            LOG.warn("Passed over {}-{}@{}: {}", record.topic(), record.partition(), record.offset(), Printable.of(e.getMessage()));
        }
    }
}
