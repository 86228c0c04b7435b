package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ItemEndTest {
    private static final long START = 1_800_000_000_000L;

    @ParameterizedTest(name = "attempted {0}, retryFor {1}, expireAfter {2}, ttl {3}: {5} after {4} ms")
    @CsvSource(nullValues = "-", value = {
        "false, 6h,   14d,  none, 1209600000, expired",
        "true,  6h,   14d,  none, 21600000,   retry-time-over",
        "true,  6h,   14d,  1h,   3600000,    ttl",
        "true,  1h,   14d,  6h,   3600000,    retry-time-over",
        "true,  1h,   14d,  1h,   3600000,    retry-time-over",
        "false, 1h,   14d,  2h,   7200000,    ttl",
        "true,  none, 14d,  none, -,          -",
        "false, 6h,   none, none, -,          -",
        "false, 6h,   none, 1h,   3600000,    ttl",
    })
    void the_first_limit_is_the_end(
            boolean attempted, String retryFor, String expireAfter, String ttl, Long afterMillis, String reason) {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RETRY_FOR, retryFor)
                .with(PolicyField.EXPIRE_AFTER, expireAfter).with(PolicyField.TTL, ttl));
        assertThat(ItemEnd.of(attempted, START, policy)).isEqualTo(
                reason == null ? Optional.empty() : Optional.of(new ItemEnd(START + afterMillis, reason)));
    }
}
