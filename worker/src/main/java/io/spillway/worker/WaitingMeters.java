package io.spillway.worker;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.engine.EngineItem;
import io.spillway.core.item.Lane;
import io.spillway.kafka.metrics.TenantMeters;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Meters of items that wait for their first attempt. They come from what waits and not from attempts, so they rise when
 * no attempt begins. The tenants that wait longest have series of their own.
 *
 * <p>Owners: one thread calls {@link #measure}, one {@link #unread} and {@link #elect}; handler threads call {@link
 * #started}, and any thread reads the gauges. Bounds: the items in memory, {@code tenants} named ones, and {@value
 * #MOST_LATE} tenants of late starts in each lane.
 */
final class WaitingMeters {
    private static final int MOST_LATE = 10_000;
    /** A tenant stays late for this long after a late start, longer than the time between two scrapes. */
    private static final long LATE_START_MILLIS = 60_000;

    private final InstantSource clock;
    private final long lateAfterMillis;
    private final TenantMeters<List<Gauge>> meters;
    private final Map<Lane, Map<String, Long>> lateStartMillis = new EnumMap<>(Lane.class);
    private final Map<Lane, Long> unreadMillis = new ConcurrentHashMap<>();
    private volatile Map<Lane, Map<String, Long>> sinceMillis = Map.of();

    /**
     * Registers the meters.
     *
     * @param tenants   maximum number of tenants with series of their own
     * @param lateAfter age at which an item without an attempt makes its tenant late
     */
    WaitingMeters(MeterRegistry registry, int tenants, Duration lateAfter, InstantSource clock) {
        this.clock = clock;
        this.lateAfterMillis = lateAfter.toMillis();
        this.meters = new TenantMeters<>(
                tenants, tenant -> gauges(tenant, registry), gauges -> gauges.forEach(registry::remove));
        for (Lane lane : Lane.WORKED) {
            lateStartMillis.put(lane, new ConcurrentHashMap<>());
            Gauge.builder("spillway.tenants.late", () -> late(lane))
                    .description("Tenants with an item in this worker that is older than worker.lateAfter and not"
                            + " attempted, or was when its first attempt began in the last minute")
                    .tag("lane", lane.label()).register(registry);
        }
    }

    /** Sets since when the oldest item of each lane and tenant waits, epoch milliseconds. */
    void measure(Map<Lane, Map<String, Long>> nowSinceMillis) {
        long nowMillis = clock.millis();
        sinceMillis = nowSinceMillis;
        nowSinceMillis.values().forEach(lane -> lane.forEach(
                (tenant, since) -> meters.of(tenant, 1 + Math.max(0, nowMillis - since) / 1_000)));
        lateStartMillis.values().forEach(lane ->
                lane.values().removeIf(atMillis -> Math.abs(nowMillis - atMillis) > LATE_START_MILLIS));
    }

    /** Sets for how long an item of a lane has been unread that this worker must read; 0 for none. */
    void unread(Lane lane, long millis) {
        unreadMillis.put(lane, millis);
    }

    /** Records the start of an attempt. */
    void started(LaneItem item, long nowMillis) {
        if (item.waitsSinceMillis() != EngineItem.ATTEMPTED && nowMillis - item.waitsSinceMillis() > lateAfterMillis) {
            Map<String, Long> late = lateStartMillis.get(item.lane());
            if (late.size() < MOST_LATE) {
                late.put(item.tenant(), nowMillis);
            }
        }
    }

    /** Gives the series to the tenants that wait longest. */
    void elect() {
        meters.elect();
    }

    private List<Gauge> gauges(String tenant, MeterRegistry registry) {
        boolean isOthers = tenant.equals(TenantMeters.OTHERS);
        return Lane.WORKED.stream()
                .map(lane -> Gauge.builder("spillway.oldest_waiting", () -> isOthers ? others(lane) : of(lane, tenant))
                        .description("Age of the oldest item that waits for its first attempt, in this worker")
                        .baseUnit("seconds")
                        .tag("lane", lane.label()).tag("tenant", tenant).strongReference(true).register(registry))
                .toList();
    }

    private double of(Lane lane, String tenant) {
        Long since = in(lane).get(tenant);
        return since == null ? 0 : seconds(clock.millis() - since);
    }

    private double others(Lane lane) {
        long oldest = in(lane).entrySet().stream().filter(entry -> !meters.names().contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue).min().orElse(Long.MAX_VALUE);
        return Math.max(seconds(unreadMillis.getOrDefault(lane, 0L)),
                oldest == Long.MAX_VALUE ? 0 : seconds(clock.millis() - oldest));
    }

    private int late(Lane lane) {
        long nowMillis = clock.millis();
        Set<String> late = new HashSet<>(lateStartMillis.get(lane).keySet());
        in(lane).forEach((tenant, since) -> {
            if (nowMillis - since > lateAfterMillis) {
                late.add(tenant);
            }
        });
        return late.size();
    }

    private Map<String, Long> in(Lane lane) {
        return sinceMillis.getOrDefault(lane, Map.of());
    }

    private static double seconds(long millis) {
        return Math.max(0, millis) / 1_000.0;
    }
}
