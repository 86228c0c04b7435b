package io.spillway.router.ledger;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.IngressAccount;
import io.spillway.kafka.metrics.TenantMeters;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.TenantPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gauges of backlogs and dead letters by tenant, and of the time to drain each lane. Every router reports the whole
 * queue: take the maximum over routers, not the sum.
 *
 * <p>Owner: the housekeeping thread, which calls {@link #measure}; any thread reads the gauges. Bound: {@link
 * TenantMeters} limits the tenants with series of their own, deepest first. A negative balance, which an audit reports,
 * counts as 0.
 */
public final class DepthMetrics {
    private final Depths depths;
    private final TenantPolicies policies;
    private final int maxNamed;
    private final LaneFlows flows;
    private final Map<ItemState, Double> drainSeconds = new ConcurrentHashMap<>();
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicInteger withDeadLetters = new AtomicInteger();
    private final TenantMeters<List<Gauge>> meters;
    private final TenantMeters<Gauge> deadLetters;

    public DepthMetrics(MeterRegistry registry, int tenants, Depths depths, TenantPolicies policies) {
        this.depths = depths;
        this.policies = policies;
        this.maxNamed = tenants;
        this.flows = new LaneFlows(depths);
        this.meters = new TenantMeters<>(
                tenants, tenant -> gauges(tenant, registry), gauges -> gauges.forEach(registry::remove));
        this.deadLetters = new TenantMeters<>(tenants, tenant -> deadLetters(tenant, registry), registry::remove);
        for (Lane worked : Lane.WORKED) {
            ItemState lane = ItemState.of(worked);
            drainSeconds.put(lane, 0.0);
            Gauge.builder("spillway.drain", drainSeconds, all -> all.get(lane))
                    .description("Time until a lane is empty at the present rates; infinite for never")
                    .baseUnit("seconds")
                    .tag("lane", lane.label())
                    .register(registry);
        }
        for (DeadReason reason : DeadReason.values()) {
            Gauge.builder("spillway.dead_letters_by_reason", depths, all -> all.deadLetters(reason))
                    .description("Dead letters that are neither replayed nor discarded, by the ledger, over all"
                            + " tenants")
                    .tag("reason", reason.label())
                    .register(registry);
        }
        for (DropReason reason : DropReason.values()) {
            Gauge.builder("spillway.dropped_by_reason", depths, all -> all.dropped(reason))
                    .description("Items that a rule ever dropped, by the ledger, over all tenants")
                    .tag("reason", reason.label())
                    .register(registry);
        }
        for (IngressAccount.Kind kind : IngressAccount.Kind.values()) {
            Gauge.builder("spillway.ingress.findings", depths, all -> all.ingress().account().count(kind))
                    .description("Ranges of offsets of ingress that are missing or repeated in the ledger")
                    .tag("finding", kind.label())
                    .register(registry);
        }
        Gauge.builder("spillway.tenants_with_dead_letters", withDeadLetters, AtomicInteger::get)
                .description("Tenants with dead letters that are neither replayed nor discarded, by the ledger")
                .register(registry);
        Gauge.builder("spillway.drain.late", late, AtomicInteger::get)
                .description("Tenants of which items end by ttl or expireAfter before they are handled")
                .register(registry);
    }

    /** Updates all gauges. */
    public void measure(long nowMillis) {
        flows.sample(nowMillis);
        flows.byLane().forEach((lane, flow) -> drainSeconds.put(lane, flow.drain().seconds()));
        measureTenants(nowMillis);
    }

    private void measureTenants(long nowMillis) {
        List<Map.Entry<String, Long>> deepest = new ArrayList<>();
        List<Map.Entry<String, Long>> dead = new ArrayList<>();
        int[] lateNow = {0};
        depths.forEach((tenant, depth) -> {
            long waiting = depth.balance().waiting();
            if (waiting > 0) {
                lateNow[0] += depth.isLate(policies.of(tenant), nowMillis) ? 1 : 0;
                deepest.add(Map.entry(tenant, waiting));
            }
            if (depth.balance().in(ItemState.DEAD_LETTER) > 0) {
                dead.add(Map.entry(tenant, depth.balance().in(ItemState.DEAD_LETTER)));
            }
        });
        late.set(lateNow[0]);
        withDeadLetters.set(dead.size());
        // Activity is the backlog: a tenant keeps its series while it has one, unless another is far larger.
        elect(deepest, meters);
        elect(dead, deadLetters);
    }

    private void elect(List<Map.Entry<String, Long>> tenants, TenantMeters<?> series) {
        tenants.sort(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()));
        for (int i = 0; i < tenants.size(); i++) {
            String tenant = tenants.get(i).getKey();
            if (i < maxNamed || series.names().contains(tenant)) {
                series.of(tenant, tenants.get(i).getValue());
            }
        }
        series.elect();
    }

    private Gauge deadLetters(String tenant, MeterRegistry registry) {
        return Gauge.builder("spillway.dead_letters", depths, all -> of(tenant, ItemState.DEAD_LETTER, deadLetters))
                .description("Dead letters that are neither replayed nor discarded, by the ledger; the tenants with"
                        + " most of them by name")
                .tag("tenant", tenant)
                .register(registry);
    }

    private List<Gauge> gauges(String tenant, MeterRegistry registry) {
        return ItemState.WAITING.stream()
                .map(lane -> Gauge.builder("spillway.depth", depths, all -> of(tenant, lane, meters))
                        .description("Waiting items by the ledger; the tenants with the largest backlogs by name")
                        .tag("lane", lane.label())
                        .tag("tenant", tenant)
                        .register(registry))
                .toList();
    }

    private double of(String tenant, ItemState state, TenantMeters<?> series) {
        return Math.max(0, tenant.equals(TenantMeters.OTHERS)
                ? depths.in(state) - series.names().stream().mapToLong(named -> of(named, state)).sum()
                : of(tenant, state));
    }

    private long of(String tenant, ItemState state) {
        return depths.of(tenant).map(depth -> depth.balance().in(state)).orElse(0L);
    }
}
