package io.spillway.router.delay;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.spillway.core.delay.PausedGroups;
import io.spillway.core.retry.RetryKey;
import io.spillway.kafka.codec.ClaimResult;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Meters of all delay stages in this process. Owner of the set of running stages, which stream threads change. Bound:
 * the partitions of the delay lane.
 */
public final class DelayMetrics {
    private final Set<Timers> running = ConcurrentHashMap.newKeySet();
    private final Counter clamped;
    private final Map<ClaimResult, Counter> claims = new EnumMap<>(ClaimResult.class);
    private final Counter refused;
    private final ParkedMeters parked;
    private final ParkedMeters paused;
    private final ParkedMeters held;
    private final Counter queued;
    private final Counter notRemembered;

    /**
     * Registers the meters.
     *
     * @param tenants    most tenants with time series of their own, 1 or more
     * @param partitions of the delay lane
     * @param clock      measures how long timers are overdue
     */
    public DelayMetrics(MeterRegistry registry, int tenants, int partitions, InstantSource clock) {
        parked = new ParkedMeters(registry, tenants, "spillway.delay.parked",
                "Items whose backoff is over and that wait for the retry budget, in this process's partitions; the"
                        + " tenants with most of them by name");
        paused = new ParkedMeters(registry, tenants, "spillway.delay.paused",
                "Due items of paused tenants and workloads in this process's partitions; the tenants with most of"
                        + " them by name");
        held = new ParkedMeters(registry, tenants, "spillway.order.held",
                "Order keys whose later items a dead letter holds, in this process's partitions; the tenants with most"
                        + " of them by name");
        queued = Counter.builder("spillway.order.queued")
                .description("Items that waited for an earlier one with their order key")
                .register(registry);
        notRemembered = Counter.builder("spillway.dedupe.unremembered")
                .description("Items whose id is not remembered because their tenant has too many; their duplicates are"
                        + " handled")
                .register(registry);
        Gauge.builder("spillway.delay.partitions", () -> partitions)
                .description("Partitions of the delay lane")
                .register(registry);
        Gauge.builder("spillway.delay.partitions.running", running,
                        all -> all.stream().filter(DelayMetrics::hasScanned).count())
                .description("Partitions of the delay lane whose due items this process forwards")
                .register(registry);
        Gauge.builder("spillway.delay.timers", this, DelayMetrics::waiting)
                .description("Items that wait for their due time in this process's partitions; an estimate")
                .register(registry);
        TimeGauge.builder("spillway.delay.overdue", () -> overdueMillis(clock.millis()), TimeUnit.MILLISECONDS)
                .description("How long the earliest waiting item has been due")
                .register(registry);
        for (ClaimResult result : ClaimResult.values()) {
            claims.put(result, claims(registry, result.label()));
        }
        refused = claims(registry, "refused");
        clamped = Counter.builder("spillway.delay.clamped")
                .description("Items with a due time too far ahead, which wait for the longest time allowed")
                .register(registry);
    }

    private static Counter claims(MeterRegistry registry, String result) {
        return Counter.builder("spillway.delay.claims")
                .description("Results of attempts whose items were claimed, extended leases and leases that ended")
                .tag("result", result)
                .register(registry);
    }

    /** Gives the series by tenant to those with most parked items. Called by the housekeeping thread only. */
    public void electTenants() {
        parked.elect();
        paused.elect();
        held.elect();
    }

    ParkedItems.Counts parked() {
        return (group, items) -> (PausedGroups.isGroup(group) ? paused : parked).add(group, items);
    }

    void started(Timers timers) {
        running.add(timers);
    }

    void stopped(Timers timers) {
        running.remove(timers);
    }

    /** Records how the number of a tenant's held order keys changes. */
    void held(String tenant, long keys) {
        held.add(new RetryKey("", tenant), keys);
    }

    /** Records that an item waits for an earlier one with its order key. */
    void queued() {
        queued.increment();
    }

    void notRemembered() {
        notRemembered.increment();
    }

    void clamped() {
        clamped.increment();
    }

    void settled(ClaimResult result) {
        claims.get(result).increment();
    }

    /** Records that a result was refused, because the claim is over. */
    void refused() {
        refused.increment();
    }

    /** Returns the number of running stages in this process. */
    int stages() {
        return running.size();
    }

    /** A stage that has not scanned its store does not know when the first item is due. */
    private static boolean hasScanned(Timers timers) {
        return timers.nextDueMillis() > 0;
    }

    private double waiting() {
        return running.stream().mapToLong(Timers::waiting).sum();
    }

    private long overdueMillis(long nowMillis) {
        long nextDueMillis = running.stream()
                .filter(DelayMetrics::hasScanned)
                .mapToLong(Timers::nextDueMillis)
                .min()
                .orElse(Timers.NEVER);
        return Math.max(0, nowMillis - nextDueMillis);
    }
}
