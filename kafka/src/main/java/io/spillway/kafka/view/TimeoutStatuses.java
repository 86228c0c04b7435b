package io.spillway.kafka.view;

import io.spillway.core.retry.AttemptTimeouts.TenantStats;
import io.spillway.core.retry.TimeoutStats;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.TenantTimeouts;
import io.spillway.schema.WorkerTimeouts;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/**
 * Latest durations and timeouts of attempts from each worker, by tenant. Each worker learns from its own attempts, so
 * the numbers of several workers are not merged. Owner: the view's thread; readers see only complete statuses. A status
 * counts for {@value #ALIVE_MILLIS} ms after its publication. Bound: {@value #MOST_TENANTS} tenants of each worker.
 */
public final class TimeoutStatuses extends InstanceStatuses<Map<String, TimeoutStats>> {
    /** Most tenants in one status, about 100 bytes each. */
    public static final int MOST_TENANTS = 500;
    /** Interval at which a worker publishes its status even if nothing has changed. */
    public static final long REPEAT_MILLIS = 60_000;
    static final long ALIVE_MILLIS = 5 * REPEAT_MILLIS;

    private final RecordCodec<WorkerTimeouts> codec = new RecordCodec<>(new WorkerTimeouts());

    /** Creates empty content; the clock measures the age of statuses. */
    public TimeoutStatuses(InstantSource clock) {
        super(ALIVE_MILLIS, clock);
    }

    /** Returns the encoded status of a worker at this moment, of at most {@value #MOST_TENANTS} tenants. */
    public byte[] encode(String worker, List<TenantStats> tenants) {
        return codec.encode(new WorkerTimeouts(
                worker, Instant.ofEpochMilli(clock.millis()), tenants.stream().map(TimeoutStatuses::row).toList()));
    }

    /** Returns the latest statistics of a tenant from each live worker that has some, by the name of the worker. */
    public Map<String, TimeoutStats> of(String tenant) {
        Map<String, TimeoutStats> byWorker = new TreeMap<>();
        entries.keySet().forEach(worker -> latest(worker::equals).stream()
                .filter(tenants -> tenants.containsKey(tenant))
                .forEach(tenants -> byWorker.put(worker, tenants.get(tenant))));
        return byWorker;
    }

    @Override
    public void put(String key, byte[] value) {
        GenericRecord record = codec.decode(value);
        List<?> published = (List<?>) record.get("tenants");
        if (published.size() > MOST_TENANTS) {
            throw new IllegalArgumentException(published.size() + " tenants; the limit is " + MOST_TENANTS);
        }
        Map<String, TimeoutStats> tenants = new HashMap<>();
        published.forEach(element -> {
            GenericRecord row = (GenericRecord) element;
            tenants.put(row.get("tenant").toString(), stats(row));
        });
        update(key, Map.copyOf(tenants), Math.min((Long) record.get("at"), clock.millis()));
    }

    private static TenantTimeouts row(TenantStats tenant) {
        TimeoutStats stats = tenant.stats();
        return new TenantTimeouts(
                tenant.tenant(), stats.samples(), stats.p50Millis(), stats.p99Millis(), stats.p999Millis(),
                stats.attempts(), stats.timedOut(), (long) stats.timeoutsInRow(), stats.autoMillis(),
                stats.usualMillis(), stats.unavailable());
    }

    private static TimeoutStats stats(GenericRecord row) {
        return new TimeoutStats(
                number(row, "samples"), millis(row, "p50"), millis(row, "p99"), millis(row, "p999"),
                number(row, "attempts"), number(row, "timedOut"),
                (int) Math.min(Integer.MAX_VALUE, number(row, "timeoutsInRow")), number(row, "auto"),
                number(row, "applied"), (Boolean) row.get("unavailable"));
    }

    private static long number(GenericRecord row, String field) {
        return (long) checked(field, (Long) row.get(field));
    }

    private static double millis(GenericRecord row, String field) {
        return checked(field, (Double) row.get(field));
    }

    private static double checked(String field, double number) {
        if (!(number >= 0 && number < 1e15)) {
            throw new IllegalArgumentException("invalid " + field + " " + number);
        }
        return number;
    }
}
