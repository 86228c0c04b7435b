package io.spillway.core.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.spillway.Seed;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadShedderTest {
    private static final TenantPolicy AT_100 = policy("shed", "100");

    private final LoadShedder shedder = new LoadShedder(100);

    /** Of 1,000 offers at one depth. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                          | policy | maxDepth |       depth | admitted
            no maximum, nothing shed                        | shed   | none     | 1_000_000_000 | 1000
            under the maximum                               | shed   | 100      |          99 | 1000
            at the maximum                                  | shed   | 100      |         100 | 1000
            an empty backlog                                | shed   | 100      |           0 | 1000
            a quarter over                                  | shed   | 100      |         125 |  800
            twice the maximum                               | shed   | 100      |         200 |  500
            ten times                                       | shed   | 100      |       1_000 |  100
            a thousand times                                | shed   | 100      |     100_000 |    1
            accept is never shed                            | accept | 100      |     100_000 | 1000
            the smallest maximum                            | shed   | 1        |           4 |  250
            """)
    void the_share_admitted_is_the_maximum_over_the_depth(
            String what, String backPressure, String maxDepth, String depth, int expected) {
        TenantPolicy policy = policy(backPressure, maxDepth);
        Backlog backlog = depth(Long.parseLong(depth.replace("_", "")));

        // Rounding of binary fractions may give one item less.
        assertThat(admitted(policy, backlog, 1_000)).isBetween(expected == 1000 ? 1000 : expected - 1, expected);
    }

    @Test
    void admissions_are_evenly_spread() {
        int sinceLast = 0;
        for (int offer = 0; offer < 1_000; offer++) {
            boolean admitted = shedder.admit("acme", AT_100, depth(400), 0);
            sinceLast = admitted ? 0 : sinceLast + 1;
            assertThat(sinceLast).as("offer %s", offer).isLessThan(4);
        }
    }

    @Test
    void a_tenant_is_affected_only_by_its_own_backlog() {
        for (int i = 0; i < 1_000; i++) {
            shedder.admit("noisy", AT_100, depth(100_000), 0);
            assertThat(shedder.admit("quiet", AT_100, depth(100), 0)).isTrue();
        }
    }

    /**
     * A day of one tenant in steps of 0.1 s: items offered a second, handlers' capacity a second, and the depth known
     * to the gateway, which is 2 s old.
     */
    @Tag("slow")
    @ParameterizedTest(name = "offers {0}/s, capacity {1}/s, maximum {2}")
    @CsvSource({
        // offered, capacity, maxDepth, settled depth, admitted a second once settled
        "100, 50, 1_000, 2_000, 50",
        "500, 50, 1_000, 10_000, 50",
        "2_500, 50, 1_000, 50_000, 50",
        "55, 50, 1_000, 1_100, 50",
        "50, 50, 1_000, 0, 50",
        "40, 50, 1_000, 0, 40",
    })
    void the_backlog_settles_at_overload_times_maximum(
            String offered, String capacity, String maxDepth, String settled, double admittedPerSecond) {
        TenantPolicy policy = policy("shed", maxDepth.replace("_", ""));
        Timeline timeline = new Timeline(policy, number(offered) / 10.0, number(capacity) / 10.0);
        timeline.run(4 * 3600);
        long before = timeline.admitted;
        timeline.run(600);

        assertThat(timeline.depth).isCloseTo(number(settled), within(Math.max(25.0, number(settled) * 0.02)));
        assertThat((timeline.admitted - before) / 600.0).isCloseTo(admittedPerSecond, within(1.0));
    }

    @Tag("slow")
    @Test
    void after_a_spike_all_offers_are_admitted_again() {
        Timeline timeline = new Timeline(policy("shed", "1000"), 50, 5);
        timeline.run(1_800);
        assertThat(timeline.depth).isGreaterThan(1_000);

        timeline.offered = 4;
        // The excess drains slowly, for more than an hour.
        timeline.run(3_600);
        long before = timeline.admitted;
        timeline.run(10);
        assertThat(timeline.depth).isLessThan(1_000);
        assertThat(timeline.admitted - before).as("all offers").isEqualTo(400);
        assertThat(timeline.shedder.credits.size()).as("the credit is removed").isZero();
    }

    @Test
    void tenants_beyond_the_bound_are_admitted_at_random() {
        LoadShedder small = new LoadShedder(1);
        Seed seed = new Seed();
        small.admit("first", AT_100, depth(200), 0);
        int admitted = 0;
        for (int i = 0; i < 10_000; i++) {
            admitted += small.admit("second", AT_100, depth(400), seed.random().nextDouble()) ? 1 : 0;
        }

        assertThat(small.credits.size()).isEqualTo(1);
        assertThat(admitted).as(seed.toString()).isBetween(2_300, 2_700);
        assertThatIllegalArgumentException().isThrownBy(() -> new LoadShedder(0)).withMessageContaining("maxTenants");
    }

    @Test
    void of_equally_likely_numbers_exactly_the_share_admits_beyond_the_bound() {
        LoadShedder small = new LoadShedder(1);
        small.admit("first", AT_100, depth(200), 0);
        int admitted = 0;
        for (int quarter = 0; quarter < 4; quarter++) {
            admitted += small.admit("second", AT_100, depth(200), quarter / 4.0) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(2);
    }

    @Test
    void a_tenant_that_is_not_over_its_maximum_needs_no_credit() {
        shedder.admit("acme", AT_100, depth(101), 0);
        assertThat(shedder.credits).containsOnlyKeys("acme");
        shedder.admit("acme", AT_100, depth(100), 0);
        assertThat(shedder.credits).isEmpty();
    }

    @Test
    void gateways_do_not_admit_in_step() {
        int together = 0;
        for (int gateway = 0; gateway < 10; gateway++) {
            together += new LoadShedder(1).admit("acme", AT_100, depth(200), gateway / 10.0) ? 1 : 0;
        }
        assertThat(together).as("half of them").isEqualTo(5);
    }

    @Test
    void threads_share_one_credit() throws Exception {
        AtomicLong admitted = new AtomicLong();
        CyclicBarrier together = new CyclicBarrier(4);
        try (var threads = Executors.newFixedThreadPool(4)) {
            for (int thread = 0; thread < 4; thread++) {
                threads.submit(() -> {
                    together.await();
                    for (int i = 0; i < 10_000; i++) {
                        if (shedder.admit("acme", AT_100, depth(800), 0)) {
                            admitted.incrementAndGet();
                        }
                    }
                    return null;
                });
            }
        }
        assertThat(admitted.get()).isEqualTo(40_000 / 8);
    }

    private int admitted(TenantPolicy policy, Backlog backlog, int offers) {
        int admitted = 0;
        for (int i = 0; i < offers; i++) {
            admitted += shedder.admit("acme", policy, backlog, 0) ? 1 : 0;
        }
        return admitted;
    }

    /** Of 1,000 offers, with a maxDepth of 1,000. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                  | policy | maxDrain | waiting | minutes | admitted | limit
            the default is an hour                  | shed   |          |     900 |      60 |     1000 | -
            twice the hour                          | shed   |          |     900 |     120 |      500 | maxDrain
            ten hours                               | shed   |          |     900 |     600 |      100 | maxDrain
            an unknown time                         | shed   |          |     900 |       0 |     1000 | -
            no maximum                              | shed   | none     |     900 |   60000 |     1000 | -
            another maximum                         | shed   | 10m      |     900 |      40 |      250 | maxDrain
            both, the drain time is worse           | shed   |          |    2000 |     240 |      250 | maxDrain
            both, the depth is worse                | shed   |          |    4000 |     120 |      250 | maxDepth
            both alike, the drain time is named     | shed   |          |    2000 |     120 |      500 | maxDrain
            accept is never shed                    | accept |          |    4000 |     600 |     1000 | -
            """)
    void the_share_admitted_is_the_maximum_over_the_drain_time(
            String what, String backPressure, String maxDrain, long waiting, long minutes, int expected,
            String limit) {
        PolicySettings settings = PolicySettings.NONE_SET
                .with(PolicyField.BACK_PRESSURE, backPressure)
                .with(PolicyField.MAX_DEPTH, "1000");
        TenantPolicy policy = TenantPolicy.of(
                maxDrain == null ? settings : settings.with(PolicyField.MAX_DRAIN, maxDrain));
        Backlog backlog = new Backlog(waiting, minutes * 60e3);

        assertThat(admitted(policy, backlog, 1_000)).isBetween(expected == 1000 ? 1000 : expected - 1, expected);
        if (!limit.equals("-")) {
            assertThat(LoadShedder.limit(policy, backlog).key()).isEqualTo(limit);
        }
    }

    private static Backlog depth(long waiting) {
        return new Backlog(waiting, 0);
    }

    private static TenantPolicy policy(String backPressure, String maxDepth) {
        return TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.BACK_PRESSURE, backPressure)
                .with(PolicyField.MAX_DEPTH, maxDepth));
    }

    private static long number(String text) {
        return Long.parseLong(text.replace("_", ""));
    }

    /** Steps of 0.1 s; the known depth is updated every 2 s. */
    private static final class Timeline {
        final LoadShedder shedder = new LoadShedder(10);
        final TenantPolicy policy;
        double offered;
        final double capacity;
        double depth;
        long admitted;
        private double offers;
        private long step;
        private long row;

        Timeline(TenantPolicy policy, double offered, double capacity) {
            this.policy = policy;
            this.offered = offered;
            this.capacity = capacity;
        }

        void run(int seconds) {
            for (long end = step + seconds * 10L; step < end; step++) {
                if (step % 20 == 0) {
                    row = (long) depth;
                }
                for (offers += offered; offers >= 1; offers--) {
                    if (shedder.admit("acme", policy, depth(row), 0)) {
                        depth++;
                        admitted++;
                    }
                }
                depth = Math.max(0, depth - capacity);
            }
        }
    }
}
