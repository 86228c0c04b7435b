package io.spillway.core.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProportionalRatesTest {
    private static final RateLimit RATE = RateLimit.of(1_000, 1_000);
    private static final TenantContext ACME =
            TenantContext.of("acme", 0, TenantPolicy.of(PolicySettings.NONE_SET));

    @Test
    void a_single_process_has_the_whole_limit() {
        ProportionalRates shares = new ProportionalRates();
        shares.divide(List.of());

        assertThat(shares.limit("acme", RATE)).isSameAs(RATE);
        assertThat(shares.endInterval(500)).as("nothing is measured").isEmpty();
    }

    @ParameterizedTest(name = "{0} here, {1} and {2} elsewhere: {3}")
    @CsvSource({
        "1000, 1000,    0, 0.5",
        "1000, 3000,    0, 0.25",
        "1000,  500,  500, 0.5",
        "   0, 1000, 1000, 0.05",
        "   0,  970,    0, 0.05",
        "   0,  700,    0, 0.3",
        "   0,  250,  250, 1",
        "1000,    0,    0, 1",
        " 200,  200,    0, 1",
        " 300,  250,    0, 0.5454",
        " 250,  250,    0, 1",
    })
    void the_share_is_proportional_to_the_demand(int here, double second, double third, double expected) {
        ProportionalRates shares = new ProportionalRates();
        shares.divide(List.of(Map.of()));
        for (int i = 0; i < here; i++) {
            shares.limit("acme", RATE);
        }
        Map<String, Double> published = shares.endInterval(1_000);
        assertThat(published).isEqualTo(here == 0 ? Map.of() : Map.of("acme", (double) here));

        List<Map<String, Double>> others = new ArrayList<>(List.of(Map.of()));
        for (double other : List.of(second, third)) {
            others.add(other == 0 ? Map.of() : Map.of("acme", other));
        }
        shares.divide(others);

        assertThat(shares.limit("another", RATE)).isEqualTo(RATE);
        assertThat(shares.limit("acme", RATE).itemsPerSecond()).isEqualTo(1_000 * expected, within(1.0));
    }

    @Test
    void a_part_of_a_limit_has_that_part_of_the_burst_but_at_least_one_item() {
        RateLimit quarter = RATE.part(0.25);
        assertThat(quarter.toleranceNanos() / quarter.intervalNanos()).isEqualTo(250);
        RateLimit small = RateLimit.of(1, 1).part(0.05);
        assertThat(small.toleranceNanos()).isEqualTo(small.intervalNanos()).isEqualTo(20_000_000_000L);
    }

    @Test
    void an_idle_tenant_is_removed_after_two_intervals() {
        ProportionalRates shares = new ProportionalRates();
        shares.divide(List.of(Map.of()));
        shares.limit("acme", RATE);
        assertThat(shares.endInterval(500)).containsOnlyKeys("acme");
        assertThat(shares.endInterval(500)).containsEntry("acme", 1.0);
        assertThat(shares.endInterval(500)).isEmpty();
    }

    @Test
    void what_is_measured_counts_as_long_as_there_is_another_process() {
        ProportionalRates shares = new ProportionalRates();
        shares.divide(List.of(Map.of()));
        shares.limit("acme", RATE);
        shares.endInterval(500);
        shares.divide(List.of(Map.of()));
        assertThat(shares.endInterval(500)).isEqualTo(Map.of("acme", 1.0));

        shares.limit("acme", RATE);
        shares.divide(List.of());
        assertThat(shares.endInterval(500)).isEmpty();
    }

    @Test
    void tenants_beyond_the_bound_are_not_measured_and_have_the_whole_limit() {
        ProportionalRates shares = new ProportionalRates();
        shares.divide(List.of(Map.of("last", 1_000.0, "beyond", 1_000.0)));
        for (int tenant = 1; tenant < ProportionalRates.MAX_MEASURED; tenant++) {
            shares.limit("tenant-" + tenant, RATE);
        }
        assertThat(shares.limit("last", RATE)).isEqualTo(RATE.part(0.05));
        assertThat(shares.limit("beyond", RATE)).isEqualTo(RATE);
        assertThat(shares.limit("last", RATE)).isEqualTo(RATE.part(0.05));
    }

    @Test
    void only_the_tenants_with_the_highest_demand_are_published() {
        ProportionalRates shares = new ProportionalRates();
        shares.divide(List.of(Map.of()));
        for (int tenant = 0; tenant < ProportionalRates.MAX_PUBLISHED + 100; tenant++) {
            for (int i = 0; i < (tenant < 100 ? 1 : 2); i++) {
                shares.limit("tenant-" + tenant, RATE);
            }
        }
        assertThat(shares.endInterval(1_000)).hasSize(ProportionalRates.MAX_PUBLISHED)
                .doesNotContainKeys("tenant-0", "tenant-99");
    }

    /** Three processes exchange demands at different phases, with a delay of 100 ms. */
    @ParameterizedTest(name = "{0} items a second, {1}")
    @CsvSource({"2000, true", "2000, false", "10000, true", "10000, false", "1200, true"})
    void the_rate_holds_over_all_processes_in_steady_state_and_three_seconds_after_a_shift(
            int offered, boolean isRandom) {
        long seed = 20261121;
        Simulation simulation = new Simulation(3, offered, isRandom, seed);
        double[][] traffic = {{1, 0, 0}, {0, 0.5, 0.5}, {0.8, 0.1, 0.1}, {0, 0, 1}, {0.34, 0.33, 0.33}};
        for (double[] parts : traffic) {
            simulation.run(3_000, parts);
            int admitted = simulation.run(10_000, parts);
            assertThat(admitted)
                    .as("of %s at 1,000 a second in 10 s, seed %d", List.of(parts[0], parts[1], parts[2]), seed)
                    .isBetween(9_000, 11_000);
        }
    }

    private static final class Simulation {
        private static final int LATE_MILLIS = 100;

        private final ProportionalRates[] shares;
        private final RateTable[] tables;
        private final Map<Integer, List<Published>> published = new HashMap<>();
        private final double offeredPerMilli;
        private final boolean isRandom;
        private final Random random;
        private double due;
        private long nowMillis = 1_000_000;

        private record Published(long atMillis, Map<String, Double> demand) {}

        Simulation(int processes, int offered, boolean isRandom, long seed) {
            this.offeredPerMilli = offered / 1_000.0;
            this.isRandom = isRandom;
            this.random = new Random(seed);
            this.shares = new ProportionalRates[processes];
            this.tables = new RateTable[processes];
            for (int i = 0; i < processes; i++) {
                shares[i] = new ProportionalRates();
                tables[i] = new RateTable(10, shares[i]);
                published.put(i, new ArrayList<>());
            }
        }

        int run(long millis, double[] parts) {
            int admitted = 0;
            long end = nowMillis + millis;
            for (; nowMillis < end; nowMillis++) {
                for (int i = 0; i < shares.length; i++) {
                    if ((nowMillis + 170L * i) % 500 == 0) {
                        exchange(i);
                    }
                }
                due += isRandom ? offeredPerMilli * 2 * random.nextDouble() : offeredPerMilli;
                for (; due >= 1; due--) {
                    admitted += tables[pick(parts)].admit(ACME, RATE, nowMillis * 1_000_000) ? 1 : 0;
                }
            }
            return admitted;
        }

        private void exchange(int process) {
            published.get(process).add(new Published(nowMillis, shares[process].endInterval(500)));
            List<Map<String, Double>> others = new ArrayList<>();
            published.forEach((other, all) -> {
                if (other != process) {
                    all.stream().filter(one -> one.atMillis() <= nowMillis - LATE_MILLIS)
                            .reduce((before, after) -> after).ifPresent(one -> others.add(one.demand()));
                }
            });
            shares[process].divide(others);
        }

        private int pick(double[] parts) {
            double at = random.nextDouble();
            int i = 0;
            while (i < parts.length - 1 && at >= parts[i]) {
                at -= parts[i++];
            }
            return i;
        }
    }
}
