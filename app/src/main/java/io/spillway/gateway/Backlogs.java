package io.spillway.gateway;

import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.DrainTime;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.Backlog;
import io.spillway.kafka.view.Depths;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Backlog of each tenant that uses this gateway: the items in its lanes, and what this gateway has sent and the router
 * has not accepted yet. Items of other producers in ingress are not known per tenant and do not count.
 *
 * <p>Items not accepted are the difference of two counts since the last observation, and at least 0: what others send
 * for the same tenant makes the estimate smaller, never larger.
 *
 * <p>Owner: the thread of {@link #sample} changes the estimates; any thread counts and reads. Bound: {@code maxTenants}
 * tenants; of further ones the waiting items are known, but not the time that they need. A tenant without a backlog is
 * removed {@value #KEPT_SAMPLES} samples after its last request.
 */
final class Backlogs {
    private static final int KEPT_SAMPLES = 3_600;

    private final Depths depths;
    private final Predicate<String> holdsDeliveries;
    private final int maxTenants;
    private final Map<String, Estimate> estimates = new ConcurrentHashMap<>();

    /** @param holdsDeliveries whether any subscription of a tenant is paused: what it holds does not drain */
    Backlogs(Depths depths, Predicate<String> holdsDeliveries, int maxTenants) {
        this.depths = depths;
        this.holdsDeliveries = holdsDeliveries;
        this.maxTenants = maxTenants;
    }

    private static final class Estimate {
        final LongAdder sent = new LongAdder();
        volatile long unrouted;
        volatile DrainTime time;
        volatile int idleSamples;
        long accepted;

        /** Everything accepted so far was sent before. */
        Estimate(TenantBalance balance, long nowMillis) {
            this.accepted = balance.accepted();
            this.time = DrainTime.startingAt(balance.went(), nowMillis);
        }
    }

    /** Returns a tenant's backlog, and observes it from now on. To be called before an item of the tenant is sent. */
    Backlog ofSender(String tenant, long nowMillis) {
        Estimate estimate = estimates.get(tenant);
        if (estimate == null && estimates.size() < maxTenants) {
            estimate = estimates.computeIfAbsent(tenant, absent -> new Estimate(balance(depths.of(tenant)), nowMillis));
        }
        if (estimate != null && estimate.idleSamples != 0) {
            estimate.idleSamples = 0;
        }
        return backlog(tenant, estimate);
    }

    /** Returns a tenant's backlog for a report. */
    Backlog of(String tenant) {
        return backlog(tenant, estimates.get(tenant));
    }

    private Backlog backlog(String tenant, Estimate estimate) {
        long waiting = depths.waiting(tenant).orElse(0);
        if (estimate == null) {
            return new Backlog(waiting, 0);
        }
        long all = waiting + estimate.unrouted;
        return new Backlog(all, holdsDeliveries.test(tenant) ? 0 : estimate.time.millis(all));
    }

    /** Counts an item that is sent now. */
    void sent(String tenant) {
        add(tenant, 1);
    }

    /** Takes back one {@link #sent} of an item that is probably not stored. */
    void notStored(String tenant) {
        add(tenant, -1);
    }

    private void add(String tenant, int items) {
        Estimate estimate = estimates.get(tenant);
        if (estimate != null) {
            estimate.sent.add(items);
        }
    }

    /** Updates the estimates. To be called once a second. */
    void sample(long nowMillis) {
        estimates.forEach((tenant, estimate) -> {
            // Read before the items sent: what is accepted was counted as sent earlier.
            Optional<Depth> depth = depths.of(tenant);
            TenantBalance balance = balance(depth);
            long accepted = balance.accepted() - estimate.accepted;
            estimate.accepted = balance.accepted();
            long sent = estimate.sent.sumThenReset();
            // A count that starts again belongs to a tenant that was forgotten, which had nothing in ingress.
            long unrouted = accepted < 0 ? 0 : Math.max(0, estimate.unrouted + sent - accepted);
            estimate.unrouted = unrouted;
            long waiting = Math.max(0, balance.waiting()) + unrouted;
            estimate.time = estimate.time.after(
                    waiting, balance.went(), depth.map(row -> row.rates().at(nowMillis).outPerSecond()).orElse(0.0),
                    nowMillis);
            if (waiting > 0) {
                estimate.idleSamples = 0;
            } else if (++estimate.idleSamples > KEPT_SAMPLES) {
                estimates.remove(tenant);
            }
        });
    }

    /** Returns the number of tenants that are observed. */
    int size() {
        return estimates.size();
    }

    private static TenantBalance balance(Optional<Depth> depth) {
        return depth.map(Depth::balance).orElse(TenantBalance.EMPTY);
    }
}
