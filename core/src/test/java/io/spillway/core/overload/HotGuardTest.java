package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    private final long[] counts = new long[DecayingCounts.MAX_TENANTS];
    private long nowMillis = T0;
    private double waiting;

    @BeforeEach
    void report() {
        WorkerReport report = new WorkerReport(SLOTS, CAPACITY, CAPACITY, Math.min(CAPACITY, waiting * 4),
                (long) Math.max(0, waiting - SLOTS), waiting, Map.of());
        guard.update(Optional.of(report), 0, false, 1, Fleet.UPDATE_MILLIS, nowMillis, counts);
    }

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
    void the_excess_of_a_single_tenant_is_contained_so_that_its_fresh_items_do_not_wait() {
        double mostWaiting = 0;
        for (int millis = 0; millis < 5_000; millis++) {
            for (int i = 0; i < 10; i++) {
                arrive("only", NO_RATE);
            }
            mostWaiting = Math.max(mostWaiting, waiting);
            step();
        }
        assertThat(mostWaiting).as("two targets of work").isLessThan(2 * 0.2 * CAPACITY);
        assertThat(toHot.get("only")).as("all of the capacity, for five seconds").isGreaterThan(4_900);
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

    /** Tenants, arrivals a millisecond: the capacity is one. */
    @ParameterizedTest
    @CsvSource({"2, 3", "10, 3", "100, 2", "100, 3", "100, 10", "3000, 3"})
    void of_equal_tenants_over_the_capacity_the_excess_of_each_is_contained_and_hot_is_in_use(
            int tenants, int perMilli) {
        double mostWaiting = 0;
        for (int millis = 0; millis < 10_000; millis++) {
            for (int i = 0; i < perMilli; i++) {
                arrive("tenant-" + random.nextInt(tenants), NO_RATE);
            }
            mostWaiting = Math.max(mostWaiting, waiting);
            step();
        }
        int admitted = toHot.values().stream().mapToInt(count -> count).sum();
        assertThat(mostWaiting).as("seed %d: two targets of work", SEED).isLessThan(2 * 0.2 * CAPACITY);
        assertThat(admitted).as("seed %d: the capacity, for ten seconds", SEED).isGreaterThan(9_900);
        if (tenants <= 100) {
            assertThat(toHot.values()).as("seed %d: a fair share each", SEED)
                    .allSatisfy(count -> assertThat((double) count).isCloseTo((double) admitted / tenants,
                            withinPercentage(35)));
        }
        contained.clear();
        toHot.clear();
        quiet(tenants, 1_000);
        assertThat(contained).as("seed %d: after the first second everything is fresh again", SEED).isEmpty();
    }

    @Test
    void while_many_tenants_overload_hot_one_that_sends_little_is_admitted() {
        for (int millis = 0; millis < 10_000; millis++) {
            for (int i = 0; i < 3; i++) {
                arrive("tenant-" + random.nextInt(50), NO_RATE);
            }
            if (millis % 1_000 == 0) {
                arrive("quiet", NO_RATE);
            }
            step();
        }
        assertThat(toHot.get("quiet")).isEqualTo(10);
    }

    @Test
    void who_uses_little_of_the_capacity_stays_in_hot_whatever_waits_there() {
        waiting = 5_000; // Sent while the capacity was higher, or not known.
        for (int millis = 0; millis < 3_000; millis++) {
            arrive("noisy", NO_RATE);
            quietTenants(10, 100, 1);
        }
        assertThat(contained).containsOnlyKeys("noisy");
        assertThat(waiting).as("half of the capacity is left for what waits").isLessThan(3_500);
    }

    @Test
    void a_tenant_with_a_rate_is_contained_only_when_the_others_have_been() {
        for (int millis = 0; millis < 3_000; millis++) {
            if (millis % 3 == 0) {
                arrive("granted", WITH_RATE);
            }
            for (int i = 0; i < 5; i++) {
                arrive("noisy", NO_RATE);
            }
            quietTenants(20, 200, 1);
        }
        assertThat(contained).containsOnlyKeys("noisy");
        assertThat(toHot.get("granted")).isEqualTo(1_000);

        for (int i = 0; i < 5_000; i++) {
            arrive("granted", WITH_RATE);
        }
        assertThat(contained).as("hot stays short whatever was granted").containsKey("granted");
        assertThat(waiting).isLessThan(2 * 0.2 * CAPACITY);
    }

    @Test
    void the_disabled_guard_admits_everything() {
        HotGuard off = new HotGuard(ProtectionSettings.OFF);
        for (int i = 0; i < 10_000; i++) {
            assertThat(off.admits(TenantContext.of("noisy", 3, NO_RATE), "", false, T0)).isTrue();
        }
        off.update(Optional.of(new WorkerReport(1, 1, 1, 1, 1_000, 9_000, Map.of())), 0, false, 1, 0, T0, counts);
        assertThat(off.isBehind(T0)).isFalse();
    }

    /** A second without items, and then 60 percent of the capacity. */
    private void quiet(int tenants, int millis) {
        for (int i = 0; i < 1_000; i++) {
            step();
        }
        for (int i = 0; i < millis; i++) {
            if (random.nextDouble() < 0.6) {
                arrive("tenant-" + random.nextInt(tenants), NO_RATE);
            }
            step();
        }
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
        boolean isAdmitted = guard.admits(TenantContext.of(tenant, 3, policy), workload, false, nowMillis);
        (isAdmitted ? toHot : contained).merge(workload.isEmpty() ? tenant : workload, 1, Integer::sum);
        waiting += isAdmitted ? 1 : 0;
    }

    private void step() {
        nowMillis++;
        waiting = Math.max(0, waiting - CAPACITY / 1_000);
        if (nowMillis % Fleet.UPDATE_MILLIS == 0) {
            report();
        }
    }
}
