package io.spillway.audit;

import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.codec.LedgerOwner;
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
 * Reader of every tenant's balance at the end of the ledger: the balances that the router has published plus the ledger
 * entries after them. The result is exact, whether or not a router runs. Bound: all tenants.
 */
public final class LedgerReader {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerReader.class);
    private static final int MAX_TRIES = 10;

    private LedgerReader() {}

    /**
     * Returns the balances by tenant; forgotten tenants are in one sum, {@link LedgerOwner#IDLE}.
     *
     * @throws KafkaFailure if the cluster does not respond, or purges the ledger faster than it can be read
     */
    public static Map<String, TenantBalance> read(Census census) {
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            Depths depths = depths(census);
            Map<String, TenantBalance> balances = new HashMap<>();
            depths.forEach((tenant, depth) -> balances.put(tenant, depth.balance()));
            if (!depths.forgotten().equals(TenantBalance.EMPTY)) {
                balances.put(LedgerOwner.IDLE, depths.forgotten());
            }
            if (addLedger(census, depths, balances)) {
                return balances;
            }
        }
        throw new KafkaFailure("cannot read the ledger", new KafkaException(
                "it was purged during all " + MAX_TRIES + " attempts; run the command again"));
    }

    /** Reads the balances that the router has published. */
    private static Depths depths(Census census) {
        Depths depths = new Depths();
        TopicPartition partition = new TopicPartition(census.topics().depths(), 0);
        census.readFrom(partition, census.start(partition), record -> put(depths, record));
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
            logSkipped(record, e);
        }
    }

    /** Returns false if entries were purged after the depths were read; newer depths then include them. */
    private static boolean addLedger(Census census, Depths depths, Map<String, TenantBalance> balances) {
        for (int partition = 0; partition < Topics.LEDGER_PARTITIONS; partition++) {
            TopicPartition ledger = new TopicPartition(census.topics().ledger(), partition);
            long from = depths.foldedTo(partition);
            if (census.start(ledger) > from) {
                return false;
            }
            census.readFrom(ledger, from, record -> add(record, depths, balances));
            if (census.start(ledger) > from) {
                return false;
            }
        }
        return true;
    }

    private static void add(
            ConsumerRecord<byte[], byte[]> record, Depths depths, Map<String, TenantBalance> balances) {
        try {
            LedgerCodec.read(record.value(), (tenant, from, counts) -> {
                if (LedgerOwner.deadReason(tenant).isEmpty()
                        && record.offset() >= depths.of(tenant).map(Depth::upTo).orElse(0L)) {
                    TenantBalance known = balances.getOrDefault(tenant, TenantBalance.EMPTY);
                    balances.put(tenant, known.plus(from, counts));
                }
            });
        } catch (IllegalArgumentException e) {
            logSkipped(record, e);
        }
    }

    private static void logSkipped(ConsumerRecord<byte[], byte[]> record, RuntimeException e) {
        LOG.warn("Skipped the unreadable record {}-{}@{}: {}. The balances do not include it.",
                record.topic(), record.partition(), record.offset(), Printable.of(e.getMessage()));
    }
}
