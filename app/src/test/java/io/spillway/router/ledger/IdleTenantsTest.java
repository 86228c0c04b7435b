package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.ledger.TenantBalance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdleTenantsTest {
    /** The long pause is a quarter of the idle time, from 10 s to an hour. */
    @ParameterizedTest
    @CsvSource({
        // idle time, first search of each partition; seconds
        "1,     10, 12,  15,   17",
        "2400,  10, 160, 310,  460",
        "86400, 10, 910, 1810, 2710",
    })
    void the_partitions_search_at_different_times_spread_over_the_long_pause(
            long idleSeconds, long first, long second, long third, long fourth) {
        IdleTenants idle = new IdleTenants(idleSeconds * 1_000, TenantBalance.EMPTY);

        assertThat(new long[] {first, second, third, fourth}).containsExactly(
                idle.firstPauseMillis(0) / 1_000, idle.firstPauseMillis(1) / 1_000,
                idle.firstPauseMillis(2) / 1_000, idle.firstPauseMillis(3) / 1_000);
    }
}
