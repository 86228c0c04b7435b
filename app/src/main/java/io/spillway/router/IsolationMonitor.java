package io.spillway.router;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.PoolName;
import io.spillway.core.overload.IsolationRule;
import io.spillway.core.overload.TenantLoad;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.Subscription;
import io.spillway.core.retry.UnreachableSubscriptions;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Input and output of the {@link IsolationRule}: in one router at a time, it tells the rule what tenants take, and has
 * carried out what the rule decides. In the next router the rule begins anew, and decides later. In each router, it has
 * those paused that {@link UnreachableSubscriptions} names.
 *
 * <p>Owner of the rule: the thread that runs it.
 */
final class IsolationMonitor implements Runnable {
    /** A tenant that has sent something so recently is one that another tenant can disturb. */
    private static final long ACTIVE_MILLIS = 3_600_000;

    private final IsolationRule.Settings settings;
    private final IsolationRule rule;
    private final Supplier<Map<String, WorkerReport>> reports;
    private final Depths depths;
    private final TenantPolicies policies;
    private final BooleanSupplier isLeading;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final UnreachableSubscriptions unreachable;
    private volatile Optional<RuleExecutor> executor = Optional.empty();
    private volatile int over;
    private volatile int isolated;

    /**
     * Creates the monitor. It decides nothing before {@link #decideWith}.
     *
     * @param reports   of the live workers, by name
     * @param isLeading whether this router is the one that decides
     * @param clock     for the times at which items were convicted
     */
    IsolationMonitor(
            UnreachableSubscriptions unreachable, IsolationRule.Settings settings,
            Supplier<Map<String, WorkerReport>> reports, Depths depths, TenantPolicies policies,
            BooleanSupplier isLeading, InstantSource clock, LongSupplier nanoClock, MeterRegistry registry) {
        this.unreachable = unreachable;
        this.settings = settings;
        this.rule = new IsolationRule(settings);
        this.reports = reports;
        this.depths = depths;
        this.policies = policies;
        this.isLeading = isLeading;
        this.clock = clock;
        this.nanoClock = nanoClock;
        Gauge.builder("spillway.isolation.tenants", this, monitor -> monitor.over)
                .description("Tenants that take too much for router.isolation.after and are not isolated")
                .tag("state", "over").register(registry);
        Gauge.builder("spillway.isolation.tenants", this, monitor -> monitor.isolated)
                .description("Tenants in the pool router.isolation.pool")
                .tag("state", "isolated").register(registry);
    }

    /** Begins to decide. */
    void decideWith(RuleExecutor carriesOut) {
        executor = Optional.of(carriesOut);
    }

    @Override
    public void run() {
        executor.ifPresent(rules -> unreachable.take(clock.millis()).forEach(each -> pause(rules, each)));
        if (executor.filter(RuleExecutor::isIsolating).isEmpty() || !isLeading.getAsBoolean()) {
            over = 0;
            isolated = 0;
            return;
        }
        Map<String, WorkerReport> workers = reports.get();
        Set<String> inPool = policies.dedicated().keySet().stream()
                .filter(tenant -> poolOf(tenant).equals(settings.pool())).collect(Collectors.toSet());
        int spare = (int) workers.values().stream().filter(each -> each.pool().equals(settings.pool())).count();
        long nowMillis = TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong());
        for (IsolationRule.Change change :
                rule.next(loads(workers, inPool), inPool, executor.get().mayIsolate(spare), nowMillis)) {
            switch (change) {
                case IsolationRule.Change.Isolate isolate -> {
                    if (!executor.get().isolate(isolate.tenant(), spare, isolate.why())) {
                        rule.failed(isolate.tenant(), nowMillis);
                    }
                }
                case IsolationRule.Change.Release release ->
                        executor.get().release(release.tenant(), release.why());
            }
        }
        over = rule.over(nowMillis);
        isolated = inPool.size();
    }

    private void pause(RuleExecutor rules, UnreachableSubscriptions.Subscriber subscriber) {
        String tenant = subscriber.tenant();
        // Another router may have paused it.
        if (policies.subscriptions(tenant).containsKey(subscriber.name())
                && !policies.of(tenant, subscriber.workload()).isPaused(subscriber.workload())) {
            boolean hasListener = policies.subscriptions(tenant).values().stream().anyMatch(other ->
                    !other.name().equals(subscriber.name()) && other.matches(Subscription.PAUSED_EVENT));
            rules.pause(tenant, subscriber.name(), hasListener);
        }
    }

    private Map<String, TenantLoad> loads(Map<String, WorkerReport> workers, Set<String> inPool) {
        long total = Lane.WORKED.stream().mapToLong(lane -> Math.max(0, depths.in(ItemState.of(lane)))).sum();
        Map<String, Long> waiting = new HashMap<>();
        int[] active = {0};
        depths.forEach((tenant, depth) -> {
            long its = depth.balance().waitingForWorkers();
            active[0] += its > 0 || clock.millis() - depth.rates().cameAtMillis() < ACTIVE_MILLIS ? 1 : 0;
            if (its > 0 && (its > total * settings.share() / 2 || inPool.contains(tenant))) {
                waiting.put(tenant, its);
            }
        });
        if (active[0] < 2) {
            return Map.of();
        }
        Map<String, TenantLoad> loads =
                TenantLoad.of(workers, waiting, total, this::poolOf, settings.afterMillis(), clock.millis());
        // Where an operator has put a tenant elsewhere, it stays there.
        loads.keySet().removeIf(tenant -> policies.dedicated().containsKey(tenant) && !inPool.contains(tenant));
        return loads;
    }

    private String poolOf(String tenant) {
        return Optional.ofNullable(policies.dedicated().get(tenant))
                .map(DedicationPlan.Request::pool).orElse(PoolName.SHARED);
    }
}
