package io.spillway.router.shards;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.sharding.PolynomialShards;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardRequest;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Optional;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processor of the shard stage: gives each tenant the lowest free number, from which all instances compute its shard
 * ({@link PolynomialShards}). The request topic has one partition, so all instances together run one such task. An
 * answer is written to the store's changelog and to the topic that all instances read, in one transaction with the
 * offsets. After a crash the three agree, and a previous owner that is still alive cannot commit.
 *
 * <p>Owner: one stream thread. Bound: {@value #MAX_NUMBERS} numbers, a bit of memory each; at most {@code maxTenants}
 * refusals are kept.
 */
public final class ShardProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(ShardProcessor.class);
    private static final int MAX_NUMBERS = 1 << 24;

    private final int capacity;
    private final int maxTenants;
    private final BitSet used = new BitSet();
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;
    private long entries;
    private boolean isFull;

    /**
     * Creates the processor.
     *
     * @param capacity   most tenants with a number, each below this
     * @param maxTenants most answers kept
     */
    public ShardProcessor(long capacity, int maxTenants) {
        this.capacity = (int) Math.min(capacity, MAX_NUMBERS);
        this.maxTenants = maxTenants;
    }

    /** Reads the numbers in use. Also called again after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        context = processorContext;
        store = processorContext.getStateStore(Topics.SHARD_STORE);
        used.clear();
        entries = 0;
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            while (all.hasNext()) {
                KeyValue<Bytes, byte[]> entry = all.next();
                entries++;
                long number = ShardAssignment.decode(entry.value).number();
                if (has(number)) {
                    used.set((int) number);
                }
            }
        }
        LOG.info("{} tenants have a number for their shard; at most {} can have one", used.cardinality(), capacity);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        if (record.key() == null || !ItemLimits.isName(text(record.key()))) {
            LOG.warn("Skipped a shard request without a valid tenant name. Find the program that writes it.");
            return;
        }
        String tenant = text(record.key());
        Optional<ShardRequest> request = ShardRequest.decode(record.value());
        if (request.isEmpty()) {
            LOG.warn("Skipped an unreadable shard request of {}. Find the program that writes it.",
                    Printable.of(tenant));
        } else if (request.get() == ShardRequest.ASSIGN) {
            assign(tenant, record);
        } else {
            release(record);
        }
    }

    private void assign(String tenant, Record<byte[], byte[]> request) {
        byte[] before = store.get(Bytes.wrap(request.key()));
        long current = before == null ? PolynomialShards.NONE : ShardAssignment.decode(before).number();
        if (has(current)) {
            // The requester has not read the answer yet.
            return;
        }
        int free = used.nextClearBit(0);
        if (free < capacity) {
            used.set(free);
            write(tenant, new ShardAssignment(free), before, request);
            return;
        }
        if (!isFull) {
            LOG.warn("No shard is free for {}: {} tenants have one. It keeps its present shard. Raise shards.slots or"
                    + " shards.overlap.", Printable.of(tenant), capacity);
            isFull = true;
        }
        // The refusal is kept, so that the request is not repeated at once.
        if (before == null ? entries < maxTenants : current != PolynomialShards.NONE) {
            write(tenant, new ShardAssignment(PolynomialShards.NONE), before, request);
        }
    }

    private void write(String tenant, ShardAssignment answer, byte[] before, Record<byte[], byte[]> request) {
        byte[] value = answer.encode(tenant);
        store.put(Bytes.wrap(request.key()), value);
        entries += before == null ? 1 : 0;
        context.forward(request.withValue(value));
    }

    private void release(Record<byte[], byte[]> request) {
        byte[] before = store.delete(Bytes.wrap(request.key()));
        if (before != null) {
            long number = ShardAssignment.decode(before).number();
            if (has(number)) {
                used.clear((int) number);
                isFull = false;
            }
            entries--;
            context.forward(request.withValue(null));
        }
    }

    private boolean has(long number) {
        return number >= 0 && number < capacity;
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }
}
