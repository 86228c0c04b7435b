package io.spillway.router.route;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.routing.Route;
import io.spillway.core.text.Printable;
import io.spillway.kafka.metrics.Departures;
import io.spillway.kafka.metrics.Objectives;
import io.spillway.kafka.metrics.TenantMeters;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routing counters of one process, all registered before the first record. An aborted transaction that is repeated is
 * counted twice: the counters serve rates and alerts, the exact numbers are in the ledger.
 */
public final class RouterMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(RouterMetrics.class);

    private final Map<LaneReason, Counter> routed = new EnumMap<>(LaneReason.class);
    private final Departures departures;
    private final Objectives objectives;
    private final Counter deliveries;
    private final Timer future;
    private final Timer past;
    private final TenantMeters<Map<ItemState, Counter>> sidelined;
    private final ProducerSkews skews;
    private final AtomicLong ownErrors = new AtomicLong();
    private final AtomicLong otherUnits = new AtomicLong();

    /** Registers the meters. At most this number of tenants have time series of their own. */
    public RouterMetrics(MeterRegistry registry, int tenants) {
        for (Route.ToLane to :
                List.of(Route.HOT, Route.RETRIED, Route.DUE, Route.OVERFLOW, Route.SURPLUS, Route.AGED,
                        Route.SCHEDULED, Route.PAUSED, Route.FAN_OUT, Route.ORDERED)) {
            routed.put(to.reason(), Counter.builder("spillway.routed")
                    .description("Items routed to a lane")
                    .tag("lane", to.lane().label())
                    .tag("reason", to.reason().label())
                    .register(registry));
        }
        departures = new Departures(registry);
        objectives = new Objectives(registry, tenants, EnumSet.of(Objectives.Result.ENDED));
        deliveries = Counter.builder("spillway.deliveries")
                .description("Items made as deliveries to subscriptions").register(registry);
        future = skew(registry, "future");
        past = skew(registry, "past");
        skews = new ProducerSkews(registry, tenants);
        sidelined = new TenantMeters<>(
                tenants, tenant -> sidelined(tenant, registry), meters -> meters.values().forEach(registry::remove));
    }

    public void routed(Route.ToLane to) {
        routed.get(to.reason()).increment();
    }

    void delivered(int count) {
        deliveries.increment(count);
    }

    public void dropped(DropReason reason) {
        departures.dropped(reason);
    }

    /** Counts an item of a tenant that was not handled, if it has an objective. */
    void missedObjective(TenantContext tenant) {
        objectives.ended(tenant.name(), tenant.policy().doneWithinMillis(), Objectives.Result.ENDED);
    }

    /** Counts items that went neither to hot nor to delay, by tenant. Traffic to hot needs no series per tenant. */
    void sidelined(String tenant, Route route) {
        switch (route) {
            case Route.ToLane to when to.lane() == Lane.HOT || to.lane() == Lane.DELAY -> { }
            case Route.ToLane to -> sidelined.of(tenant).get(ItemState.of(to.lane())).increment();
            case Route.Drop dropped -> sidelined.of(tenant).get(ItemState.DROPPED).increment();
            case Route.DeadLetter dead -> sidelined.of(tenant).get(ItemState.DEAD_LETTER).increment();
        }
    }

    /** Gives the series by tenant to the busiest tenants. Called by the housekeeping thread only. */
    public void electTenants() {
        sidelined.elect();
        objectives.elect();
        skews.turn();
    }

    public void deadLettered(DeadReason reason) {
        departures.deadLettered(reason);
    }

    /** Records when a producer says that an item was made, and when the broker took it; epoch milliseconds. */
    void entered(String tenant, long claimedMillis, long enteredAtMillis) {
        if (ItemLimits.isTime(claimedMillis)) {
            skews.record(tenant, claimedMillis - enteredAtMillis);
        }
    }

    /** Records by how much an implausible enqueue time differs from the clock, and logs one that is no time. */
    void clockSkew(String tenant, long claimedMillis, long nowMillis) {
        if (!ItemLimits.isTime(claimedMillis)) {
            long count = otherUnits.incrementAndGet();
            if (Long.bitCount(count) == 1) {
                LOG.warn("An item of {} has the enqueue time {}, which is not epoch milliseconds. It counts as new, as"
                        + " do all such items ({} so far). Repair the producer.", tenant, claimedMillis, count);
            }
        }
        if (claimedMillis > nowMillis) {
            future.record(difference(claimedMillis, nowMillis), TimeUnit.MILLISECONDS);
        } else {
            past.record(difference(nowMillis, claimedMillis), TimeUnit.MILLISECONDS);
        }
    }

    /** Logs an error in Spillway itself. The interval doubles because one bug may affect every record. */
    public void ownError(Throwable error) {
        long count = ownErrors.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            Throwable printable = new IllegalStateException(Printable.of(error.toString()));
            printable.setStackTrace(error.getStackTrace());
            LOG.error("Routing failed on a record, which is now a dead letter ({} so far). Report this stack trace.",
                    count, printable);
        }
    }

    private static long difference(long laterMillis, long earlierMillis) {
        long difference = laterMillis - earlierMillis;
        // Implausible times may differ by more than fits into a long.
        return difference < 0 ? Long.MAX_VALUE : difference;
    }

    private static Timer skew(MeterRegistry registry, String direction) {
        return Timer.builder("spillway.clock_skew")
                .description("Difference from the router's clock of enqueue times in the future or before 2000")
                .tag("direction", direction)
                .register(registry);
    }

    private static Map<ItemState, Counter> sidelined(String tenant, MeterRegistry registry) {
        Map<ItemState, Counter> counters = new EnumMap<>(ItemState.class);
        for (ItemState to : List.of(
                ItemState.OVERFLOW, ItemState.AGED, ItemState.DELAY, ItemState.DEAD_LETTER, ItemState.DROPPED)) {
            counters.put(to, Counter.builder("spillway.sidelined")
                    .description("Items of a tenant that were not routed to hot; the busiest tenants by name")
                    .tag("tenant", tenant)
                    .tag("to", to.label())
                    .register(registry));
        }
        return counters;
    }
}
