package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.overload.IsolationRule;
import io.spillway.core.overload.SlotUse;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.retry.UnreachableSubscriptions;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Isolation at half of the slots or of the backlog for 60 s in the pool spare; release after 60 s. */
class IsolationMonitorTest {
    private static final long EPOCH_MILLIS = 1_800_000_000_000L;
    private static final WorkerReport IDLE = new WorkerReport(10, 100, 100, 0, 0, 0, Map.of());

    private final Map<String, WorkerReport> reports = new HashMap<>();
    private final Depths depths = new Depths();
    private final TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<String> done = new ArrayList<>();
    private final UnreachableSubscriptions unreachable = new UnreachableSubscriptions();
    private boolean isLeading = true;
    private long nowMillis;
    private final IsolationMonitor monitor = new IsolationMonitor(
            unreachable, new IsolationRule.Settings(0.5, 60_000, 60_000, 1, "spare"), () -> reports, depths, policies,
            () -> isLeading, () -> Instant.ofEpochMilli(EPOCH_MILLIS + nowMillis),
            () -> TimeUnit.MILLISECONDS.toNanos(nowMillis), registry);

    @BeforeEach
    void hogBesideAQuietTenant() {
        reports.put("a", IDLE.with("shared", new SlotUse(9, Map.of("acme", 8)), SuspectStatus.NONE));
        reports.put("b", IDLE.with("spare", SlotUse.NONE, SuspectStatus.NONE));
        wait("acme", 300);
        wait("globex", 1);
    }

    @Test
    void a_hog_is_isolated_and_released_when_its_pool_is_idle() {
        monitor.decideWith(isolator(1));
        runFor(60_000);
        assertThat(done).containsExactly("isolate acme for 1 workers: 80 % of the slots are its, while others wait");
        assertThat(gauge("over")).isEqualTo(1);

        isolate("acme", "spare");
        wait("acme", 0);
        reports.put("a", IDLE);
        runFor(50_000);
        assertThat(gauge("over")).isZero();
        assertThat(gauge("isolated")).isEqualTo(1);
        assertThat(done).hasSize(1);
        runFor(0);
        assertThat(done).hasSize(2).last().isEqualTo("release acme: it has been calm");
    }

    @Test
    void nothing_is_done_without_workers_in_the_pool_or_by_a_router_that_does_not_lead() {
        monitor.decideWith(isolator(2));
        runFor(120_000);
        assertThat(done).as("one worker").isEmpty();
        assertThat(gauge("over")).isEqualTo(1);

        isLeading = false;
        reports.put("c", reports.get("b"));
        runFor(10_000);
        assertThat(done).isEmpty();
        assertThat(gauge("over")).isZero();
        isLeading = true;
        runFor(10_000);
        assertThat(done).as("it was over all the time").hasSize(1);
    }

    @Test
    void a_tenant_that_an_operator_isolated_elsewhere_stays_there() {
        monitor.decideWith(isolator(1));
        reports.put("a", IDLE.with("red", new SlotUse(10, Map.of("acme", 10)), SuspectStatus.NONE));
        isolate("acme", "red");
        isolate("globex", "shared");
        wait("globex", 1_000_000);
        runFor(120_000);
        assertThat(done).isEmpty();
    }

    @Test
    void a_tenant_that_is_alone_disturbs_nobody() {
        monitor.decideWith(isolator(1));
        depths.remove("globex");
        wait("acme", 1_000_000);
        runFor(120_000);
        assertThat(done).isEmpty();

        wait("globex", 0);
        runFor(60_000);
        assertThat(done).as("it came in the last hour").hasSize(1);
    }

    @Test
    void a_backlog_that_takes_the_shared_workers_long_counts_and_a_conviction_too() {
        monitor.decideWith(isolator(1));
        reports.put("a", IDLE.with("shared", SlotUse.NONE,
                new SuspectStatus(0, 0, Map.of("initech", EPOCH_MILLIS + 60_000))));
        wait("acme", 6_002);
        runFor(60_000);
        assertThat(done).containsExactly(
                "isolate acme for 1 workers: 100 % of what waits is its, and takes the workers long");
        isolate("acme", "red");
        runFor(0);
        assertThat(done).as("the next one, over from the start").hasSize(2).last()
                .isEqualTo("isolate initech for 1 workers: its items kill workers");
    }

    private void runFor(long millis) {
        for (long end = nowMillis + millis; nowMillis <= end; nowMillis += 10_000) {
            monitor.run();
        }
    }

    private double gauge(String state) {
        return registry.get("spillway.isolation.tenants").tag("state", state).gauge().value();
    }

    private void wait(String tenant, long items) {
        long[] entered = new long[ItemState.COUNT];
        long[] left = new long[ItemState.COUNT];
        entered[ItemState.HOT.ordinal()] = items;
        left[ItemState.OUTSIDE.ordinal()] = items;
        depths.put(tenant, Depths.encode(tenant, new Depth(
                TenantBalance.of(entered, left), FlowRates.startingAt(EPOCH_MILLIS), GrowingLimit.NONE, 0)));
    }

    private void isolate(String tenant, String pool) {
        policies.put(tenant, TenantPolicies.encode(tenant, PolicySettings.NONE_SET
                .with(PolicyField.DEDICATED, "1").with(PolicyField.POOL, pool)));
    }

    @Test
    void a_subscription_whose_receiver_does_not_work_is_paused_once_also_where_nothing_is_isolated() {
        isLeading = false;
        monitor.decideWith(isolator(Integer.MAX_VALUE));
        subscribe("hook", "*", false);
        subscribe("other", "*", false);
        fail("acme", "~hook");
        fail("acme", "~removed");
        runFor(70_000);
        assertThat(done).containsExactly("pause hook of acme");

        subscribe("hook", "*", true);
        fail("acme", "~hook");
        runFor(70_000);
        assertThat(done).as("it is paused").hasSize(1);

        subscribe("hook", "*", false);
        subscribe("events", "spillway.*", false);
        fail("acme", "~hook");
        runFor(70_000);
        assertThat(done).hasSize(2).last().isEqualTo("pause hook of acme, and say so");
    }

    private void subscribe(String name, String pattern, boolean isPaused) {
        policies.put(TenantPolicies.key("acme", name), TenantPolicies.encode("acme", new Subscription(name, pattern,
                PolicySettings.NONE_SET.with(PolicyField.PAUSED, Boolean.toString(isPaused)))));
    }

    private void fail(String tenant, String workload) {
        unreachable.over(tenant, workload, EPOCH_MILLIS + nowMillis);
        unreachable.counted(List.of(new AttemptCounts(
                new RetryKey("host" + workload, tenant), AttemptCounts.UNKNOWN, 1, 0, 0, 0)));
    }

    private RuleExecutor isolator(int leastWorkers) {
        return new RuleExecutor() {
            @Override
            public boolean isIsolating() {
                return leastWorkers < Integer.MAX_VALUE;
            }

            @Override
            public boolean mayIsolate(int workers) {
                return workers >= leastWorkers;
            }

            @Override
            public boolean isolate(String tenant, int workers, String why) {
                done.add("isolate " + tenant + " for " + workers + " workers: " + why);
                return true;
            }

            @Override
            public void release(String tenant, String why) {
                done.add("release " + tenant + ": " + why);
            }

            @Override
            public void pause(String tenant, String name, boolean hasListener) {
                done.add("pause " + name + " of " + tenant + (hasListener ? ", and say so" : ""));
            }
        };
    }
}
