package io.spillway.core.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdmissionRulesTest {
    private static final long START = 1_800_000_000_000_000_000L;
    private static final long MILLI = 1_000_000;

    private final RateTable table = new RateTable(100);
    private final AdmissionRules rules = new AdmissionRules(table, new LoadShedder(100));

    @Test
    void a_tenant_without_a_rate_is_admitted_without_a_rate_decision() {
        for (int i = 0; i < 1_000; i++) {
            Admission admission = admit(policy("none", "none", "none"), 0, Backlog.NONE, 0);
            assertThat(admission).isInstanceOf(Admission.Admitted.class);
            assertThat(admission.rate()).isEmpty();
        }
        assertThat(table.size()).isZero();
    }

    /** A rate of 2/s with a burst of 4. */
    @ParameterizedTest(name = "after {0} items at 0 ms, one at {1} ms")
    @CsvSource(delimiter = '|', textBlock = """
            # items before | at ms | admitted | remaining | full in ms | next in ms
            0              |     0 | true     |         3 |        500 |          0
            1              |     0 | true     |         2 |       1000 |          0
            3              |     0 | true     |         0 |       2000 |        500
            4              |     0 | false    |         0 |       2000 |        500
            4              |   100 | false    |         0 |       1900 |        400
            4              |   499 | false    |         0 |       1501 |          1
            4              |   500 | true     |         0 |       2000 |        500
            4              |  1000 | true     |         1 |       1500 |          0
            4              |  9000 | true     |         3 |        500 |          0
            """)
    void the_decision_has_the_remaining_items_and_the_wait_for_more(
            int before, long atMillis, boolean admitted, long remaining, long fullMillis, long nextMillis) {
        TenantPolicy policy = policy("2", "4", "none");
        for (int i = 0; i < before; i++) {
            admit(policy, 0, Backlog.NONE, 0);
        }
        Admission admission = admit(policy, atMillis, Backlog.NONE, 0);

        assertThat(admission instanceof Admission.Admitted).isEqualTo(admitted);
        RateDecision rate = admission.rate().orElseThrow();
        assertThat(rate.burst()).isEqualTo(4);
        assertThat(rate.remaining()).isEqualTo(remaining);
        assertThat(rate.fullMillis()).isEqualTo(fullMillis);
        assertThat(rate.nextMillis()).isEqualTo(nextMillis);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                       | rate  | chance | retry after ms
            jitter of at least a second                  | 10    | 0      |     100
            half of jitter                               | 10    | 0.5    |     600
            nearly all of jitter                         | 10    | 0.999  |    1099
            a long wait has a jitter of its own lengt    | 0.1   | 0      |   10000
            half of jitter                               | 0.1   | 0.5    |   15000
            the maximum is 5 minutes                     | 0.001 | 0.5    |  300000
            """)
    void retry_over_the_rate_is_the_time_of_the_next_item_plus_jitter(
            String what, String rate, double random, long millis) {
        TenantPolicy policy = policy(rate, "1", "none");
        admit(policy, 0, Backlog.NONE, 0);

        assertThat(admit(policy, 0, Backlog.NONE, random))
                .isInstanceOfSatisfying(
                        Admission.OverRate.class, over -> assertThat(over.retryAfterMillis()).isEqualTo(millis));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                              | depth     | chance | retry after ms
            somewhat over the maximum           |       120 | 0      |    1200
            ten times                           |     1_000 | 0      |   10000
            ten times, jitter                   |     1_000 | 0.25   |   12500
            a minute at most before the jitter  | 1_000_000 | 0      |   60000
            two with it                         | 1_000_000 | 0.999  |  119940
            """)
    void a_shed_caller_waits_longer_with_a_deeper_backlog(String what, String depth, double random, long millis) {
        Backlog backlog = new Backlog(Long.parseLong(depth.replace("_", "")), 0);
        TenantPolicy policy = policy("none", "none", "100");
        Admission admission = admit(policy, 0, backlog, 0);
        for (int i = 0; admission instanceof Admission.Admitted && i < 10; i++) {
            admission = admit(policy, 0, backlog, 0);
        }
        admission = admission instanceof Admission.HeldBack && random == 0 ? admission : admit(policy, 0, backlog,
                random);

        assertThat(admission).isInstanceOfSatisfying(
                Admission.HeldBack.class, held -> assertThat(held.retryAfterMillis()).isEqualTo(millis));
    }

    @Test
    void callers_rejected_together_get_different_retry_times() {
        TenantPolicy policy = policy("0.1", "1", "none");
        admit(policy, 0, Backlog.NONE, 0);
        Set<Long> seconds = new HashSet<>();
        for (int caller = 0; caller < 100; caller++) {
            seconds.add(((Admission.OverRate) admit(policy, 0, Backlog.NONE, caller / 100.0))
                    .retryAfterMillis() / 1_000);
        }
        assertThat(seconds).hasSize(10);
    }

    /** A tenant offers 50 times its rate of 10/s for a minute, at ten times its maximum depth. */
    @Test
    void load_shedding_applies_to_the_items_within_the_rate() {
        TenantPolicy policy = policy("10", "1", "100");
        int admitted = 0;
        for (int i = 0; i < 60 * 500; i++) {
            admitted += admit(policy, 2L * i, new Backlog(1_000, 0), 0) instanceof Admission.Admitted ? 1 : 0;
        }
        assertThat(admitted).isBetween(59, 61);
    }

    @Test
    void a_tenant_without_back_pressure_is_still_rate_limited() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.ADMISSION_RATE, "1")
                .with(PolicyField.BACK_PRESSURE, "accept")
                .with(PolicyField.MAX_DEPTH, "1"));

        assertThat(admit(policy, 0, new Backlog(1_000_000, 0), 0)).isInstanceOf(Admission.Admitted.class);
        assertThat(admit(policy, 0, new Backlog(1_000_000, 0), 0)).isInstanceOf(Admission.OverRate.class);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                     | setting       | waiting | minutes | result   | limit
            over the admission rate                    | admissionRate |       0 |       0 | OverRate | admissionRate
            over a growing limit                       | growth        |       0 |       0 | OverRate | growth
            over maxDrain                              | rate          |      10 |  600000 | HeldBack | maxDrain
            over maxDepth                              | maxDepth      | 1000000 |       0 | HeldBack | maxDepth
            """)
    void a_refusal_names_its_limit(
            String what, String setting, long waiting, long minutes, String result, String limit) {
        PolicyField field = Arrays.stream(PolicyField.values()).filter(each -> each.key().equals(setting)).findFirst()
                .orElseThrow();
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET.with(field, "2"));
        Optional<RateLimit> door = policy.growth().map(rule -> rule.limit(10)).or(policy::admissionLimit);
        Admission last = new Admission.Admitted(Optional.empty());
        for (int i = 0; i < 11; i++) {
            last = rules.admit(
                    TenantContext.of("acme", 0, policy), door, new Backlog(waiting, minutes * 60e3), START, 0);
        }
        assertThat(last.getClass().getSimpleName()).isEqualTo(result);
        PolicyField by = switch (last) {
            case Admission.OverRate over -> over.limit();
            case Admission.HeldBack held -> held.limit();
            case Admission.Admitted admitted -> throw new AssertionError("admitted");
        };
        assertThat(by.key()).isEqualTo(limit);
        assertThat(AdmissionRules.LIMITS).contains(by);
    }

    /** The lanes hold it, where its excess goes to overflow. */
    @Test
    void a_rate_alone_refuses_nothing() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RATE, "1"));
        for (int i = 0; i < 100; i++) {
            assertThat(admit(policy, 0, Backlog.NONE, 0)).isInstanceOf(Admission.Admitted.class);
        }
    }

    private Admission admit(TenantPolicy policy, long atMillis, Backlog backlog, double random) {
        return rules.admit(
                TenantContext.of("acme", 0, policy), policy.admissionLimit(), backlog, START + atMillis * MILLI,
                random);
    }

    private static TenantPolicy policy(String rate, String burst, String maxDepth) {
        return TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.ADMISSION_RATE, rate)
                .with(PolicyField.ADMISSION_BURST, burst)
                .with(PolicyField.MAX_DEPTH, maxDepth));
    }
}
