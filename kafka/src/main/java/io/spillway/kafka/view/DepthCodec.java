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

/** Tenants' books as they lie in their topic and in the store of the stage that keeps them. Not thread-safe. */
public final class DepthCodec {
    /** First character of keys that are of no tenant: the number of a partition of the ledger follows. */
    static final String FOLDED = "*";

    private final RecordCodec<TenantDepth> codec = new RecordCodec<>(new TenantDepth());

    /** The key under which it is written how far a partition of the ledger is folded. */
    public static String foldedKey(int partition) {
        return FOLDED + partition;
    }

    /**
     * The bytes of a tenant's books.
     *
     * @param tenant or a {@link #foldedKey}
     */
    public byte[] encode(String tenant, Depth depth) {
        TenantBalance books = depth.books();
        Map<String, Long> waiting = new HashMap<>();
        Map<String, Long> entered = new HashMap<>();
        for (ItemState place : ItemState.WAITING) {
            putUnlessZero(waiting, place, books.in(place));
            putUnlessZero(entered, place, books.entered(place));
        }
        putUnlessZero(entered, ItemState.DEAD_LETTER, books.entered(ItemState.DEAD_LETTER));
        return codec.encode(new TenantDepth(
                tenant, books.accepted(), waiting, entered, books.in(ItemState.DONE), books.in(ItemState.DROPPED),
                books.in(ItemState.DEAD_LETTER), depth.rates().inPerSecond(), depth.rates().outPerSecond(),
                Instant.ofEpochMilli(depth.rates().atMillis()), depth.upTo(), depth.growing().usePerSecond(),
                depth.growing().limitPerSecond()));
    }

    /**
     * The books in these bytes.
     *
     * @throws IllegalArgumentException when there are none
     */
    public Depth decode(byte[] bytes) {
        GenericRecord record = codec.decode(bytes);
        Map<?, ?> waiting = (Map<?, ?>) record.get("waiting");
        Map<?, ?> enteredByName = (Map<?, ?>) record.get("entered");
        long[] entered = new long[ItemState.COUNT];
        long[] left = new long[ItemState.COUNT];
        for (ItemState place : ItemState.WAITING) {
            put(place, enteredByName, number(waiting, place), entered, left);
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

    private static void putUnlessZero(Map<String, Long> into, ItemState place, long count) {
        if (count != 0) {
            into.put(place.label(), count);
        }
    }

    private static void put(ItemState place, Map<?, ?> enteredByName, long in, long[] entered, long[] left) {
        entered[place.ordinal()] = number(enteredByName, place);
        left[place.ordinal()] = entered[place.ordinal()] - in;
    }

    private static double rate(Object value) {
        double rate = (Double) value;
        if (!(rate >= 0 && rate < 1e12)) {
            throw new IllegalArgumentException("a rate of " + rate);
        }
        return rate;
    }

    /** The schema has its names read as Strings. */
    private static long number(Map<?, ?> byName, ItemState place) {
        return byName.get(place.label()) instanceof Long number ? number : 0;
    }
}
