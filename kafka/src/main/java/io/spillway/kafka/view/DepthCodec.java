package io.spillway.kafka.view;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.TenantDepth;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/**
 * Codec of tenants' balances in their topic and in the router's store. Decoding throws {@link IllegalArgumentException}
 * for invalid bytes. Not thread-safe.
 */
public final class DepthCodec {
    /** Prefix of keys that belong to no tenant; the number of a ledger partition follows. */
    static final String FOLDED = "*";

    private final RecordCodec<TenantDepth> codec = new RecordCodec<>(new TenantDepth());

    /** Returns the key of the progress mark of a ledger partition. */
    public static String foldedKey(int partition) {
        return FOLDED + partition;
    }

    /** Returns the encoded balance of a tenant or of a {@link #foldedKey}. */
    public byte[] encode(String tenant, Depth depth) {
        TenantBalance balance = depth.balance();
        Map<String, Long> waiting = new HashMap<>();
        Map<String, Long> entered = new HashMap<>();
        for (ItemState state : ItemState.WAITING) {
            putUnlessZero(waiting, state, balance.in(state));
            putUnlessZero(entered, state, balance.entered(state));
        }
        putUnlessZero(entered, ItemState.DEAD_LETTER, balance.entered(ItemState.DEAD_LETTER));
        return codec.encode(new TenantDepth(
                tenant, balance.accepted(), waiting, entered, balance.in(ItemState.DONE), balance.in(ItemState.DROPPED),
                balance.in(ItemState.DEAD_LETTER), depth.rates().inPerSecond(), depth.rates().outPerSecond(),
                Instant.ofEpochMilli(depth.rates().atMillis()), depth.upTo(), depth.growing().usePerSecond(),
                depth.growing().limitPerSecond()));
    }

    /** Returns the decoded balance. */
    public Depth decode(byte[] bytes) {
        GenericRecord record = codec.decode(bytes);
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
        FlowRates rates = new FlowRates(
                rate(record.get("inPerSecond")), rate(record.get("outPerSecond")), (Long) record.get("at"));
        GrowingLimit growing = new GrowingLimit(
                (Double) record.get("longTermPerSecond"), (Double) record.get("grownPerSecond"));
        return new Depth(TenantBalance.of(entered, left), rates, growing, (Long) record.get("upTo"));
    }

    private static void putUnlessZero(Map<String, Long> into, ItemState state, long count) {
        if (count != 0) {
            into.put(state.label(), count);
        }
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
}
