package io.spillway.kafka.view;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.schema.TenantDepth;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import org.apache.avro.generic.GenericRecord;

/**
 * Balances of all tenants, as published by the router: within about a second of a move, or later for small changes when
 * more than a thousand tenants change per second. Owner: the view's thread. Readers see a complete balance of each
 * tenant; sums over tenants may differ from them for a moment.
 */
public final class Depths extends ViewContent<Depth> {
    /**
     * Prefix of keys that belong to no tenant; the number of a ledger partition follows. The balance is the sum of the
     * partition's forgotten tenants.
     */
    private static final String FOLDED = "*";
    private static final RecordCodec<TenantDepth> CODEC = new RecordCodec<>(new TenantDepth());

    private final AtomicLongArray entered = new AtomicLongArray(ItemState.COUNT);
    private final AtomicLongArray left = new AtomicLongArray(ItemState.COUNT);
    private final AtomicLongArray folded = new AtomicLongArray(Topics.LEDGER_PARTITIONS);
    private final AtomicReferenceArray<TenantBalance> forgotten =
            new AtomicReferenceArray<>(Topics.LEDGER_PARTITIONS);
    /** Dead letters by reason, over all tenants; bounded by the number of reasons. */
    private final Map<DeadReason, Long> deadLetters = new ConcurrentHashMap<>();
    /** Dropped items by reason, over all tenants; bounded by the number of reasons. */
    private final Map<DropReason, Long> dropped = new ConcurrentHashMap<>();
    /** What came from each source, by its name; bounded by the sources that the queue ever had. */
    private final Map<String, Depth> sources = new ConcurrentHashMap<>();
    private volatile StoredIngress ingress = StoredIngress.EMPTY;
    private volatile long changedAtMillis;

    /** Returns the key of the progress mark of a ledger partition, with the sum of its forgotten tenants. */
    public static String foldedKey(int partition) {
        return FOLDED + partition;
    }

    /** Returns the encoded balance of a tenant, or of the forgotten tenants under a {@link #foldedKey}. */
    public static byte[] encode(String tenant, Depth depth) {
        TenantBalance balance = depth.balance();
        Map<String, Long> waiting = new HashMap<>();
        Map<String, Long> entered = new HashMap<>();
        for (ItemState state : ItemState.WAITING) {
            putUnlessZero(waiting, state, balance.in(state));
            putUnlessZero(entered, state, balance.entered(state));
        }
        putUnlessZero(entered, ItemState.DEAD_LETTER, balance.entered(ItemState.DEAD_LETTER));
        return CODEC.encode(new TenantDepth(
                tenant, balance.accepted(), waiting, entered, balance.in(ItemState.DONE), balance.in(ItemState.DROPPED),
                balance.in(ItemState.DEAD_LETTER), depth.rates().inPerSecond(), depth.rates().outPerSecond(),
                Instant.ofEpochMilli(depth.rates().atMillis()), depth.upTo(), depth.growing().usePerSecond(),
                depth.growing().limitPerSecond(),
                Instant.ofEpochMilli(depth.rates().cameAtMillis())));
    }

    private static void putUnlessZero(Map<String, Long> into, ItemState state, long count) {
        if (count != 0) {
            into.put(state.label(), count);
        }
    }

