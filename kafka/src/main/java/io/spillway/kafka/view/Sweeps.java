package io.spillway.kafka.view;

import io.spillway.core.routing.Cancel;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.Sweep;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.SweepMark;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.avro.generic.GenericRecord;

/**
 * Last completed sweep and last cancel of each target.
 *
 * <p>Owner: the view's thread; readers see only complete marks. Bound per tenant: {@link #MAX_WORKLOADS} and
 * {@link #MAX_CANCELS}; further marks are refused.
 */
public final class Sweeps extends ViewContent<Sweeps.Mark> {
    /** Most workloads of a tenant that have a sweep of their own. */
    public static final int MAX_WORKLOADS = 100;
    /** Most cancels of a tenant that are in force. */
    public static final int MAX_CANCELS = 1_000;

    private static final RecordCodec<SweepMark> CODEC = new RecordCodec<>(new SweepMark());
    private static final String SWEEP = "sweep";
    private static final String CANCEL = "cancel";

    /** Numbers of marks by tenant. */
    private final Map<String, Integer> sweeps = new ConcurrentHashMap<>();
    private final Map<String, Integer> cancels = new ConcurrentHashMap<>();

    /**
     * Sweep or cancel in force.
     *
     * @param id    of the sweep or cancel in the systems of its users
     * @param times of a cancel: start is the time before which items are covered, completion when it was recorded
     */
    public record Mark(SweepTarget target, String id, Sweep times) {
        /** Returns whether it is a sweep, or a cancel that is not over. */
        public boolean isInForce(long nowMillis) {
            return !target.isCancel() || cancel().isInForce(nowMillis);
        }

        /**
         * Returns a mark that covers what this one and an earlier one of its target cover, for writers: of the two
         * records, compaction keeps this one alone.
         */
        public Mark over(Mark earlier) {
            if (earlier.times.startedAtMillis() <= times.startedAtMillis()) {
                return this;
            }
            return !target.isCancel() ? earlier : new Mark(target, id, new Sweep(earlier.times.startedAtMillis(),
                    Math.max(earlier.times.completedAtMillis(), times.completedAtMillis())));
        }

        Cancel cancel() {
            return new Cancel(times.startedAtMillis(), times.completedAtMillis());
        }
    }

    /** Returns the encoded mark of a completed sweep of a tenant, or of all with {@code *}. */
    public static byte[] encode(String tenant, String sweepId, Sweep sweep) {
        return encode(new Mark(SweepTarget.of(tenant), sweepId, sweep));
    }

    /** Returns the encoded mark, for the record with the key of its target. */
    public static byte[] encode(Mark mark) {
        SweepTarget target = mark.target();
        return CODEC.encode(new SweepMark(target.tenant(), mark.id(),
                Instant.ofEpochMilli(mark.times().startedAtMillis()),
                Instant.ofEpochMilli(mark.times().completedAtMillis()), target.isCancel() ? CANCEL : SWEEP,
                target.workload(), target.itemId()));
    }

    /**
     * Returns the decoded mark; empty while the sweep runs.
     *
     * @throws IllegalArgumentException if the bytes are not a mark
     */
    public static Optional<Mark> decode(byte[] bytes) {
        GenericRecord mark = CODEC.decode(bytes);
        String kind = mark.get("kind").toString();
        if (!kind.equals(SWEEP) && !kind.equals(CANCEL)) {
            throw new IllegalArgumentException("kind " + Printable.of(kind));
        }
        SweepTarget target = new SweepTarget(kind.equals(CANCEL), mark.get("tenant").toString(),
                mark.get("workload").toString(), mark.get("itemId").toString());
        return Optional.ofNullable((Long) mark.get("completedAt")).map(completedAt -> new Mark(
                target, mark.get("sweepId").toString(), new Sweep((Long) mark.get("startedAt"), completedAt)));
    }

