package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Published figures of shuffle sharding: shards, overlaps and their probabilities. */
class OverlapOddsTest {
    @ParameterizedTest
    @CsvSource({
        "8, 2, 28", "2048, 4, 730862190080", "64, 4, 635376", "5, 0, 1", "5, 5, 1", "5, 6, 0", "5, -1, 0", "0, 0, 1",
        "100, 50, 100891344545564193334812497256"
    })
    void binomial_coefficients_are_exact(int n, int k, BigInteger ways) {
        assertThat(OverlapOdds.choose(n, k)).isEqualTo(ways);
    }

    @Test
    void each_coefficient_is_the_sum_of_the_two_above_it() {
        for (int n = 1; n <= 60; n++) {
            for (int k = 0; k <= n; k++) {
                assertThat(OverlapOdds.choose(n, k))
                        .isEqualTo(OverlapOdds.choose(n - 1, k).add(OverlapOdds.choose(n - 1, k - 1)));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8, 2, 0, .536", "8, 2, 1, .429", "8, 2, 2, .036",
        "2048, 4, 0, .9922", "2048, 4, 1, .00778", "2048, 4, 2, 1.71e-5", "2048, 4, 3, 1.12e-8", "2048, 4, 4, 1.37e-12"
    })
    void two_tenants_share_slots_with_the_published_probability(int slots, int perTenant, int shared, double chance) {
        assertThat(new OverlapOdds(slots, perTenant).chance(shared)).isCloseTo(chance, Percentage.withPercentage(1.1));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "8, 2", "9, 9", "10, 7", "64, 4", "2048, 4", "4096, 16"})
    void the_shards_by_shared_slots_sum_up_to_all_shards(int slots, int perTenant) {
        OverlapOdds odds = new OverlapOdds(slots, perTenant);
        BigInteger sum = BigInteger.ZERO;
        for (int i = 0; i <= perTenant; i++) {
            sum = sum.add(odds.shardsSharing(i));
        }
        assertThat(sum).isEqualTo(odds.shards());
        assertThat(odds.chance(perTenant + 1)).isZero();
    }

    @Test
    void losing_a_shard_of_2_of_8_affects_one_tenant_in_28() {
        assertThat(new OverlapOdds(8, 2).chance(2)).isEqualTo(1.0 / 28, within(1e-15));
    }

    @Test
    void random_shards_of_100_000_tenants_have_about_56_pairs_with_three_or_more_shared_slots() {
        OverlapOdds odds = new OverlapOdds(2048, 4);
        assertThat((odds.chance(3) + odds.chance(4)) * 100_000 * 99_999 / 2).isCloseTo(56, within(0.5));
    }

    @Test
    void more_slots_a_tenant_than_there_are_is_rejected() {
        assertThatThrownBy(() -> new OverlapOdds(8, 9))
                .hasMessageContaining("perTenant = 9, slots = 8: perTenant must be from 1 to slots");
    }
}