    /** @throws IllegalArgumentException if the bytes are not an encoded balance */
    public static Depth decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        Map<?, ?> waiting = (Map<?, ?>) record.get("waiting");
        Map<?, ?> enteredByName = (Map<?, ?>) record.get("entered");
        long[] entered = new long[ItemState.COUNT];
        long[] left = new long[ItemState.COUNT];
        for (ItemState state : ItemState.WAITING) {
            put(state, enteredByName, number(waiting, state), entered, left);
        }
        put(ItemState.DEAD_LETTER, enteredByName, (Long) record.get("deadLettered"), entered, left);
        entered[ItemState.DONE.ordinal()] = (Long) record.get("done");
        entered[ItemState.DROPPED.ordinal()] = (Long) record.get("dropped");
        left[ItemState.OUTSIDE.ordinal()] = (Long) record.get("accepted");
        long atMillis = (Long) record.get("at");
        long cameAtMillis = (Long) record.get("cameAt");
        FlowRates rates = new FlowRates(
                rate(record.get("inPerSecond")), rate(record.get("outPerSecond")), atMillis,
                cameAtMillis == 0 ? atMillis : cameAtMillis);
        GrowingLimit growing = new GrowingLimit(
                (Double) record.get("longTermPerSecond"), (Double) record.get("grownPerSecond"));
        return new Depth(TenantBalance.of(entered, left), rates, growing, (Long) record.get("upTo"));
    }

    private static void put(ItemState state, Map<?, ?> enteredByName, long in, long[] entered, long[] left) {
        entered[state.ordinal()] = number(enteredByName, state);
        left[state.ordinal()] = entered[state.ordinal()] - in;
    }

    private static double rate(Object value) {
        double rate = (Double) value;
        if (!(rate >= 0 && rate < 1e12)) {
            throw new IllegalArgumentException("invalid rate " + rate);
        }
        return rate;
    }

    /** The schema declares that map keys are read as Strings. */
    private static long number(Map<?, ?> byName, ItemState state) {
        return byName.get(state.label()) instanceof Long number ? number : 0;
    }

    /**
     * Returns the balance of a tenant; empty if it never had an item, was forgotten, or exceeds the limit of the view.
     */
    public Optional<Depth> of(String tenant) {
        return Optional.ofNullable(entries.get(tenant));
    }

    /** Returns the items of a tenant in all lanes, 0 or more; empty if {@link #of} is empty. */
    public OptionalLong waiting(String tenant) {
        Depth depth = entries.get(tenant);
        return depth == null ? OptionalLong.empty() : OptionalLong.of(Math.max(0, depth.balance().waiting()));
    }

    /** Returns when the newest entry was written, epoch milliseconds; 0 if none was. Every move causes an entry. */
    public long changedAtMillis() {
        return changedAtMillis;
    }

    /** Passes the balance of each tenant to the visitor. */
    public void forEach(BiConsumer<String, Depth> visitor) {
        entries.forEach(visitor);
    }

    /** Returns the items of all tenants in a state. */
    public long in(ItemState state) {
        return entered(state) - left(state);
    }

    /** Returns the items of all tenants that ever entered a state. */
    public long entered(ItemState state) {
        return entered.get(state.ordinal());
    }

    /** Returns the items of all tenants that ever left a state. */
    public long left(ItemState state) {
        return left.get(state.ordinal());
    }

    /** Returns the dead letters of all tenants with a reason, 0 or more. */
    public long deadLetters(DeadReason reason) {
        return Math.max(0, deadLetters.getOrDefault(reason, 0L));
    }

    /** Returns the items of all tenants that were ever dropped for a reason, 0 or more. */
    public long dropped(DropReason reason) {
        return dropped.getOrDefault(reason, 0L);
    }

    /** Returns what came from each source, by its name: only the counts of the route stage are in the balance. */
    public Map<String, Depth> sources() {
        return Collections.unmodifiableMap(sources);
    }

    /** Returns the account of ingress, empty until the router has published one. */
    public StoredIngress ingress() {
        return ingress;
    }

    /** Returns the offset of a ledger partition below which all entries are included in the balances; 0 if unknown. */
    public long foldedTo(int partition) {
        return folded.get(partition);
    }

    /** Returns the sum of the balances of tenants that were forgotten because they were idle. */
    public TenantBalance forgotten() {
        TenantBalance sum = TenantBalance.EMPTY;
        for (int partition = 0; partition < Topics.LEDGER_PARTITIONS; partition++) {
            sum = sum.plus(orEmpty(forgotten.get(partition)));
        }
        return sum;
    }

    private static TenantBalance orEmpty(TenantBalance balance) {
        return balance == null ? TenantBalance.EMPTY : balance;
    }

    @Override
    public void put(String key, byte[] value) {
        if (key.equals(LedgerOwner.INGRESS)) {
            ingress = StoredIngress.decode(value);
            return;
        }
        Depth depth = decode(value);
        changedAtMillis = Math.max(changedAtMillis, depth.rates().atMillis());
        if (key.startsWith(FOLDED)) {
            int partition = Integer.parseInt(key.substring(FOLDED.length()));
            if (partition < 0 || partition >= Topics.LEDGER_PARTITIONS) {
                throw new IllegalArgumentException("the ledger has no partition " + partition);
            }
            folded.set(partition, depth.upTo());
            addToSums(orEmpty(forgotten.getAndSet(partition, depth.balance())), depth.balance());
            return;
        }
        Optional<DeadReason> reason = LedgerOwner.deadReason(key);
        if (reason.isPresent()) {
            deadLetters.put(reason.get(), depth.balance().in(ItemState.DEAD_LETTER));
            return;
        }
        Optional<DropReason> drop = LedgerOwner.dropReason(key);
        if (drop.isPresent()) {
            dropped.put(drop.get(), depth.balance().in(ItemState.DROPPED));
            return;
        }
        Optional<String> source = LedgerOwner.source(key);
        if (source.isPresent()) {
            sources.put(source.get(), depth);
            return;
        }
        Depth before = entries.put(key, depth);
        addToSums(before == null ? TenantBalance.EMPTY : before.balance(), depth.balance());
    }

    @Override
    public void remove(String key) {
        Depth before = entries.remove(key);
        if (before != null) {
            addToSums(before.balance(), TenantBalance.EMPTY);
        }
        LedgerOwner.deadReason(key).ifPresent(deadLetters::remove);
        LedgerOwner.dropReason(key).ifPresent(dropped::remove);
        LedgerOwner.source(key).ifPresent(sources::remove);
    }

    @Override
    public boolean contains(String key) {
        return key.startsWith(FOLDED) || LedgerOwner.isNoTenant(key) || super.contains(key);
    }

    private void addToSums(TenantBalance before, TenantBalance now) {
        for (ItemState state : ItemState.values()) {
            entered.addAndGet(state.ordinal(), now.entered(state) - before.entered(state));
            left.addAndGet(state.ordinal(), now.left(state) - before.left(state));
        }
    }
}
