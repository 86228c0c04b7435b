package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.hashing.TenantHash;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DecayingCountsTest {
    private final DecayingCounts shares = new DecayingCounts();
    private final long[] counts = new long[DecayingCounts.MAX_TENANTS];

    @Test
    void what_is_beyond_the_maximum_is_forgotten() {
        for (int i = 0; i < 100; i++) {
            assertThat(shares.add(TenantHash.key("acme", 7), 1, DecayingCounts.NO_LIMIT, 10 * DecayingCounts.UNIT))
                    .isTrue();
        }
        assertThat(items()[0]).isEqualTo(10);
    }

    @Test
    void a_steady_rate_converges_to_its_memory_and_decays_to_zero() {
        for (int millis = 0; millis < 3_000; millis += 10) {
            add("acme", 1, DecayingCounts.NO_LIMIT);
            shares.decay(10);
        }
        assertThat(items()).hasSize(1);
        assertThat(items()[0]).as("100 a second").isCloseTo(100 * DecayingCounts.MEMORY_SECONDS, within(1.5));

        shares.decay(DecayingCounts.HALF_LIFE_MILLIS);
        assertThat(items()[0]).isCloseTo(50 * DecayingCounts.MEMORY_SECONDS, within(1.5));
        shares.decay(30 * DecayingCounts.HALF_LIFE_MILLIS);
        assertThat(shares.copy(new long[DecayingCounts.MAX_TENANTS])).isZero();
    }

    @Test
    void an_item_over_the_limit_is_not_counted() {
        long limit = 10 * DecayingCounts.UNIT;
        int admitted = 0;
        for (int i = 0; i < 100; i++) {
            admitted += add("acme", 1, limit) ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(10);
        assertThat(items()).containsExactly(10);
        shares.decay(DecayingCounts.HALF_LIFE_MILLIS);
        assertThat(add("acme", 1, limit)).as("half of the count has decayed").isTrue();
    }

    @Test
    void an_item_of_a_heavy_weight_counts_less() {
        for (int i = 0; i < 100; i++) {
            add("heavy", 1_000, DecayingCounts.NO_LIMIT);
            add("light", 0.01, DecayingCounts.NO_LIMIT);
        }
        double[] items = items();
        Arrays.sort(items);
        assertThat(items[0]).isCloseTo(0.1, within(0.001));
        assertThat(items[1]).isCloseTo(10_000, within(1.0));
    }

    /** A million tenants with one item each, and one tenant with every tenth item. */
    @Test
    void the_table_is_bounded_and_keeps_heavy_tenants() {
        for (int i = 0; i < 1_000_000; i++) {
            add("name-" + i, 1, DecayingCounts.NO_LIMIT);
            if (i % 10 == 0) {
                add("flood", 1, DecayingCounts.NO_LIMIT);
            }
            if (i % 100_000 == 99_999) {
                shares.decay(DecayingCounts.HALF_LIFE_MILLIS);
            }
        }
        assertThat(shares.copy(new long[DecayingCounts.MAX_TENANTS])).isLessThanOrEqualTo(DecayingCounts.MAX_TENANTS);
        double most = Arrays.stream(items()).max().orElse(0);
        assertThat(most).as("of 10,000 lately").isGreaterThan(100);
        assertThat(add("flood", 1, 100 * DecayingCounts.UNIT))
                .as("the heavy tenant is counted").isFalse();
    }

    @Test
    void idle_tenants_are_removed() {
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < 500; i++) {
                add("round-" + round + "-" + i, 1, DecayingCounts.NO_LIMIT);
            }
            shares.decay(25 * DecayingCounts.HALF_LIFE_MILLIS);
            assertThat(shares.copy(new long[DecayingCounts.MAX_TENANTS])).as("round %d", round).isZero();
        }
    }

    private double[] items() {
        int count = shares.copy(counts);
        return Arrays.stream(counts, 0, count).mapToDouble(each -> (double) each / DecayingCounts.UNIT).toArray();
    }

    private boolean add(String tenant, double weight, long limit) {
        return shares.add(TenantHash.key(tenant, 7), weight, limit, DecayingCounts.NO_LIMIT);
    }
}
