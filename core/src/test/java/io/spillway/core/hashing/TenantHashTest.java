package io.spillway.core.hashing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that no version may change: the shards of all tenants and workloads follow from them. */
class TenantHashTest {
    @ParameterizedTest
    @CsvSource({
        "acme, 0, 05b8ca05ab1e6e54", "acme, 1, 6ce9b108111884b4", "acme, -1, ecb689fcc93e4a17",
        "tenant-7, 20261121, 8c0d3bc823e0730b", "'', 0, 48218226ff3cd4bf",
    })
    void the_hash_of_a_tenant_is_pinned(String tenant, long seed, String hash) {
        assertThat(TenantHash.of(tenant, seed)).isEqualTo(number(hash));
        assertThat(TenantHash.key(tenant, seed)).isEqualTo(number(hash));
    }

    @ParameterizedTest
    @CsvSource({
        "acme, mail, 0, 6a1c65a096d4c496", "acme, mail, 1, d8f60b4bdcf929d8", "acme, '', 0, ebe1cdfda58b5189",
        // The same letters, parted at another place.
        "acmem, ail, 0, 18f34c68629c1c0b", "'', acme, 0, 191c88efc71c9fa2",
    })
    void the_hash_of_a_workload_is_pinned(String tenant, String workload, long seed, String hash) {
        assertThat(TenantHash.of(tenant, workload, seed)).isEqualTo(number(hash));
    }

    @Test
    void mixed_are_the_numbers_of_split_mix_64() {
        assertThat(TenantHash.mix(0)).isZero();
        assertThat(TenantHash.mix(TenantHash.GOLDEN_RATIO)).isEqualTo(number("e220a8397b1dcdaf"));
        assertThat(TenantHash.mix(2 * TenantHash.GOLDEN_RATIO)).isEqualTo(number("6e789e6aa1b965f4"));
    }

    private static long number(String hexadecimal) {
        return Long.parseUnsignedLong(hexadecimal, 16);
    }
}
