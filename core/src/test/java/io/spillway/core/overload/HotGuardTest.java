package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Timelines in steps of a millisecond; workers that handle 1,000 a second in 10 slots, as a fluid that hot holds. */
class HotGuardTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final double CAPACITY = 1_000;
    private static final int SLOTS = 10;
    private static final TenantPolicy NO_RATE = TenantPolicy.of(PolicySettings.NONE_SET);
    private static final TenantPolicy WITH_RATE = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RATE, "100000"));
    private static final long SEED = 20_261_121;

    private final HotGuard guard = new HotGuard(ProtectionSettings.DEFAULT, 3);
    private final Random random = new Random(SEED);
    private final Map<String, Integer> toHot = new HashMap<>();
    private final Map<String, Integer> aside = new HashMap<>();
    private long nowMillis = T0;
    private double waiting;

    @Test
    void a_burst_beside_quiet_tenants_is_turned_aside_within_the_batch_and_nobody_else_is() {
        quietTenants(99, 490, 3_000);
        assertThat(aside).as("hot is not behind").isEmpty();

        for (int i = 0; i < 50_000; i++) {
            arrive("noisy", NO_RATE);
        }
        assertThat(toHot.get("noisy")).as("what 10 slots and 200 ms hold, and its share of what is free").isLessThan(500);
        quietTenants(99, 490, 3_000);
        assertThat(aside).containsOnlyKeys("noisy");
        assertThat(guard.isBehind(nowMillis)).as("it has caught up").isFalse();
    }

    @Test
    void a_flood_that_goes_on_leaves_room_in_hot_for_the_quiet_and_is_let_in_again_when_it_ends() {
        quietTenants(50, 300, 2_000);
        double mostWaiting = 0;
        for (int millis = 0; millis < 10_000; millis++) {
            for (int i = 0; i < 5; i++) {
                arrive("noisy", NO_RATE);
            }
            quietTenants(50, 300, 1);
            mostWaiting = Math.max(mostWaiting, waiting);
        }
        assertThat(aside).containsOnlyKeys("noisy");
        assertThat(toHot.get("noisy")).as("in ten seconds, with 700 a second free").isBetween(1_000, 8_500);
        assertThat(mostWaiting).as("at most half a second of work").isLessThan(500);

        quietTenants(50, 300, 2_000);
        aside.clear();
        for (int i = 0; i < 100; i++) {
            arrive("noisy", NO_RATE);
        }
        assertThat(aside).as("caught up: it is a tenant like any other").isEmpty();
    }

    @Test
    void two_heavy_tenants_are_both_turned_aside_for_the_third() {
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
        assertThat(aside).containsOnlyKeys("heavy-1", "heavy-2");
        assertThat(aside.get("heavy-1")).isGreaterThan(4_000);
        assertThat(aside.get("heavy-2")).isGreaterThan(4_000);
    }

    @Test
    void a_tenant_that_is_alone_has_nobody_to_make_room_for() {
        for (int millis = 0; millis < 5_000; millis++) {
            for (int i = 0; i < 10; i++) {
                arrive("only", NO_RATE);
            }
            step();
        }
        assertThat(guard.isBehind(nowMillis)).isTrue();
        assertThat(aside).isEmpty();
    }

    @Test
    void many_equal_tenants_that_are_too_much_together_are_nobodys_fault() {
        for (int millis = 0; millis < 10_000; millis++) {
            for (int i = 0; i < 3; i++) {
                arrive("tenant-" + random.nextInt(100), NO_RATE);
            }
            step();
        }
        assertThat(guard.isBehind(nowMillis)).as("three times the capacity").isTrue();
        assertThat(aside).as("seed %d", SEED).isEmpty();
    }

    @Test
    void a_tenant_with_a_rate_is_held_to_that_and_to_nothing_else() {
        quietTenants(20, 200, 1_000);
        for (int i = 0; i < 5_000; i++) {
            arrive("granted", WITH_RATE);
            arrive("noisy", NO_RATE);
        }
        assertThat(aside).containsOnlyKeys("noisy");
    }

    @Test
    void turned_off_it_does_nothing() {
        HotGuard off = HotGuard.off();
        for (int i = 0; i < 10_000; i++) {
            assertThat(off.admits("noisy", NO_RATE, T0)).isTrue();
        }
        off.look(List.of(new LaneReport(1, 1, 1, 1_000, 9_000)), PartitionBacklog.unknown(0), 1, T0);
        assertThat(off.isBehind(T0)).isFalse();
        assertThat(off.tenants()).isZero();
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
        boolean isAdmitted = guard.admits(tenant, policy, nowMillis);
        (isAdmitted ? toHot : aside).merge(tenant, 1, Integer::sum);
        waiting += isAdmitted ? 1 : 0;
    }

    private void step() {
        nowMillis++;
        waiting = Math.max(0, waiting - CAPACITY / 1_000);
        if (nowMillis % HotGuard.LOOK_EVERY_MILLIS == 0) {
            List<LaneReport> reports = new ArrayList<>();
            reports.add(new LaneReport(SLOTS, CAPACITY, Math.min(CAPACITY, waiting * 4), (long) Math.max(0, waiting - SLOTS), waiting));
            guard.look(reports, PartitionBacklog.unknown(0), 1, nowMillis);
        }
    }
}
