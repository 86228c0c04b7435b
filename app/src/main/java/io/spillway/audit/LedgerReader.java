package io.spillway.audit;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.CommittedOffsetsCodec;
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
 * entries after them. The result is exact, whether or not a router runs. Owner: the thread that reads. Bound: all
 * tenants.
 */
public final class LedgerReader {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerReader.class);
    private static final int MAX_TRIES = 10;

    private final Census census;
    private final Depths depths = new Depths();
    private final Map<String, TenantBalance> tenants = new HashMap<>();
    private final Map<String, TenantBalance> sources = new HashMap<>();
    private IngressAccount ingress = IngressAccount.EMPTY;

    private LedgerReader(Census census) {
        this.census = census;
    }

    /**
     * Balances at one moment.
     *
     * @param tenants by name; forgotten tenants are in one sum, {@link LedgerOwner#IDLE}
     * @param sources by name: only the moves into the queue
     * @param ingress offsets that routers have committed
     */
    public record Balances(
            Map<String, TenantBalance> tenants, Map<String, TenantBalance> sources, IngressAccount ingress) {}

    /**
     * Returns the balances.
     *
     * @throws KafkaFailure if the cluster does not respond, or purges the ledger faster than it can be read
     */
    public static Balances read(Census census) {
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            LedgerReader reader = new LedgerReader(census);
            reader.readDepths();
            if (reader.addLedger()) {
                return new Balances(reader.tenants, reader.sources, reader.ingress);
            }
        }
        throw new KafkaFailure("cannot read the ledger", new KafkaException(
                "it was purged during all " + MAX_TRIES + " attempts; run the command again"));
    }

    /** Reads the balances that the router has published. */
    private void readDepths() {
        TopicPartition partition = new TopicPartition(census.topics().depths(), 0);
        census.readFrom(partition, census.start(partition), this::put);
        depths.forEach((tenant, depth) -> tenants.put(tenant, depth.balance()));
        depths.sources().forEach((source, depth) -> sources.put(source, depth.balance()));
        if (!depths.forgotten().equals(TenantBalance.EMPTY)) {
            tenants.put(LedgerOwner.IDLE, depths.forgotten());
        }
        ingress = depths.ingress().account();
    }

    private void put(ConsumerRecord<byte[], byte[]> record) {
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
    private boolean addLedger() {
        for (int partition = 0; partition < Topics.LEDGER_PARTITIONS; partition++) {
            TopicPartition ledger = new TopicPartition(census.topics().ledger(), partition);
            long from = depths.foldedTo(partition);
            if (census.start(ledger) > from) {
                return false;
            }
            census.readFrom(ledger, from, this::addEntry);
            if (census.start(ledger) > from) {
                return false;
            }
        }
        return true;
    }

    private void addEntry(ConsumerRecord<byte[], byte[]> record) {
        try {
            if (!CommittedOffsetsCodec.isOne(record.value())) {
                LedgerCodec.read(record.value(), (name, from, counts) -> addLine(name, record.offset(), from, counts));
            } else if (record.offset() >= depths.ingress().upTo()) {
                ingress = ingress.after(CommittedOffsetsCodec.decode(record.value()), record.timestamp());
            }
        } catch (IllegalArgumentException e) {
            logSkipped(record, e);
        }
    }

    private void addLine(String name, long offset, ItemState from, long[] counts) {
        Optional<String> source = LedgerOwner.source(name);
        if (source.isPresent()) {
            Optional<Depth> published = Optional.ofNullable(depths.sources().get(source.get()));
            addNew(sources, source.get(), published, offset, from, counts);
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

    private static void logSkipped(ConsumerRecord<byte[], byte[]> record, RuntimeException e) {
        LOG.warn("Skipped the unreadable record {}-{}@{}: {}. The balances do not include it.",
                record.topic(), record.partition(), record.offset(), Printable.of(e.getMessage()));
    }
}
