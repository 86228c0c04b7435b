package io.spillway.kafka.view;

import io.spillway.core.routing.RoutingRules;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.SweepMark;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/** Latest completed sweep of each tenant. Owner: the view's thread; readers see only complete sweeps. */
public final class Sweeps extends ViewContent<Sweep> {
    private static final RecordCodec<SweepMark> CODEC = new RecordCodec<>(new SweepMark());

    /** Returns the encoded mark of a completed sweep of a tenant, or of all with {@code *}. */
    public static byte[] encode(String tenant, String sweepId, Sweep sweep) {
        return CODEC.encode(new SweepMark(tenant, sweepId, Instant.ofEpochMilli(sweep.startedAtMillis()),
                Instant.ofEpochMilli(sweep.completedAtMillis())));
    }

    /**
     * Returns the decoded sweep; empty while it runs.
     *
     * @throws IllegalArgumentException if the bytes are not a mark
     */
    public static Optional<Sweep> decode(byte[] bytes) {
        GenericRecord mark = CODEC.decode(bytes);
        return Optional.ofNullable((Long) mark.get("completedAt"))
                .map(completedAt -> new Sweep((Long) mark.get("startedAt"), completedAt));
    }

    /** Returns the time before which items of a tenant are covered, or {@link RoutingRules#NO_SWEEP_MILLIS}. */
    public long coveredBeforeMillis(String tenant, long nowMillis) {
        return Math.max(startOf(tenant, nowMillis), startOf(ALL_TENANTS, nowMillis));
    }

    /** Returns the sweeps in force, by tenant or {@code *}; a copy. */
    public SortedMap<String, Sweep> all() {
        return new TreeMap<>(entries);
    }

    @Override
    public void put(String key, byte[] value) {
        // A running sweep covers nothing yet, and one that started earlier adds nothing.
        decode(value).ifPresent(sweep -> entries.merge(
                key, sweep, (a, b) -> b.startedAtMillis() >= a.startedAtMillis() ? b : a));
    }

    private long startOf(String key, long nowMillis) {
        Sweep sweep = entries.get(key);
        return sweep == null ? RoutingRules.NO_SWEEP_MILLIS : sweep.coveredBeforeMillis(nowMillis);
    }
}
