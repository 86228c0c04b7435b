package io.spillway.router;

import io.spillway.policy.Depth;
import io.spillway.policy.FlowRates;
import io.spillway.policy.GrowingLimit;
import io.spillway.policy.GrowthRule;
import io.spillway.policy.Place;
import io.spillway.policy.Printable;
import io.spillway.policy.TenantBooks;
import io.spillway.topic.DepthCodec;
import io.spillway.topic.LedgerCodec;
import io.spillway.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds one partition of the ledger into the books of its tenants.
 *
 * <p>Many small lines come, so a line costs no more than an addition: a tenant's books are written {@value #WRITE_AFTER_MILLIS}
 * ms after the first line that changes them, once, however many lines have come by then, and at most {@value #MOST_AT_ONCE}
 * tenants every {@value #PAUSE_MILLIS} ms: when more change, books are written later, not routing slower.
 *
 * <p>Kafka Streams commits in between, and what was only added up is gone when the task is. Hence with each tenant's books
 * stands up to where the ledger is in them, and with all of them up to where it is in everybody's, in one transaction with
 * the commits. A task that begins reads the ledger again from there to its commit ({@link LedgerGap}) and skips for each
 * tenant what is in its books already. Below the same mark the ledger is purged, and nowhere else.
 *
 * <p>Owned by one stream thread. Bound: {@link #MOST_UNWRITTEN} tenants; at the bound the longest changed are written at once.
 */
final class FoldProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    static final long WRITE_AFTER_MILLIS = 1_000;
    static final int MOST_AT_ONCE = 1_000;
    static final int MOST_UNWRITTEN = 100_000;
    static final long PAUSE_MILLIS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(FoldProcessor.class);
    /** The books of no tenant, where it stands up to where everybody's are written. */
    private static final Bytes FOLDED = Bytes.wrap(bytes("*"));

    private final LedgerGap gap;
    private final Function<String, Optional<GrowthRule>> growth;
    private final DepthCodec codec = new DepthCodec();
    /** By tenant, longest changed first. */
    private final Map<String, Changed> unwritten = new LinkedHashMap<>();
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;
    private Alarm alarm;
    private long nextOffset;
    private long unreadable;

    /**
     * Makes a stage.
     *
     * @param growth how the limit of a tenant grows, where it does
     */
    FoldProcessor(LedgerGap gap, Function<String, Optional<GrowthRule>> growth) {
        this.gap = gap;
        this.growth = growth;
    }

    /** Also called again on the same processor, after its task was found corrupted and its store was restored. */
    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        context = processorContext;
        store = processorContext.getStateStore(Topics.BOOKS_STORE);
        alarm = new Alarm(processorContext, this::onAlarm);
        unwritten.clear();
        byte[] folded = store.get(FOLDED);
        nextOffset = folded == null ? 0 : codec.decode(folded).upTo();
        long nowMillis = processorContext.currentSystemTimeMs();
        gap.read(processorContext.taskId().partition(), nextOffset, (offset, value) -> add(offset, value, nowMillis));
        setAlarm(nowMillis, 0);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        long offset = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("a record from a source always has its place"))
                .offset();
        add(offset, record.value(), nowMillis);
        if (unwritten.size() > MOST_UNWRITTEN) {
            write(MOST_AT_ONCE, Long.MAX_VALUE, nowMillis);
        }
        setAlarm(nowMillis, 0);
    }

    private void add(long offset, byte[] entry, long nowMillis) {
        try {
            if (entry == null) {
                throw new IllegalArgumentException("an entry without a value");
            }
            LedgerCodec.read(entry, (tenant, from, counts, at) -> addLine(tenant, from, counts, at, offset, nowMillis));
        } catch (IllegalArgumentException e) {
            // Written by somebody else: our own bytes are read back in tests. Seldom logged, for there may be many.
            if (Long.bitCount(++unreadable) == 1) {
                LOG.error("Passed over entry {} of the ledger ({} so far): {}", offset, unreadable, Printable.of(e.getMessage()));
            }
        }
        nextOffset = offset + 1;
    }

    private void addLine(String tenant, Place from, long[] counts, int at, long offset, long nowMillis) {
        Changed changed = unwritten.get(tenant);
        if (changed == null) {
            byte[] stored = store.get(Bytes.wrap(bytes(tenant)));
            Depth depth = stored == null
                    ? new Depth(TenantBooks.EMPTY, FlowRates.startingAt(nowMillis), GrowingLimit.NONE, 0)
                    : codec.decode(stored);
            if (offset < depth.upTo()) {
                return;
            }
            changed = new Changed(depth, offset, nowMillis);
            unwritten.put(tenant, changed);
        }
        changed.books = changed.books.plus(from, counts, at);
    }

    private void onAlarm(long nowMillis) {
        write(MOST_AT_ONCE, nowMillis - WRITE_AFTER_MILLIS, nowMillis);
        setAlarm(nowMillis, nowMillis + PAUSE_MILLIS);
    }

    /** Writes the books of those that have been changed for longest. */
    private void write(int most, long changedBeforeMillis, long nowMillis) {
        Iterator<Map.Entry<String, Changed>> oldest = unwritten.entrySet().iterator();
        int written = 0;
        while (oldest.hasNext() && written < most) {
            Map.Entry<String, Changed> next = oldest.next();
            if (next.getValue().sinceMillis > changedBeforeMillis) {
                break;
            }
            Depth depth = next.getValue().toDepth(nextOffset, nowMillis, growth.apply(next.getKey()));
            write(next.getKey(), depth, next.getKey(), nowMillis);
            oldest.remove();
            written++;
        }
        if (written > 0) {
            long folded = unwritten.isEmpty() ? nextOffset : unwritten.values().iterator().next().firstOffset;
            Depth mark = new Depth(TenantBooks.EMPTY, FlowRates.startingAt(nowMillis), GrowingLimit.NONE, folded);
            write("*", mark, DepthCodec.foldedKey(context.taskId().partition()), nowMillis);
        }
    }

    private void write(String storeKey, Depth depth, String topicKey, long nowMillis) {
        byte[] value = codec.encode(topicKey, depth);
        store.put(Bytes.wrap(bytes(storeKey)), value);
        context.forward(new Record<>(bytes(topicKey), value, nowMillis));
    }

    private void setAlarm(long nowMillis, long notBeforeMillis) {
        if (!unwritten.isEmpty()) {
            long dueMillis = unwritten.values().iterator().next().sinceMillis + WRITE_AFTER_MILLIS;
            alarm.set(Math.max(dueMillis, notBeforeMillis), nowMillis);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The books of a tenant that has moved since they were written. */
    private static final class Changed {
        private final Depth written;
        private final long firstOffset;
        private final long sinceMillis;
        private TenantBooks books;

        Changed(Depth written, long firstOffset, long sinceMillis) {
            this.written = written;
            this.firstOffset = firstOffset;
            this.sinceMillis = sinceMillis;
            this.books = written.books();
        }

        Depth toDepth(long upTo, long nowMillis, Optional<GrowthRule> growth) {
            TenantBooks before = written.books();
            long millis = Math.max(1, nowMillis - written.rates().atMillis());
            return new Depth(
                    books,
                    written.rates().after(books.came() - before.came(), books.went() - before.went(), nowMillis),
                    written.growing().after(books.accepted() - before.accepted(), millis, growth),
                    upTo);
        }
    }
}
