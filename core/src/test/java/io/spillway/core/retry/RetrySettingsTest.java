package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.settings.InvalidSettingException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetrySettingsTest {
    @ParameterizedTest
    @CsvSource({
        "0,   10000, 60000, 0.05, retry.destinationTokens",
        "100, 9,     60000, 0.05, retry.destinationTrickle",
        "100, 10000, 9,     0.05, retry.tenantTrickle",
        "100, 10000, 60000, 1.01, retry.earnedByFirst",
    })
    void a_setting_out_of_its_range_is_refused_by_its_key(
            int tokens, long trickleMillis, long tenantTrickleMillis, double earned, String key) {
        assertThatThrownBy(() -> new RetrySettings(
                tokens, Duration.ofMillis(trickleMillis), Duration.ofMillis(tenantTrickleMillis), earned))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining(key);
    }
}
