package io.spillway.router.ledger;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.GrowthRule;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.CommittedOffsetsCodec;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.router.stage.WakeUp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processor of the ledger fold: adds one ledger partition's entries to its tenants' balances.
 *
 * <p>A tenant's balance is written once, {@value #WRITE_AFTER_MILLIS} ms after its first change, so a ledger line costs
 * only an addition. When more tenants change than this allows, balances are written later and routing is not slowed:
 * every {@value #PAUSE_MILLIS} ms at most {@value #MOST_URGENT} tenants whose backlog changed much, which quotas and
 * alerts depend on, then at most {@value #MOST_AT_ONCE} of those changed longest ago.
 *
 * <p>Sums that are not written are lost with the task. Each balance therefore records the ledger offset up to which it
 * is complete, and a mark records the offset up to which all are, in the same transaction as the commit. A new task
 * reads the ledger from the mark to the commit ({@link LedgerGap}) and skips what a balance already contains. The
 * ledger is purged below the mark only.
 *
 * <p>After the clock was set back, what was changed in its future is due at once: nothing waits until that time has
 * come again.
 *
 * <p>The balance of an idle tenant is removed, and the mark's balance is the sum of those removed. It happens only when
 * the mark has passed the balance, because entries from the mark on are read again.
 *
 * <p>Owner: one stream thread. Bound: {@link #MOST_UNWRITTEN} tenants plus those of one entry; at the bound the tenants
 * changed longest ago are written at once.
 */
public final class FoldProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    static final long WRITE_AFTER_MILLIS = 1_000;
    static final int MOST_AT_ONCE = 125;
    static final int MOST_URGENT = 500;
    static final int MOST_UNWRITTEN = 100_000;
    /** A backlog change of this many items and of a tenth of the backlog is urgent. */
    static final int URGENT_ITEMS = 100;
    private static final int URGENT_PART = 10;
    static final long PAUSE_MILLIS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(FoldProcessor.class);
    /** Key of the mark in the store. No name of a tenant begins like this. */
    private static final Bytes MARK_KEY = Bytes.wrap(bytes("*"));
    private static final Bytes INGRESS_KEY = Bytes.wrap(bytes(LedgerOwner.INGRESS));

    private final LedgerGap gap;
    private final Function<String, Optional<GrowthRule>> growth;
    private final long idleMillis;
    /** By tenant, in the order of the first change. */
    private final Map<Bytes, UnwrittenBalance> unwritten = new LinkedHashMap<>();
    private IdleTenants idle;
    private IngressFold ingress;
    /** Tenants with an urgent change in order of detection, some maybe written already. Bounded as the class is. */
    private final Queue<UnwrittenBalance> urgent = new ArrayDeque<>();
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, byte[]> store;
    private WakeUp wakeUp;
    private long nextOffset;
    private long markedOffset;
    private long pausedUntilMillis;
    private long unreadable;

    /**
     * Creates the processor of one task.
     *
     * @param growth     supplies the growth rule of a tenant's limit, if it has one
     * @param idleMillis time after which the balance of a tenant without items is forgotten
     */
    public FoldProcessor(LedgerGap gap, Function<String, Optional<GrowthRule>> growth, long idleMillis) {
        this.gap = gap;
        this.growth = growth;
        this.idleMillis = idleMillis;
    }

    /** Also called again on the same processor after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], byte[]> processorContext) {
        context = processorContext;
        store = processorContext.getStateStore(Topics.BALANCE_STORE);
        wakeUp = new WakeUp(processorContext, this::onWakeUp);
        unwritten.clear();
        urgent.clear();
        byte[] mark = store.get(MARK_KEY);
        idle = new IdleTenants(idleMillis, mark == null ? TenantBalance.EMPTY : balance(mark).balance());
        ingress = new IngressFold(store.get(INGRESS_KEY));
        nextOffset = mark == null ? 0 : balance(mark).upTo();
        markedOffset = nextOffset;
        long nowMillis = processorContext.currentSystemTimeMs();
        pausedUntilMillis = nowMillis;
        gap.read(processorContext.taskId().partition(), nextOffset, (offset, value) -> add(offset, value, nowMillis));
        setWakeUp(nowMillis);
        scheduleForget(idle.firstPauseMillis(context.taskId().partition()));
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        add(context.recordMetadata().orElseThrow().offset(), record.value(), nowMillis);
        if (unwritten.size() > MOST_UNWRITTEN) {
            writeOldest(Math.max(MOST_AT_ONCE, unwritten.size() - MOST_UNWRITTEN), Long.MAX_VALUE, nowMillis);
        }
        setWakeUp(nowMillis);
    }

    private void add(long offset, byte[] entry, long nowMillis) {
        try {
            addEntry(offset, entry, nowMillis);
        } catch (IllegalArgumentException e) {
            // From another writer. The log interval doubles because there may be many.
            if (Long.bitCount(++unreadable) == 1) {
                LOG.error(
                        "Skipped an invalid ledger entry at offset {} ({} so far): {}."
                                + " Restrict write access to the ledger topic, and run routers of the latest release"
                                + " that writes to it.",
                        offset, unreadable, Printable.of(e.getMessage()));
            }
        }
        nextOffset = offset + 1;
    }

    private void addEntry(long offset, byte[] entry, long nowMillis) {
        if (entry == null) {
            throw new IllegalArgumentException("the entry has no value");
        } else if (CommittedOffsetsCodec.isOne(entry)) {
            ingress.add(offset, entry, nowMillis);
        } else {
            LedgerCodec.read(entry, (name, from, counts) -> {
                Bytes tenant = Bytes.wrap(bytes(name));
                UnwrittenBalance known = unwritten.get(tenant);
                UnwrittenBalance balance = known == null ? load(tenant, offset, nowMillis) : known;
                if (balance != null) {
                    addLine(balance, from, counts);
                }
            });
        }
    }

    /**
     * Decodes a balance of the store.
     *
     * @throws IllegalStateException if that is impossible. To go on without it would falsify the ledger
     */
    static Depth balance(byte[] stored) {
        try {
            return Depths.decode(stored);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("A balance in the ledger's store is of a later release, or damaged ("
                    + e.getMessage() + "). Start routers of that release again, or of the one before it, which reads"
                    + " both.", e);
        }
    }

    /** Loads a tenant's balance; null when it already contains the entry. */
    private UnwrittenBalance load(Bytes tenant, long offset, long nowMillis) {
        byte[] stored = store.get(tenant);
        Depth depth = stored == null
                ? new Depth(TenantBalance.EMPTY, FlowRates.startingAt(nowMillis), GrowingLimit.NONE, 0)
                : balance(stored);
        if (offset < depth.upTo()) {
            return null;
        }
        UnwrittenBalance added = new UnwrittenBalance(tenant, depth, offset, nowMillis);
        unwritten.put(tenant, added);
        return added;
    }

    private void addLine(UnwrittenBalance balance, ItemState from, long[] counts) {
        balance.count(from, counts);
        if (!balance.isUrgent && hasUrgentChange(balance) && urgent.size() < MOST_UNWRITTEN) {
            balance.isUrgent = true;
            urgent.add(balance);
        }
    }

    private static boolean hasUrgentChange(UnwrittenBalance balance) {
        long change = Math.abs(balance.waitingChange());
        return change >= URGENT_ITEMS && change >= Math.abs(balance.written.balance().waiting()) / URGENT_PART;
    }

    private void onWakeUp(long nowMillis) {
        writeUrgent(nowMillis);
        writeOldest(MOST_AT_ONCE, nowMillis - WRITE_AFTER_MILLIS, nowMillis);
        pausedUntilMillis = nowMillis + PAUSE_MILLIS;
        setWakeUp(nowMillis);
    }

    /** Writes urgent tenants in order. A tenant that is not due yet blocks the rest for less than its own wait. */
    private void writeUrgent(long nowMillis) {
        for (int written = 0; written < MOST_URGENT && !urgent.isEmpty(); ) {
            UnwrittenBalance next = urgent.element();
            if (unwritten.get(next.tenant) == next) {
                if (!isDue(next.sinceMillis, nowMillis - WRITE_AFTER_MILLIS, nowMillis)) {
                    return;
                }
                writeBalance(next, nowMillis);
                written++;
            }
            urgent.remove();
        }
    }

    /** Returns whether a change is from before a time, or from what is the future after the clock was set back. */
    private static boolean isDue(long sinceMillis, long beforeMillis, long nowMillis) {
        return sinceMillis <= beforeMillis || sinceMillis > nowMillis;
    }

    private void writeOldest(int most, long changedBeforeMillis, long nowMillis) {
        for (int written = 0; written < most && !unwritten.isEmpty(); written++) {
            UnwrittenBalance oldest = oldest();
            if (!isDue(oldest.sinceMillis, changedBeforeMillis, nowMillis)) {
                break;
            }
            writeBalance(oldest, nowMillis);
        }
        if (ingress.isChanged() && isDue(ingress.sinceMillis(), changedBeforeMillis, nowMillis)) {
            byte[] name = INGRESS_KEY.get();
            write(name, name, ingress.write(nextOffset, nowMillis - idleMillis, nowMillis), nowMillis);
        }
        long folded = ingress.foldedTo(unwritten.isEmpty() ? nextOffset : oldest().firstOffset);
        if (folded != markedOffset) {
            writeMark(folded, nowMillis);
        }
    }

    private UnwrittenBalance oldest() {
        return unwritten.values().iterator().next();
    }

    private void writeMark(long folded, long nowMillis) {
        Depth mark = new Depth(idle.sum(), FlowRates.startingAt(nowMillis), GrowingLimit.NONE, folded);
        String key = Depths.foldedKey(context.taskId().partition());
        write(MARK_KEY.get(), bytes(key), Depths.encode(key, mark), nowMillis);
        markedOffset = folded;
    }

    /** Once at a time, because an idle router commits after each punctuation. */
    private void scheduleForget(long inMillis) {
        Cancellable[] scheduled = new Cancellable[1];
        scheduled[0] = context.schedule(Duration.ofMillis(inMillis), PunctuationType.WALL_CLOCK_TIME, nowMillis -> {
            scheduled[0].cancel();
            forgetIdle(nowMillis);
            scheduleForget(idle.pauseMillis());
        });
    }

    private void forgetIdle(long nowMillis) {
        List<Bytes> tenants = idle.forget(store, (name, depth) -> depth.upTo() <= markedOffset
                && name[0] != MARK_KEY.get()[0]
                && !unwritten.containsKey(Bytes.wrap(name))
                && !LedgerOwner.isNoTenant(ascii(name))
                && depth.isIdle(idleMillis, nowMillis, growth.apply(ascii(name))));
        if (!tenants.isEmpty()) {
            writeMark(markedOffset, nowMillis);
            for (Bytes tenant : tenants) {
                store.delete(tenant);
                context.forward(new Record<>(tenant.get(), null, nowMillis));
            }
        }
    }

    private void writeBalance(UnwrittenBalance changed, long nowMillis) {
        byte[] name = changed.tenant.get();
        String tenant = ascii(name);
        Depth written = changed.written;
        TenantBalance before = written.balance();
        TenantBalance balance = changed.balance();
        if (balance.in(ItemState.DEAD_LETTER) < 0 && LedgerOwner.deadReason(tenant).isPresent()) {
            // A version that did not know the reason skipped entries of dead letters that are gone now.
            balance = TenantBalance.EMPTY;
        }
        FlowRates rates = written.rates();
        Depth depth = new Depth(
                balance, rates.after(balance.came() - before.came(), balance.went() - before.went(), nowMillis),
                rates.isSetBack(nowMillis) ? written.growing() : written.growing().after(
                        balance.accepted() - before.accepted(), Math.max(1, nowMillis - rates.atMillis()),
                        growth.apply(tenant)),
                nextOffset);
        write(name, name, Depths.encode(tenant, depth), nowMillis);
        unwritten.remove(changed.tenant);
    }

    private void write(byte[] storeKey, byte[] topicKey, byte[] value, long nowMillis) {
        store.put(Bytes.wrap(storeKey), value);
        context.forward(new Record<>(topicKey, value, nowMillis));
    }

    /** A new line does not shorten the pause, even if balances are overdue. */
    private void setWakeUp(long nowMillis) {
        long sinceMillis = Math.min(
                ingress.sinceMillis(), unwritten.isEmpty() ? Long.MAX_VALUE : oldest().sinceMillis);
        if (sinceMillis < Long.MAX_VALUE) {
            long dueMillis = sinceMillis + WRITE_AFTER_MILLIS;
            pausedUntilMillis = Math.min(pausedUntilMillis, nowMillis + PAUSE_MILLIS);
            wakeUp.set(Math.clamp(dueMillis, pausedUntilMillis, nowMillis + WRITE_AFTER_MILLIS), nowMillis);
        }
    }

    private static String ascii(byte[] name) {
        return new String(name, StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
