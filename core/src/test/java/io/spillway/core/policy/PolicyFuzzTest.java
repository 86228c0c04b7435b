package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Fuzz;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.PointInTime;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Values of settings, durations and times as people write them, of any text. See {@link Fuzz}. */
class PolicyFuzzTest {
    private static final long NOW_MILLIS = 1_795_000_000_000L;
    private static final PolicyField[] FIELDS = PolicyField.values();
    private static final String[] TEXTS = {
        "1", "0.5", "1e3", "-1", "none", "auto", "true", "250ms", "30s", "9223372036854775807", "1_000", "full", "shed",
        "1e309", "NaN", "365d", "2026-11-21T08:00:00Z", "+999999999-12-31T23:59:59Z", "106751991167d", "\u0663", "0x1p3"
    };

    @Test
    void a_text_is_refused_in_one_line_or_is_a_value_that_is_formatted_to_itself() {
        Fuzz.of("policy settings as text", PolicyFuzzTest::setting).withTexts(TEXTS).check(this::isSetting);
    }

    @Test
    void a_text_is_refused_in_one_line_or_is_a_duration_or_a_time() {
        Fuzz.of("durations and times", PolicyFuzzTest::setting).withTexts(TEXTS).check(this::isTime);
    }

    /** Returns the number of a field and a text. */
    private static byte[] setting(SplittableRandom random) {
        byte[] text = TEXTS[random.nextInt(TEXTS.length)].getBytes(StandardCharsets.UTF_8);
        byte[] input = new byte[1 + text.length];
        input[0] = (byte) random.nextInt(FIELDS.length);
        System.arraycopy(text, 0, input, 1, text.length);
        return input;
    }

    private static String text(byte[] input) {
        return new String(Arrays.copyOfRange(input, Math.min(1, input.length), input.length), StandardCharsets.UTF_8);
    }

    private boolean isSetting(byte[] input) {
        PolicyField field = FIELDS[input.length == 0 ? 0 : (input[0] & 0xff) % FIELDS.length];
        try {
            Object value = field.parse(text(input));
            assertThat(field.isValid(value)).isTrue();
            assertThat(field.parse(field.format(value))).isEqualTo(value);
            PolicySettings settings = PolicySettings.NONE_SET.with(field, text(input));
            assertThat(TenantPolicy.of(settings.over(PolicySettings.DEFAULTS))).isEqualTo(
                    TenantPolicy.of(PolicySettings.DEFAULTS.with(field, field.format(value))));
            return true;
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).startsWith(field.key() + " = ").matches("[ -~]+").hasSizeLessThan(500);
            return false;
        }
    }

    private boolean isTime(byte[] input) {
        boolean accepted = false;
        try {
            long millis = Durations.parseMillis(text(input));
            assertThat(millis).isNotNegative();
            assertThat(Durations.parseMillis(Durations.format(millis))).isEqualTo(millis);
            accepted = true;
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).startsWith("must be ");
        }
        try {
            PointInTime.parseMillis(text(input), NOW_MILLIS);
            PointInTime.parseAheadMillis(text(input), NOW_MILLIS);
            return true;
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).startsWith("must be ");
        }
        return accepted;
    }
}
