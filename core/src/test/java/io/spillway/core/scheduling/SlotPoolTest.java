package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shares of 50 slots, of which 10 are reserved. */
class SlotPoolTest {
    private final SlotPool pool = new SlotPool(DispatchSettings.of(50));

    @ParameterizedTest(name = "from a weight of 8 of {0} tenants to {1} of {2}: {3}")
    @CsvSource({
        "4, 9, 4, false", "4, 9.01, 4, true", "4, 7, 4, false", "4, 6.99, 4, true", "4, 8, 5, false",
        "4, 8, 1, true", "1, 8, 2, true", "1, 8, 1, false"})
    void shares_change_when_weights_do_by_more_than_an_eighth_or_when_one_tenant_becomes_alone(
            int before, double weight, int active, boolean changes) {
        assertThat(pool.follow(8, before)).isTrue();
        assertThat(pool.follow(weight, active)).isEqualTo(changes);
    }

    @Test
    void a_share_is_the_part_of_the_weight_and_one_slot_at_least_and_a_lone_tenants_excludes_the_reserve() {
        pool.follow(8, 4);
        assertThat(pool.share(8)).isEqualTo(50);
        assertThat(pool.share(4)).isEqualTo(25);
        assertThat(pool.share(0.01)).isEqualTo(1);
        assertThat(pool.share(9)).isEqualTo(50);
        pool.follow(8, 1);
        assertThat(pool.share(8)).isEqualTo(40);
    }
}
