package io.spillway.router.route;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.item.Printable;
import io.spillway.core.routing.Route;
import io.spillway.kafka.metrics.Departures;
import io.spillway.kafka.metrics.TenantMeters;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the router counts, every series made before the first record. A transaction that is aborted and done again is
 * counted twice: these are rates for alarms; the books are elsewhere.
 */
public final class RouterMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(RouterMetrics.class);

    private final Map<LaneReason, Counter> routed = new EnumMap<>(LaneReason.class);
    private final Departures departures;
    private final Timer future;
    private final Timer past;
    private final TenantMeters<Sidelined> sidelined;
    private final AtomicLong ownErrors = new AtomicLong();

    /**
     * Registers the meters.
     *
     * @param registry where
     * @param tenants  most tenants with series of their own
     */
    public RouterMetrics(MeterRegistry registry, int tenants) {
        for (Route.ToLane to : List.of(Route.HOT, Route.RETRIED, Route.DUE, Route.OVERFLOW, Route.SURPLUS, Route.AGED)) {
            routed.put(to.reason(), Counter.builder("spillway.routed")
                    .description("Items put into a lane")
                    .tag("lane", to.lane().label())
                    .tag("reason", to.reason().label())
                    .register(registry));
        }
        departures = new Departures(registry);
        future = skew(registry, "future");
        past = skew(registry, "past");
        sidelined = new TenantMeters<>(tenants, tenant -> Sidelined.of(tenant, registry), meters -> meters.remove(registry));
    }

    public void routed(Route.ToLane to) {
        routed.get(to.reason()).increment();
    }

    public void dropped(DropReason reason) {
        departures.dropped(reason);
    }

    /** Counts for the operator who asks which tenant it is: only what is not plain hot traffic, which needs no name. */
    void sidelined(String tenant, Route route) {
        switch (route) {
            case Route.ToLane to when to.lane() == Lane.OVERFLOW -> sidelined.of(tenant).overflow.increment();
            case Route.ToLane to when to.lane() == Lane.AGED -> sidelined.of(tenant).aged.increment();
            case Route.Drop dropped -> sidelined.of(tenant).dropped.increment();
            case Route.ToLane to -> { }
            case Route.DeadLetter dead -> { }
        }
    }

    /** Gives the names among the tenant series to the busiest; for the one thread that keeps house. */
    public void electTenants() {
        sidelined.elect();
    }

    public void deadLettered(DeadReason reason) {
        departures.deadLettered(reason);
    }

    /** Counts a time that cannot be believed, by how far it is off. */
    void clockSkew(long saidMillis, long nowMillis) {
        if (saidMillis > nowMillis) {
            future.record(difference(saidMillis, nowMillis), TimeUnit.MILLISECONDS);
        } else {
            past.record(difference(nowMillis, saidMillis), TimeUnit.MILLISECONDS);
        }
    }

    /** Logs an error of our own, with its stack: the first, and then ever more seldom, for a bug may meet every record. */
    public void ownError(Throwable error) {
        long count = ownErrors.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            Throwable printable = new IllegalStateException(Printable.of(error.toString()));
            printable.setStackTrace(error.getStackTrace());
            LOG.error("Routing failed on a record, which is now a dead letter ({} so far)", count, printable);
        }
    }

    private static long difference(long laterMillis, long earlierMillis) {
        long difference = laterMillis - earlierMillis;
        // Absurd times may be so far apart that the difference does not fit.
        return difference < 0 ? Long.MAX_VALUE : difference;
    }

    private static Timer skew(MeterRegistry registry, String direction) {
        return Timer.builder("spillway.clock_skew")
                .description("How far the time of items is off that say they were made in the future, or before 2000")
                .tag("direction", direction)
                .register(registry);
    }

    /** What one tenant had set aside. */
    private record Sidelined(Counter overflow, Counter aged, Counter dropped) {
        static Sidelined of(String tenant, MeterRegistry registry) {
            return new Sidelined(
                    counter(tenant, Lane.OVERFLOW.label(), registry),
                    counter(tenant, Lane.AGED.label(), registry),
                    counter(tenant, "dropped", registry));
        }

        void remove(MeterRegistry registry) {
            registry.remove(overflow);
            registry.remove(aged);
            registry.remove(dropped);
        }

        private static Counter counter(String tenant, String to, MeterRegistry registry) {
            return Counter.builder("spillway.sidelined")
                    .description("Items of a tenant that were not put into hot; the busiest tenants by name")
                    .tag("tenant", tenant)
                    .tag("to", to)
                    .register(registry);
        }
    }
}
