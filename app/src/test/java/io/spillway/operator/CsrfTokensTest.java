package io.spillway.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsrfTokensTest {
    private static final long HOUR = 3_600_000;

    private final AtomicLong nowMillis = new AtomicLong(1_800_000_000_000L);
    private final CsrfTokens tokens =
            new CsrfTokens(new byte[32], () -> Instant.ofEpochMilli(nowMillis.get()));

    @ParameterizedTest(name = "{0}/{1} {2} h later: {3}")
    @CsvSource({
        "OPERATOR, zoe,        0,  true",
        "OPERATOR, zoe,        12, true",
        "OPERATOR, zoe,        13, false",
        "OPERATOR, zoe,        -1, false",
        "VIEWER,   zoe,        0,  false",
        "OPERATOR, zoé,        0,  false",
        "OPERATOR, Zoe,        0,  false",
        "OPERATOR, '',         0,  false",
    })
    void a_token_is_of_one_user_in_one_role_for_twelve_hours(AdminRole role, String user, int hours, boolean isValid) {
        String token = tokens.issue(AdminRole.OPERATOR, "zoe");
        nowMillis.addAndGet(hours * HOUR);
        assertThat(tokens.isValid(token, role, user)).isEqualTo(isValid);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", ".", "500000", "500000.", ".AAAA", "-1.x", "500000.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "99999999999999999999.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "500000.é"
    })
    void anything_else_is_not_a_token(String text) {
        assertThat(tokens.isValid(text, AdminRole.OPERATOR, "zoe")).isFalse();
    }

    @Test
    void a_line_end_in_a_name_gives_no_token_of_another_user() {
        String token = tokens.issue(AdminRole.OPERATOR, "zoe\nmia");
        assertThat(tokens.isValid(token, AdminRole.OPERATOR, "zoe")).isFalse();
        assertThat(tokens.isValid(token, AdminRole.OPERATOR, "mia")).isFalse();
    }

    @Test
    void processes_have_keys_of_their_own() {
        CsrfTokens one = CsrfTokens.ofNewKey(Instant::now);
        String token = one.issue(AdminRole.OPERATOR, "zoe");
        assertThat(one.isValid(token, AdminRole.OPERATOR, "zoe")).isTrue();
        assertThat(CsrfTokens.ofNewKey(Instant::now).isValid(token, AdminRole.OPERATOR, "zoe")).isFalse();
    }
}
