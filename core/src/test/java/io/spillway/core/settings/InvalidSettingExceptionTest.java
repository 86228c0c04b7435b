package io.spillway.core.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InvalidSettingExceptionTest {
    @ParameterizedTest
    @CsvSource({
        "slots, slots = hunter2: must be 1", "gateway.password, gateway.password = ***: must be 1",
        "sasl.JAAS.config, sasl.JAAS.config = ***: must be 1", "api-key, api-key = ***: must be 1",
        "token, token = ***: must be 1", "retryTokens, retryTokens = hunter2: must be 1",
    })
    void the_value_of_a_secret_is_hidden(String key, String message) {
        assertThat(new InvalidSettingException(key, "hunter2", "must be 1")).hasMessage(message);
    }

    @Test
    void a_key_and_a_value_from_outside_cannot_forge_a_line_and_the_location_is_before_them() {
        assertThat(InvalidSettingException.in("spillway.yml:7: ", "slo\nts", "1\n2", "must be 1"))
                .hasMessage("spillway.yml:7: slo\\u000ats = 1\\u000a2: must be 1");
    }
}
