package io.spillway.core.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.HashSet;
import java.util.OptionalLong;
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
    void a_tenant_without_a_rate_is_admitted_and_told_of_none() {
        for (int i = 0; i < 1_000; i++) {
            Admission said = admit(policy("none", "none", "none"), 0, OptionalLong.empty(), 0);
            assertThat(said).isInstanceOf(Admission.Admitted.class);
            assertThat(said.rate()).isEmpty();
        }
        assertThat(table.size()).isZero();
    }

    /** A rate of 2/s with a burst of 4; each line is one item at this time. */
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
    void the_standing_is_what_is_left_and_when_there_is_more(
            int before, long atMillis, boolean admitted, long remaining, long fullMillis, long nextMillis) {
        TenantPolicy policy = policy("2", "4", "none");
        for (int i = 0; i < before; i++) {
            admit(policy, 0, OptionalLong.empty(), 0);
        }
        Admission said = admit(policy, atMillis, OptionalLong.empty(), 0);

        assertThat(said instanceof Admission.Admitted).isEqualTo(admitted);
        RateDecision rate = said.rate().orElseThrow();
        assertThat(rate.burst()).isEqualTo(4);
        assertThat(rate.remaining()).isEqualTo(remaining);
        assertThat(rate.fullMillis()).isEqualTo(fullMillis);
        assertThat(rate.nextMillis()).isEqualTo(nextMillis);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                       | rate  | chance | come back in ms
            a second at the least is to be spread over   | 10    | 0      |     100
            half of it                                   | 10    | 0.5    |     600
            nearly all of it                             | 10    | 0.999  |    1099
            a long wait is spread over as long again     | 0.1   | 0      |   10000
            half of that                                 | 0.1   | 0.5    |   15000
            nobody is sent away for more than 5 minutes  | 0.001 | 0.5    |  300000
            """)
    void over_the_rate_the_next_item_within_it_says_when_and_chance_spreads(String what, String rate, double random, long millis) {
        TenantPolicy policy = policy(rate, "1", "none");
        admit(policy, 0, OptionalLong.empty(), 0);

        assertThat(admit(policy, 0, OptionalLong.empty(), random))
                .isInstanceOfSatisfying(Admission.OverRate.class, over -> assertThat(over.retryAfterMillis()).isEqualTo(millis));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                              | depth     | chance | come back in ms
            somewhat over the maximum           |       120 | 0      |    1200
            ten times                           |     1_000 | 0      |   10000
            ten times, spread                   |     1_000 | 0.25   |   12500
            a minute at the most before chance  | 1_000_000 | 0      |   60000
            and two with it                     | 1_000_000 | 0.999  |  119940
            """)
    void held_back_a_caller_waits_longer_the_deeper_its_backlog(String what, String depth, double random, long millis) {
        OptionalLong waiting = OptionalLong.of(Long.parseLong(depth.replace("_", "")));
        TenantPolicy policy = policy("none", "none", "100");
        Admission said = admit(policy, 0, waiting, 0);
        for (int i = 0; said instanceof Admission.Admitted && i < 10; i++) {
            said = admit(policy, 0, waiting, 0);
        }
        said = said instanceof Admission.HeldBack && random == 0 ? said : admit(policy, 0, waiting, random);

        assertThat(said).isInstanceOfSatisfying(
                Admission.HeldBack.class, held -> assertThat(held.retryAfterMillis()).isEqualTo(millis));
    }

    @Test
    void callers_refused_together_are_told_different_times() {
        TenantPolicy policy = policy("0.1", "1", "none");
        admit(policy, 0, OptionalLong.empty(), 0);
        Set<Long> seconds = new HashSet<>();
        for (int caller = 0; caller < 100; caller++) {
            seconds.add(((Admission.OverRate) admit(policy, 0, OptionalLong.empty(), caller / 100.0)).retryAfterMillis() / 1_000);
        }
        assertThat(seconds).hasSize(10);
    }

    /** Offers 50 times its rate of 10/s for a minute with ten times its maximum waiting: a tenth of its rate comes in. */
    @Test
    void what_is_within_the_rate_is_thinned_and_not_what_is_offered() {
        TenantPolicy policy = policy("10", "1", "100");
        int admitted = 0;
        for (int i = 0; i < 60 * 500; i++) {
            admitted += admit(policy, 2L * i, OptionalLong.of(1_000), 0) instanceof Admission.Admitted ? 1 : 0;
        }
        assertThat(admitted).isBetween(59, 61);
    }

    @Test
    void who_must_not_be_refused_for_depth_still_keeps_to_its_rate() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.RATE, "1").with(PolicyField.BACK_PRESSURE, "accept").with(PolicyField.MAX_DEPTH, "1"));

        assertThat(admit(policy, 0, OptionalLong.of(1_000_000), 0)).isInstanceOf(Admission.Admitted.class);
        assertThat(admit(policy, 0, OptionalLong.of(1_000_000), 0)).isInstanceOf(Admission.OverRate.class);
    }

    private Admission admit(TenantPolicy policy, long atMillis, OptionalLong waiting, double random) {
        return rules.admit("acme", policy, waiting, START + atMillis * MILLI, random);
    }

    private static TenantPolicy policy(String rate, String burst, String maxDepth) {
        return TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.RATE, rate)
                .with(PolicyField.BURST, burst)
                .with(PolicyField.MAX_DEPTH, maxDepth));
    }
}
