package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What one tenant may send to hot at once while the backlog there stays as it is. The worker handles 1,000 items a
 * second in 10 slots, so 361 are what it can do within the memory of the counts. Hot may have 110 of them, and a step
 * is ten more.
 */
class HotGuardLimitsTest {
    private static final long T0 = 1_800_000_000_000L;
    private static final int WITHIN = 110;
    private static final int STEP = 10;
    private static final int ALL = 5_000;
    private static final TenantPolicy NO_RATE = TenantPolicy.of(PolicySettings.NONE_SET);
    private static final TenantPolicy WITH_RATE =
            TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RATE, "100000"));

    private final HotGuard guard = new HotGuard(ProtectionSettings.DEFAULT);

    @BeforeEach
    void report() {
        report(guard);
    }

    @ParameterizedTest(name = "{0} steps")
    @CsvSource({"0, 361", "1, 361", "3.5, 180", "5.9, 93"})
    void the_more_waits_the_less_a_tenant_may_send_down_to_a_quarter_of_what_the_worker_can_do(
            double steps, int admitted) {
        fallBehind(guard);
        assertThat(admitted(guard, "acme", NO_RATE, "", steps)).isCloseTo(admitted, within(2));
    }

    @Test
    void while_hot_is_not_behind_a_tenant_may_send_more_than_its_limit() {
        assertThat(admitted(guard, "acme", NO_RATE, "", -11)).isEqualTo(ALL);
    }

    @Test
    void from_six_steps_on_all_tenants_together_may_send_half_of_what_the_worker_can_do() {
        fallBehind(guard);
        assertThat(admitted(guard, "acme", NO_RATE, "", 6)).as("in 100 ms, and one").isEqualTo(51);
        assertThat(admitted(guard, "bolt", NO_RATE, "", 6)).isZero();
    }

    @Test
    void a_tenant_with_a_rate_is_limited_from_two_steps_on() {
        fallBehind(guard);
        assertThat(admitted(guard, "acme", WITH_RATE, "", 1.9)).isEqualTo(ALL);
        assertThat(admitted(guard, "bolt", WITH_RATE, "", 2)).isLessThan(361);
    }

    @Test
    void a_workload_may_send_three_quarters_of_the_limit_and_all_of_a_tenant_no_more_than_that() {
        sendsFew();
        assertThat(admitted(guard, "acme", NO_RATE, "mail", 5.9)).isCloseTo(93 * 3 / 4, within(2));

        sendsFew();
        assertThat(admittedOfManyWorkloads("bolt")).isCloseTo(361, within(6));
    }

    @Test
    void of_a_single_tenant_only_the_workloads_have_a_limit() {
        fallBehind(guard);
        assertThat(admittedOfManyWorkloads("acme")).isEqualTo(ALL);
        assertThat(admitted(guard, "acme", NO_RATE, "mail", 1)).isCloseTo(361, within(2));
    }

    @Test
    void each_worker_has_limits_of_its_own() {
        HotGuard other = new HotGuard(ProtectionSettings.DEFAULT);
        report(other);
        fallBehind(guard);
        fallBehind(other);
        for (String workload : new String[] {"", "mail"}) {
            assertThat(admitted(guard, "acme" + workload, NO_RATE, workload, 1)).isPositive()
                    .isEqualTo(admitted(other, "acme" + workload, NO_RATE, workload, 1));
        }
    }

    /** Two tenants are known from now on. */
    private void sendsFew() {
        guard.lane.assume(0, T0);
        for (String tenant : new String[] {"one", "two"}) {
            guard.admits(TenantContext.of(tenant, 3, NO_RATE), "", false, T0);
        }
        report(guard);
        fallBehind(guard);
    }

    private static void report(HotGuard to) {
        to.update(Optional.of(new WorkerReport(10, 1_000, 1_000, 0, 0, 0, Map.of())), 0, false, 1, 100, T0,
                new long[DecayingCounts.MAX_TENANTS]);
    }

    private static void fallBehind(HotGuard late) {
        late.lane.assume(WITHIN + 10 * STEP, T0);
        late.lane.sent(T0);
        assertThat(late.isBehind(T0)).isTrue();
    }

    private static int admitted(HotGuard by, String tenant, TenantPolicy policy, String workload, double steps) {
        int admitted = 0;
        while (admitted < ALL && admits(by, tenant, policy, workload, steps)) {
            admitted++;
        }
        return admitted;
    }

    /** Each item is of another workload. */
    private int admittedOfManyWorkloads(String tenant) {
        int admitted = 0;
        while (admitted < ALL && admits(guard, tenant, NO_RATE, "w" + admitted, 1)) {
            admitted++;
        }
        return admitted;
    }

    private static boolean admits(HotGuard by, String tenant, TenantPolicy policy, String workload, double steps) {
        by.lane.assume(Math.round(WITHIN + steps * STEP), T0);
        return by.admits(TenantContext.of(tenant, 3, policy), workload, false, T0);
    }
}
