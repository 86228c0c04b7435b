package io.spillway.router.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.item.Printable;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.GrowthRule;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.DepthCodec;
import io.spillway.router.stage.WakeUp;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
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
 * ms after the first line that changes them, once, however many lines have come by then. When more tenants change than that
 * allows, books are written later, not routing slower: every {@value #PAUSE_MILLIS} ms at most {@value #MOST_AT_ONCE} of those
 * that have changed for longest, and before them at most {@value #MOST_URGENT} whose backlog has changed by a lot, since it is
 * they whom somebody holds back or wakes an operator for.
 *
 * <p>Kafka Streams commits in between, and what was only added up is gone when the task is. Hence with each tenant's books
 * stands up to where the ledger is in them, and with all of them up to where it is in everybody's, in one transaction with
 * the commits. A task that begins reads the ledger again from there to its commit ({@link LedgerGap}) and skips for each
 * tenant what is in its books already. Below the same mark the ledger is purged, and nowhere else.
 *
 * <p>Owned by one stream thread. Bound: {@link #MOST_UNWRITTEN} tenants and those of one entry; at the bound the longest
 * changed are written at once, however many an entry brings.
 */
public final class FoldProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    static final long WRITE_AFTER_MILLIS = 1_000;
    static final int MOST_AT_ONCE = 125;
    static final int MOST_URGENT = 500;
    static final int MOST_UNWRITTEN = 100_000;
    /** A backlog that has changed by so many items, and by a tenth, has changed by a lot. */
    static final int URGENT_ITEMS = 100;
    private static final int URGENT_PART = 10;
    static final long PAUSE_MILLIS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(FoldProcessor.class);
    /** The books of no tenant, where it stands up to where everybody's are written. */
    private static final Bytes FOLDED = Bytes.wrap(bytes("*"));

    private final LedgerGap gap;
    private final Function<String, Optional<GrowthRule>> growth;
    private final DepthCodec codec = new DepthCodec();
    private final UnwrittenBalances unwritten;
    /** Tenants whose backlog has changed by a lot, by when that was noticed; some are written by now. At the bound the next are not. */
    private final ArrayDeque<byte[]> urgent = new ArrayDeque<>();
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;
    private WakeUp alarm;
    private long nextOffset;
    private long markedOffset;
    private long pausedUntilMillis;
    private long unreadable;

    /**
     * Makes a stage.
     *
     * @param growth how the limit of a tenant grows, where it does
     * @param seed   of the table of tenants; nobody who can name a tenant should know it
     */
    public FoldProcessor(LedgerGap gap, Function<String, Optional<GrowthRule>> growth, long seed) {
        this.gap = gap;
        this.growth = growth;
        this.unwritten = new UnwrittenBalances(seed);
    }

    /** Also called again on the same processor, after its task was found corrupted and its store was restored. */
    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        context = processorContext;
        store = processorContext.getStateStore(Topics.BOOKS_STORE);
        alarm = new WakeUp(processorContext, this::onAlarm);
        unwritten.clear();
        urgent.clear();
        byte[] folded = store.get(FOLDED);
        nextOffset = folded == null ? 0 : codec.decode(folded).upTo();
        markedOffset = nextOffset;
        long nowMillis = processorContext.currentSystemTimeMs();
        pausedUntilMillis = nowMillis;
        gap.read(processorContext.taskId().partition(), nextOffset, (offset, value) -> add(offset, value, nowMillis));
        setAlarm(nowMillis);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        long offset = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("a record from a source always has its place"))
                .offset();
        add(offset, record.value(), nowMillis);
        if (unwritten.size() > MOST_UNWRITTEN) {
            writeOldest(Math.max(MOST_AT_ONCE, unwritten.size() - MOST_UNWRITTEN), Long.MAX_VALUE, nowMillis);
        }
        setAlarm(nowMillis);
    }

    private void add(long offset, byte[] entry, long nowMillis) {
        try {
            if (entry == null) {
                throw new IllegalArgumentException("an entry without a value");
            }
            LedgerCodec.read(entry, (bytes, nameAt, length, from, counts, at) -> {
                int row = unwritten.find(bytes, nameAt, length);
                if (row == UnwrittenBalances.NONE) {
                    row = takeIn(Arrays.copyOfRange(bytes, nameAt, nameAt + length), offset, nowMillis);
                }
                if (row != UnwrittenBalances.NONE) {
                    addLine(row, from, counts, at);
                }
            });
        } catch (IllegalArgumentException e) {
            // Written by somebody else: our own bytes are read back in tests. Seldom logged, for there may be many.
            if (Long.bitCount(++unreadable) == 1) {
                LOG.error("Passed over entry {} of the ledger ({} so far): {}", offset, unreadable, Printable.of(e.getMessage()));
            }
        }
        nextOffset = offset + 1;
    }

    /** The row of a tenant whose books have not moved yet, or none when the entry is in them. */
    private int takeIn(byte[] tenant, long offset, long nowMillis) {
        byte[] stored = store.get(Bytes.wrap(tenant));
        Depth depth = stored == null
                ? new Depth(TenantBalance.EMPTY, FlowRates.startingAt(nowMillis), GrowingLimit.NONE, 0)
                : codec.decode(stored);
        return offset < depth.upTo() ? UnwrittenBalances.NONE : unwritten.add(tenant, depth, offset, nowMillis);
    }

    private void addLine(int row, ItemState from, long[] counts, int at) {
        unwritten.count(row, from, counts, at);
        if (!unwritten.isUrgent(row) && hasChangedALot(row) && urgent.size() < MOST_UNWRITTEN) {
            unwritten.markUrgent(row);
            urgent.add(unwritten.tenant(row));
        }
    }

    private boolean hasChangedALot(int row) {
        long change = Math.abs(unwritten.moreWaiting(row));
        return change >= URGENT_ITEMS && change >= Math.abs(unwritten.written(row).books().waiting()) / URGENT_PART;
    }

    private void onAlarm(long nowMillis) {
        writeUrgent(nowMillis);
        writeOldest(MOST_AT_ONCE, nowMillis - WRITE_AFTER_MILLIS, nowMillis);
        pausedUntilMillis = nowMillis + PAUSE_MILLIS;
        setAlarm(nowMillis);
    }

    /** In their order; one that is not due yet keeps the rest waiting for less than it waits itself. */
    private void writeUrgent(long nowMillis) {
        for (int written = 0; written < MOST_URGENT && !urgent.isEmpty(); ) {
            byte[] tenant = urgent.peek();
            int row = unwritten.find(tenant, 0, tenant.length);
            if (row != UnwrittenBalances.NONE && unwritten.isUrgent(row)) {
                if (unwritten.sinceMillis(row) > nowMillis - WRITE_AFTER_MILLIS) {
                    return;
                }
                writeBooks(row, nowMillis);
                written++;
            }
            urgent.remove();
        }
    }

    /** Writes the books of those that have been changed for longest, and how far all books are written. */
    private void writeOldest(int most, long changedBeforeMillis, long nowMillis) {
        for (int written = 0; !unwritten.isEmpty() && written < most; written++) {
            int row = unwritten.oldest();
            if (unwritten.sinceMillis(row) > changedBeforeMillis) {
                break;
            }
            writeBooks(row, nowMillis);
        }
        long folded = unwritten.isEmpty() ? nextOffset : unwritten.firstOffset(unwritten.oldest());
        if (folded != markedOffset) {
            Depth mark = new Depth(TenantBalance.EMPTY, FlowRates.startingAt(nowMillis), GrowingLimit.NONE, folded);
            String key = DepthCodec.foldedKey(context.taskId().partition());
            write(FOLDED.get(), bytes(key), codec.encode(key, mark), nowMillis);
            markedOffset = folded;
        }
    }

    /** Writes the books of a tenant, whose row is gone then. */
    private void writeBooks(int row, long nowMillis) {
        byte[] name = unwritten.tenant(row);
        String tenant = new String(name, StandardCharsets.US_ASCII);
        Depth written = unwritten.written(row);
        TenantBalance before = written.books();
        TenantBalance books = unwritten.books(row);
        long millis = Math.max(1, nowMillis - written.rates().atMillis());
        Depth depth = new Depth(
                books,
                written.rates().after(books.came() - before.came(), books.went() - before.went(), nowMillis),
                written.growing().after(books.accepted() - before.accepted(), millis, growth.apply(tenant)),
                nextOffset);
        write(name, name, codec.encode(tenant, depth), nowMillis);
        unwritten.remove(row);
    }

    private void write(byte[] storeKey, byte[] topicKey, byte[] value, long nowMillis) {
        store.put(Bytes.wrap(storeKey), value);
        context.forward(new Record<>(topicKey, value, nowMillis));
    }

    /** Lines that come within a pause do not shorten it: there may be books that are overdue. */
    private void setAlarm(long nowMillis) {
        if (!unwritten.isEmpty()) {
            long dueMillis = unwritten.sinceMillis(unwritten.oldest()) + WRITE_AFTER_MILLIS;
            alarm.set(Math.max(dueMillis, pausedUntilMillis), nowMillis);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
