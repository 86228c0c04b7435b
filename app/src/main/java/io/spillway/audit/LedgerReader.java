package io.spillway.audit;

import io.spillway.core.item.ItemState;
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
import java.util.Optional;
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
     * Balances at one moment.
     *
     * @param tenants by name; forgotten tenants are in one sum, {@link LedgerOwner#IDLE}
     * @param sources by name: only the moves into the queue
     */
    public record Balances(Map<String, TenantBalance> tenants, Map<String, TenantBalance> sources) {
        private void add(String name, Depths depths, long offset, ItemState from, long[] counts) {
            Optional<String> source = LedgerOwner.source(name);
            if (source.isPresent()) {
                addNew(sources, source.get(), Optional.ofNullable(depths.sources().get(source.get())), offset, from,
                        counts);
            } else if (!LedgerOwner.isAlsoCounted(name)) {
                addNew(tenants, name, depths.of(name), offset, from, counts);
            }
        }

        private static void addNew(Map<String, TenantBalance> into, String name, Optional<Depth> published, long offset,
                ItemState from, long[] counts) {
            if (offset >= published.map(Depth::upTo).orElse(0L)) {
                into.put(name, into.getOrDefault(name, TenantBalance.EMPTY).plus(from, counts));
            }
        }
    }

    /**
     * Returns the balances.
     *
     * @throws KafkaFailure if the cluster does not respond, or purges the ledger faster than it can be read
     */
    public static Balances read(Census census) {
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            Depths depths = depths(census);
            Balances balances = new Balances(new HashMap<>(), new HashMap<>());
            depths.forEach((tenant, depth) -> balances.tenants().put(tenant, depth.balance()));
            depths.sources().forEach((source, depth) -> balances.sources().put(source, depth.balance()));
            if (!depths.forgotten().equals(TenantBalance.EMPTY)) {
                balances.tenants().put(LedgerOwner.IDLE, depths.forgotten());
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
    private static boolean addLedger(Census census, Depths depths, Balances balances) {
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

    private static void add(ConsumerRecord<byte[], byte[]> record, Depths depths, Balances balances) {
        try {
            LedgerCodec.read(record.value(), (name, from, counts) ->
                    balances.add(name, depths, record.offset(), from, counts));
        } catch (IllegalArgumentException e) {
            logSkipped(record, e);
        }
    }

    private static void logSkipped(ConsumerRecord<byte[], byte[]> record, RuntimeException e) {
        LOG.warn("Skipped the unreadable record {}-{}@{}: {}. The balances do not include it.",
                record.topic(), record.partition(), record.offset(), Printable.of(e.getMessage()));
    }
}
