package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Timelines in steps of a millisecond. Workers handle 1,000 items a second in 10 slots (fluid model). */
class HotGuardTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final double CAPACITY = 1_000;
    private static final int SLOTS = 10;
    private static final TenantPolicy NO_RATE = TenantPolicy.of(PolicySettings.NONE_SET);
    private static final TenantPolicy WITH_RATE =
            TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RATE, "100000"));
    private static final long SEED = 20_261_121;

    private final HotGuard guard = new HotGuard(ProtectionSettings.DEFAULT);
    private final Random random = new Random(SEED);
    private final Map<String, Integer> toHot = new HashMap<>();
    private final Map<String, Integer> contained = new HashMap<>();
    private long nowMillis = T0;
    private double waiting;

    @Test
    void only_the_bursting_tenant_is_contained_and_within_the_batch() {
        quietTenants(99, 490, 3_000);
        assertThat(contained).as("hot is not behind").isEmpty();

        for (int i = 0; i < 50_000; i++) {
            arrive("noisy", NO_RATE);
        }
        assertThat(toHot.get("noisy")).as("10 slots, 200 ms and its share of the free capacity").isLessThan(500);
        quietTenants(99, 490, 3_000);
        assertThat(contained).containsOnlyKeys("noisy");
        assertThat(guard.isBehind(nowMillis)).as("hot has caught up").isFalse();
    }

    @Test
    void a_lasting_flood_leaves_hot_to_the_others_and_is_admitted_again_after_it_ends() {
        quietTenants(50, 300, 2_000);
        double mostWaiting = 0;
        for (int millis = 0; millis < 10_000; millis++) {
            for (int i = 0; i < 5; i++) {
                arrive("noisy", NO_RATE);
            }
            quietTenants(50, 300, 1);
            mostWaiting = Math.max(mostWaiting, waiting);
        }
        assertThat(contained).containsOnlyKeys("noisy");
        assertThat(toHot.get("noisy")).as("ten seconds with a free capacity of 700 a second").isBetween(1_000, 8_500);
        assertThat(mostWaiting).as("at most half a second of work").isLessThan(500);

        quietTenants(50, 300, 2_000);
        contained.clear();
        for (int i = 0; i < 100; i++) {
            arrive("noisy", NO_RATE);
        }
        assertThat(contained).as("not contained after hot has caught up").isEmpty();
    }

    @Test
    void two_heavy_tenants_are_both_contained() {
        for (int millis = 0; millis < 5_000; millis++) {
            arrive("heavy-1", NO_RATE);
            arrive("heavy-1", NO_RATE);
            arrive("heavy-2", NO_RATE);
            arrive("heavy-2", NO_RATE);
            if (millis % 100 == 0) {
                arrive("quiet", NO_RATE);
            }
            step();
        }
        assertThat(contained).containsOnlyKeys("heavy-1", "heavy-2");
        assertThat(contained.get("heavy-1")).isGreaterThan(4_000);
        assertThat(contained.get("heavy-2")).isGreaterThan(4_000);
    }

    @Test
    void a_single_tenant_is_never_contained() {
        for (int millis = 0; millis < 5_000; millis++) {
            for (int i = 0; i < 10; i++) {
                arrive("only", NO_RATE);
            }
            step();
        }
        assertThat(guard.isBehind(nowMillis)).isTrue();
        assertThat(contained).isEmpty();
    }

    @Test
    void of_a_single_tenant_only_the_bursting_workload_is_contained() {
        quietWorkloads(3_000);
        for (int i = 0; i < 50_000; i++) {
            arrive("only", "noisy", NO_RATE);
        }
        assertThat(toHot.get("noisy")).as("10 slots, 200 ms and its share of the free capacity").isLessThan(500);
        quietWorkloads(3_000);
        assertThat(contained).containsOnlyKeys("noisy");
    }

    @Test
    void a_single_workload_of_a_single_tenant_is_never_contained() {
        for (int millis = 0; millis < 5_000; millis++) {
            for (int i = 0; i < 10; i++) {
                arrive("only", "only", NO_RATE);
            }
            step();
        }
        assertThat(guard.isBehind(nowMillis)).isTrue();
        assertThat(contained).isEmpty();
    }

    @Test
    void the_other_workloads_of_a_contained_tenant_still_reach_hot() {
        quietTenants(50, 300, 2_000);
        for (int millis = 0; millis < 5_000; millis++) {
            for (int i = 0; i < 5; i++) {
                arrive("heavy", "flood", NO_RATE);
            }
            if (millis % 20 == 0) {
                arrive("heavy", "beside", NO_RATE);
            }
            quietTenants(50, 300, 1);
        }
        assertThat(contained.get("flood")).isGreaterThan(15_000);
        assertThat(contained.getOrDefault("beside", 0)).as("of 250").isLessThan(25);
    }

    @Test
    void equal_tenants_over_the_capacity_are_not_contained() {
        for (int millis = 0; millis < 10_000; millis++) {
            for (int i = 0; i < 3; i++) {
                arrive("tenant-" + random.nextInt(100), NO_RATE);
            }
            step();
        }
        assertThat(guard.isBehind(nowMillis)).as("three times the capacity").isTrue();
        assertThat(contained).as("seed %d", SEED).isEmpty();
    }

    @Test
    void a_tenant_with_a_rate_is_not_contained() {
        quietTenants(20, 200, 1_000);
        for (int i = 0; i < 5_000; i++) {
            arrive("granted", WITH_RATE);
            arrive("noisy", NO_RATE);
        }
        assertThat(contained).containsOnlyKeys("noisy");
    }

    @Test
    void the_disabled_guard_admits_everything() {
        HotGuard off = new HotGuard(ProtectionSettings.OFF);
        for (int i = 0; i < 10_000; i++) {
            assertThat(off.admits(TenantContext.of("noisy", 3, NO_RATE), "", T0)).isTrue();
        }
        off.update(List.of(new LaneReport(1, 1, 1, 1_000, 9_000)), PartitionBacklog.unknown(0), 1, T0);
        assertThat(off.isBehind(T0)).isFalse();
    }

    private void quietWorkloads(int millis) {
        for (int i = 0; i < millis; i++) {
            if (random.nextDouble() < 0.49) {
                arrive("only", "quiet-" + random.nextInt(99), NO_RATE);
            }
            step();
        }
    }

    private void quietTenants(int tenants, double perSecond, int millis) {
        for (int i = 0; i < millis; i++) {
            if (random.nextDouble() < perSecond / 1_000) {
                arrive("quiet-" + random.nextInt(tenants), NO_RATE);
            }
            step();
        }
    }

    private void arrive(String tenant, TenantPolicy policy) {
        arrive(tenant, "", policy);
    }

    private void arrive(String tenant, String workload, TenantPolicy policy) {
        boolean isAdmitted = guard.admits(TenantContext.of(tenant, 3, policy), workload, nowMillis);
        (isAdmitted ? toHot : contained).merge(workload.isEmpty() ? tenant : workload, 1, Integer::sum);
        waiting += isAdmitted ? 1 : 0;
    }

    private void step() {
        nowMillis++;
        waiting = Math.max(0, waiting - CAPACITY / 1_000);
        if (nowMillis % HotGuard.UPDATE_MILLIS == 0) {
            List<LaneReport> reports = new ArrayList<>();
            reports.add(new LaneReport(SLOTS, CAPACITY, Math.min(CAPACITY, waiting * 4),
                    (long) Math.max(0, waiting - SLOTS), waiting));
            guard.update(reports, PartitionBacklog.unknown(0), 1, nowMillis);
        }
    }
}
