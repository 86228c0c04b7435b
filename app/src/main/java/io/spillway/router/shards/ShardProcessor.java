package io.spillway.router.shards;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.sharding.Shard;
import io.spillway.core.sharding.ShardConflict;
import io.spillway.core.sharding.ShardRecord;
import io.spillway.core.sharding.ShardRegistry;
import io.spillway.core.sharding.ShardResult;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.Optional;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processor of the shard stage: the only writer of shard assignments. The request topic has one partition, so all
 * instances together run one such task. An answer is written to the store's changelog and to the topic that all
 * instances read, in one transaction with the offsets. After a crash the three agree, and a previous owner that is
 * still alive cannot commit.
 *
 * <p>When no shard of some size is free, this and larger sizes are not searched again until a shard has been released.
 * Each new tenant would otherwise cost a full search on a thread that also routes.
 *
 * <p>Owner: one stream thread. Bound: that of {@link ShardRegistry}; at most {@code maxTenants} refusals are kept.
 */
public final class ShardProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(ShardProcessor.class);

    /** Without a phase by host: the registry is one task in the whole cluster, and an interval is short. */
    private static final Duration MOVE_INTERVAL = Duration.ofMillis(200);
    private static final int MOVES_PER_BATCH = 10;

    private final PlacementView placements;
    private final long seed;
    private final int maxTenants;
    private final BitSet exhausted = new BitSet();
    private final Deque<String> toMove = new ArrayDeque<>();
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;
    private ShardRegistry registry;
    private Cancellable moving;
    private long entries;

    /**
     * Creates the processor.
     *
     * @param placements supplies the slots and the overlap bound
     * @param seed       seed of the stateless shards, so that an assignment seldom moves its tenant
     * @param maxTenants most answers kept
     */
    public ShardProcessor(PlacementView placements, long seed, int maxTenants) {
        this.placements = placements;
        this.seed = seed;
        this.maxTenants = maxTenants;
    }

    /** Loads the registry from the store. Also called again after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        context = processorContext;
        store = processorContext.getStateStore(Topics.SHARD_STORE);
        registry = placements.emptyRegistry();
        entries = 0;
        exhausted.clear();
        toMove.clear();
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            while (all.hasNext()) {
                KeyValue<Bytes, byte[]> entry = all.next();
                entries++;
                restore(text(entry.key.get()), entry.value);
            }
        }
        addConflicts();
        LOG.info("The shard registry has {} tenants{}", registry.size(),
                toMove.isEmpty() ? "" : "; moving " + toMove.size() + " whose shards violate the configuration");
        if (!toMove.isEmpty()) {
            moving = context.schedule(MOVE_INTERVAL, PunctuationType.WALL_CLOCK_TIME, this::moveBatch);
        }
    }

    /** Moves a few tenants, because each may need a full search. */
    private void moveBatch(long nowMillis) {
        for (int i = 0; i < MOVES_PER_BATCH && !toMove.isEmpty(); i++) {
            String tenant = toMove.poll();
            byte[] stored = store.get(Bytes.wrap(bytes(tenant)));
            if (stored != null) {
                int size = placements.assignable(ShardAssignment.decode(stored).asked());
                answer(tenant, size, registry.reassign(tenant, size, seed), nowMillis);
            }
        }
        if (toMove.isEmpty() && exhausted.isEmpty()) {
            // The registry lists a limited number of conflicts at a time.
            addConflicts();
        }
        if (toMove.isEmpty()) {
            moving.cancel();
        }
    }

    /** Adds the second tenant of each conflict. Conflicts appear only after the configured bound was lowered. */
    private void addConflicts() {
        registry.conflicts().stream().map(ShardConflict::second).distinct().forEach(toMove::add);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        if (record.key() == null || !ItemLimits.isName(text(record.key()))) {
            LOG.warn("Skipped a shard request without a valid tenant name. Find the program that writes it.");
            return;
        }
        String tenant = text(record.key());
        switch (ShardRequest.decode(record.value())) {
            case ShardRequest.Assign assign -> assign(tenant, placements.assignable(assign.size()), record.timestamp());
            case ShardRequest.Release release -> release(tenant, record.timestamp());
            case ShardRequest.Unreadable unreadable ->
                LOG.warn("Skipped an unreadable shard request of {}. Find the program that writes it.",
                        Printable.of(tenant));
        }
    }

    private void assign(String tenant, int size, long nowMillis) {
        Optional<Shard> current = registry.find(tenant);
        if (current.isPresent() && current.get().size() == size) {
            // The requester has not read the answer yet, or was refused another size in between.
            write(tenant, new ShardAssignment(size, current), nowMillis);
            return;
        }
        int smallestExhausted = exhausted.nextSetBit(0);
        if (smallestExhausted >= 0 && size >= smallestExhausted) {
            refuse(tenant, size, current, nowMillis);
            return;
        }
        answer(tenant, size, registry.assign(tenant, size, seed), nowMillis);
    }

    private void answer(String tenant, int size, ShardResult answer, long nowMillis) {
        switch (answer) {
            case ShardResult.Assigned assigned ->
                write(tenant, new ShardAssignment(size, Optional.of(assigned.shard())), nowMillis);
            case ShardResult.Refused refused -> {
                exhausted.set(size);
                LOG.warn("No shard of {} slots is free for {}: {}. It keeps its present shard."
                                + " Raise shards.overlap or use smaller shards.", size,
                        Printable.of(tenant), refused.reason().text());
                refuse(tenant, size, registry.find(tenant), nowMillis);
            }
        }
    }

    /** Keeps the current shard, if any, and writes the answer so that the request is not repeated at once. */
    private void refuse(String tenant, int size, Optional<Shard> current, long nowMillis) {
        if (current.isPresent() || entries < maxTenants) {
            write(tenant, new ShardAssignment(size, current), nowMillis);
        }
    }

    private void release(String tenant, long nowMillis) {
        if (registry.release(tenant).isPresent()) {
            exhausted.clear();
        }
        if (store.delete(Bytes.wrap(bytes(tenant))) != null) {
            entries--;
            context.forward(new Record<>(bytes(tenant), null, nowMillis));
        }
    }

    private void write(String tenant, ShardAssignment assignment, long nowMillis) {
        byte[] value = assignment.encode(tenant);
        Bytes key = Bytes.wrap(bytes(tenant));
        byte[] before = store.get(key);
        if (Arrays.equals(before, value)) {
            return;
        }
        store.put(key, value);
        entries += before == null ? 1 : 0;
        context.forward(new Record<>(bytes(tenant), value, nowMillis));
    }

    private void restore(String tenant, byte[] value) {
        Optional<Shard> shard = ShardAssignment.decode(value).shard();
        if (shard.isEmpty()) {
            return;
        }
        if (registry.restore(tenant, shard.get()) instanceof ShardRecord.Unfit unfit) {
            LOG.warn("The assignment of {} is invalid and will be replaced: {}", Printable.of(tenant),
                    Printable.of(unfit.detail()));
            toMove.add(tenant);
        }
    }

    private static byte[] bytes(String tenant) {
        return tenant.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }
}