    /**
     * Returns the time before which items of a workload are covered, or {@link ItemEnds#NO_SWEEP_MILLIS}.
     *
     * @param workload     empty for none
     * @param marginMillis as for {@link Sweep#coveredBeforeMillis}
     */
    public long coveredBeforeMillis(String tenant, String workload, long marginMillis, long nowMillis) {
        return Math.max(
                coveredBefore(tenant, workload, marginMillis, nowMillis),
                coveredBefore(ALL_TENANTS, workload, marginMillis, nowMillis));
    }

    /** Allocates nothing for a tenant without sweeps. */
    private long coveredBefore(String tenant, String workload, long marginMillis, long nowMillis) {
        long coveredMillis = ItemEnds.NO_SWEEP_MILLIS;
        if (sweeps.containsKey(tenant)) {
            for (String part : workload.isEmpty() ? List.of("") : List.of("", workload)) {
                Mark sweep = entries.get(new SweepTarget(false, tenant, part, "").key());
                if (sweep != null) {
                    coveredMillis = Math.max(
                            coveredMillis, sweep.times().coveredBeforeMillis(marginMillis, nowMillis));
                }
            }
        }
        return coveredMillis;
    }

    /** Returns whether a tenant has a cancel: if not, none of its items is cancelled. Allocates nothing. */
    public boolean hasCancels(String tenant) {
        return cancels.containsKey(tenant);
    }

    /**
     * Returns whether a cancel covers an item.
     *
     * @param enteredAtMillis time at which the broker appended it to ingress
     * @param id              of the item; called only if no cancel covers all items of the tenant or the workload
     */
    public boolean isCancelled(
            String tenant, String workload, long enteredAtMillis, long nowMillis, Supplier<String> id) {
        return isCancelled(tenant, workload, "", enteredAtMillis, nowMillis)
                || isCancelled(tenant, workload, id.get(), enteredAtMillis, nowMillis);
    }

    private boolean isCancelled(String tenant, String workload, String id, long enteredAtMillis, long nowMillis) {
        for (String part : workload.isEmpty() ? List.of("") : List.of("", workload)) {
            Mark mark = entries.get(new SweepTarget(true, tenant, part, id).key());
            if (mark != null && mark.cancel().covers(enteredAtMillis, nowMillis)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the mark of a target; empty if it has none. */
    public Optional<Mark> of(SweepTarget target) {
        return Optional.ofNullable(entries.get(target.key()));
    }

    /** Returns the marks, by key; a copy. */
    public SortedMap<String, Mark> all() {
        return new TreeMap<>(entries);
    }

    @Override
    public void put(String key, byte[] value) {
        Optional<Mark> mark = decode(value);
        if (mark.isEmpty()) {
            // A running sweep covers nothing yet, also after compaction has removed the one before.
            remove(key);
            return;
        }
        SweepTarget target = mark.get().target();
        if (!target.key().equals(key)) {
            throw new IllegalArgumentException("the mark is of " + Printable.of(target.key()));
        }
        Map<String, Integer> counts = counts(target);
        // One more sweep, of the whole tenant.
        int most = target.isCancel() ? MAX_CANCELS : MAX_WORKLOADS + 1;
        if (!entries.containsKey(key)) {
            if (counts.getOrDefault(target.tenant(), 0) >= most) {
                throw new IllegalArgumentException("the tenant has " + most + " already");
            }
            counts.merge(target.tenant(), 1, Integer::sum);
        }
        entries.put(key, mark.get());
    }

    @Override
    int maxKeyBytes() {
        return SweepTarget.MAX_KEY_BYTES;
    }

    @Override
    public void remove(String key) {
        Mark mark = entries.remove(key);
        if (mark != null) {
            counts(mark.target()).computeIfPresent(
                    mark.target().tenant(), (tenant, count) -> count == 1 ? null : count - 1);
        }
    }

    private Map<String, Integer> counts(SweepTarget target) {
        return target.isCancel() ? cancels : sweeps;
    }
}
