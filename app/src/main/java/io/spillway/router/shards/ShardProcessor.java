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
import io.spillway.kafka.view.ShardAssignmentCodec;
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
 * Keeps the book of shards: the one writer of the assignments. It reads requests from a topic of one partition, so there is
 * one such task in all instances, and what it answers is written to its store's changelog, to the topic that all instances
 * read, and to its offsets in one transaction: after any crash the three agree, and a predecessor that lives on cannot commit.
 *
 * <p>When the book has no shard left of some size, it is not searched again for that size or a larger one until a shard has
 * been taken back: each new tenant would cost a whole search, on a thread that routes as well.
 *
 * <p>Owned by one stream thread. Bound: that of {@link ShardRegistry}; refusals are kept up to as many as tenants may be.
 */
public final class ShardProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(ShardProcessor.class);

    private static final Duration MOVE_EVERY = Duration.ofMillis(200);
    private static final int MOVES_AT_ONCE = 10;

    private final PlacementView placements;
    private final long seed;
    private final int maxTenants;
    private final ShardAssignmentCodec codec = new ShardAssignmentCodec();
    private final BitSet exhausted = new BitSet();
    private final Deque<String> toMove = new ArrayDeque<>();
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;
    private ShardRegistry book;
    private Cancellable moving;
    private long entries;

    /**
     * Makes the processor.
     *
     * @param placements the slots, and the bound that the book keeps
     * @param seed       that of the stateless shards, so that an assignment seldom moves its tenant
     * @param maxTenants most answers kept
     */
    public ShardProcessor(PlacementView placements, long seed, int maxTenants) {
        this.placements = placements;
        this.seed = seed;
        this.maxTenants = maxTenants;
    }

    /** Reads the book again from its store; also after its task was found corrupted and the store was restored. */
    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        context = processorContext;
        store = processorContext.getStateStore(Topics.SHARD_STORE);
        book = placements.emptyBook();
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
        LOG.info("The book of shards has {} tenants{}", book.size(),
                toMove.isEmpty() ? "" : "; " + toMove.size() + " assignments do not keep to the configuration, and move");
        if (!toMove.isEmpty()) {
            moving = context.schedule(MOVE_EVERY, PunctuationType.WALL_CLOCK_TIME, this::moveSome);
        }
    }

    /** A few at a time: each may take a search. */
    private void moveSome(long nowMillis) {
        for (int i = 0; i < MOVES_AT_ONCE && !toMove.isEmpty(); i++) {
            String tenant = toMove.poll();
            byte[] stored = store.get(Bytes.wrap(bytes(tenant)));
            if (stored != null) {
                int size = placements.assignable(codec.decode(stored).asked());
                answer(tenant, size, book.reassign(tenant, size, seed), nowMillis);
            }
        }
        if (toMove.isEmpty() && exhausted.isEmpty()) {
            // Those beyond the bound on what is listed.
            addConflicts();
        }
        if (toMove.isEmpty()) {
            moving.cancel();
        }
    }

    /** Only a tighter bound in the configuration brings conflicts about. The second of each pair moves. */
    private void addConflicts() {
        book.conflicts().stream().map(ShardConflict::second).distinct().forEach(toMove::add);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        if (record.key() == null || !ItemLimits.isName(text(record.key()))) {
            LOG.warn("Passed over a request for a shard without a tenant");
            return;
        }
        String tenant = text(record.key());
        switch (ShardRequest.decode(record.value())) {
            case ShardRequest.Assign assign -> assign(tenant, placements.assignable(assign.size()), record.timestamp());
            case ShardRequest.Release release -> release(tenant, record.timestamp());
            case ShardRequest.Unreadable unreadable ->
                LOG.warn("Passed over a request for a shard of {}: not readable", Printable.of(tenant));
        }
    }

    private void assign(String tenant, int size, long nowMillis) {
        Optional<Shard> current = book.find(tenant);
        if (current.isPresent() && current.get().size() == size) {
            // Whoever asks has not read it yet, or wanted another size in between and did not get it.
            write(tenant, new ShardAssignment(size, current), nowMillis);
            return;
        }
        int hopeless = exhausted.nextSetBit(0);
        if (hopeless >= 0 && size >= hopeless) {
            refuse(tenant, size, current, nowMillis);
            return;
        }
        answer(tenant, size, book.assign(tenant, size, seed), nowMillis);
    }

    private void answer(String tenant, int size, ShardResult answer, long nowMillis) {
        switch (answer) {
            case ShardResult.Assigned assigned ->
                write(tenant, new ShardAssignment(size, Optional.of(assigned.shard())), nowMillis);
            case ShardResult.Refused refused -> {
                exhausted.set(size);
                LOG.warn("No shard of {} slots for {}: {}; tenants go on without an assignment", size,
                        Printable.of(tenant), refused.reason().text());
                refuse(tenant, size, book.find(tenant), nowMillis);
            }
        }
    }

    /** It keeps what it has, if anything; the answer is written so that nobody asks on. */
    private void refuse(String tenant, int size, Optional<Shard> current, long nowMillis) {
        if (current.isPresent() || entries < maxTenants) {
            write(tenant, new ShardAssignment(size, current), nowMillis);
        }
    }

    private void release(String tenant, long nowMillis) {
        if (book.release(tenant).isPresent()) {
            exhausted.clear();
        }
        if (store.delete(Bytes.wrap(bytes(tenant))) != null) {
            entries--;
            context.forward(new Record<>(bytes(tenant), null, nowMillis));
        }
    }

    private void write(String tenant, ShardAssignment assignment, long nowMillis) {
        byte[] value = codec.encode(tenant, assignment);
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
        Optional<Shard> shard = codec.decode(value).shard();
        if (shard.isEmpty()) {
            return;
        }
        switch (book.restore(tenant, shard.get())) {
            case ShardRecord.Kept kept -> { }
            case ShardRecord.Conflicting conflicting -> { }
            case ShardRecord.Unfit unfit -> {
                LOG.warn("The assignment of {} is not used any more: {}", Printable.of(tenant), Printable.of(unfit.detail()));
                toMove.add(tenant);
            }
        }
    }

    private static byte[] bytes(String tenant) {
        return tenant.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }
}
