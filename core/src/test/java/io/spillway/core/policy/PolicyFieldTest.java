package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PolicyFieldTest {
    private static final long DAY = 86_400_000;

    @ParameterizedTest
    @CsvSource({
        "rate, rate", "burst, burst", "concurrency, concurrency", "attemptRate, attempt-rate",
        "agedAfter, aged-after", "ttl, ttl",
        "sweepable, sweepable", "attempts, attempts", "backoffBase, backoff-base", "backoffCap, backoff-cap",
        "jitter, jitter", "timeout, timeout", "weight, weight", "shardSize, shard-size", "dedicated, dedicated",
        "backPressure, back-pressure", "maxDepth, max-depth", "growth, growth", "growthFloor, growth-floor",
        "growthCeiling, growth-ceiling", "growthPerDay, growth-per-day",
        "retryFor, retry-for", "expireAfter, expire-after", "retryTokens, retry-tokens", "retryEarned, retry-earned",
        "admissionRate, admission-rate", "admissionBurst, admission-burst", "maxDrain, max-drain",
        "timeoutMin, timeout-min", "timeoutMax, timeout-max", "sweepMargin, sweep-margin", "paused, paused",
        "url, url", "signingKey, signing-key", "pauseWhenDown, pause-when-down", "tracked, tracked",
        "doneWithin, done-within",
        "destination, destination", "orderHold, order-hold", "dedupeWindow, dedupe-window"
    })
    void every_documented_field_has_its_key_and_its_flag(String key, String flag) {
        PolicyField field = Arrays.stream(PolicyField.values()).filter(each -> each.key().equals(key)).findFirst()
                .orElseThrow();
        assertThat(field.flag()).isEqualTo(flag);
        assertThat(field.help()).isNotBlank();
    }

    @Test
    void there_are_no_undocumented_fields() {
        assertThat(PolicyField.values()).hasSize(42);
        assertThat(PolicyField.flags()).hasSize(42).doesNotHaveDuplicates();
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(delimiter = '|', textBlock = """
            RATE          | 0.001               | 0.001
            RATE          | 10000000            | 10000000
            RATE          | 1_000.5             | 1000.5
            RATE          | 1e3                 | 1000
            RATE          | ' none '            | none
            BURST         | 1                   | 1
            BURST         | 1_000_000_000       | 1000000000
            CONCURRENCY   | 100000              | 100000
            CONCURRENCY   | none                | none
            AGED_AFTER    | 1ms                 | 1ms
            AGED_AFTER    | 365d                | 365d
            TTL           | 3600s               | 1h
            TTL           | none                | none
            SWEEPABLE     | true                | true
            SWEEPABLE     | false               | false
            SWEEP_MARGIN  | 0s                  | 0ms
            SWEEP_MARGIN  | 24h                 | 1d
            ATTEMPTS      | 1                   | 1
            ATTEMPTS      | 1000                | 1000
            RETRY_FOR     | 1s                  | 1s
            RETRY_FOR     | 365d                | 365d
            RETRY_FOR     | none                | none
            EXPIRE_AFTER  | none                | none
            RETRY_TOKENS  | 1000000             | 1000000
            RETRY_EARNED  | 0                   | 0
            RETRY_EARNED  | 0.1                 | 0.1
            RETRY_EARNED  | 1                   | 1
            TIMEOUT       | 1ms                 | 1ms
            TIMEOUT       | ' auto '            | auto
            TIMEOUT_MAX   | 1d                  | 1d
            BACKOFF_BASE  | 24h                 | 1d
            JITTER        | decorrelated        | decorrelated
            JITTER        | none                | none
            WEIGHT        | 0.01                | 0.01
            DEDICATED     | 0                   | 0
            BACK_PRESSURE | accept              | accept
            MAX_DEPTH     | 4611686018427387903 | 4611686018427387903
            """)
    void a_value_at_either_end_of_its_range_is_accepted(PolicyField field, String text, String written) {
        Object value = field.parse(text);
        assertThat(field.isValid(value)).isTrue();
        assertThat(field.format(value)).isEqualTo(written);
        assertThat(field.parse(written)).isEqualTo(value);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(delimiter = '|', textBlock = """
            RATE          | 0                    | 0.001 to 10000000, or none
            RATE          | 0.00099              | 0.001 to 10000000, or none
            RATE          | 10000000.1           | 0.001 to 10000000, or none
            RATE          | -1                   | 0.001 to 10000000, or none
            RATE          | NaN                  | 0.001 to 10000000, or none
            RATE          | 1d                   | 0.001 to 10000000, or none
            RATE          | 0x1p3                | 0.001 to 10000000, or none
            RATE          | fast                 | 0.001 to 10000000, or none
            RATE          | ''                   | 0.001 to 10000000, or none
            RATE          | None                 | 0.001 to 10000000, or none
            BURST         | 0                    | 1 to 1000000000, or none
            BURST         | -1                   | 1 to 1000000000, or none
            BURST         | 1.5                  | 1 to 1000000000, or none
            BURST         | 1000000001           | 1 to 1000000000, or none
            BURST         | 99999999999999999999 | 1 to 1000000000, or none
            CONCURRENCY   | 100001               | 1 to 100000, or none
            AGED_AFTER    | 0ms                  | 1ms to 365d, or none
            AGED_AFTER    | 366d                 | 1ms to 365d, or none
            AGED_AFTER    | 5                    | 1ms to 365d, or none
            AGED_AFTER    | -1                   | 1ms to 365d, or none
            TTL           | 213503982335d        | 1ms to 365d, or none
            SWEEPABLE     | yes                  | true or false
            SWEEPABLE     | TRUE                 | true or false
            SWEEPABLE     | none                 | true or false
            ATTEMPTS      | 0                    | 1 to 1000
            ATTEMPTS      | 1001                 | 1 to 1000
            ATTEMPTS      | none                 | 1 to 1000
            ATTEMPTS      | -1                   | 1 to 1000
            BACKOFF_BASE  | 25h                  | 1ms to 1d
            BACKOFF_CAP   | none                 | 1ms to 1d
            JITTER        | FULL                 | full, equal, decorrelated, none
            JITTER        | some                 | full, equal, decorrelated, none
            RETRY_FOR     | 999ms                | 1s to 365d, or none
            RETRY_FOR     | auto                 | 1s to 365d, or none
            EXPIRE_AFTER  | 366d                 | 1s to 365d, or none
            EXPIRE_AFTER  | -1                   | 1s to 365d, or none
            RETRY_TOKENS  | 0                    | 1 to 1000000
            RETRY_TOKENS  | none                 | 1 to 1000000
            RETRY_EARNED  | 1.01                 | 0 to 1
            RETRY_EARNED  | none                 | 0 to 1
            TIMEOUT       | 0s                   | 1ms to 1d, or auto
            TIMEOUT       | none                 | 1ms to 1d, or auto
            TIMEOUT       | -1                   | 1ms to 1d, or auto
            TIMEOUT_MIN   | auto                 | 1ms to 1d
            WEIGHT        | 0                    | 0.01 to 1000
            WEIGHT        | 1000.01              | 0.01 to 1000
            SHARD_SIZE    | 0                    | 1 to 10000
            DEDICATED     | -1                   | 0 to 10000
            BACK_PRESSURE | refuse               | shed, accept
            MAX_DEPTH     | 0                    | 1 to 2^62, or none
            MAX_DEPTH     | 9223372036854775807  | 1 to 2^62, or none
            """)
    void a_value_out_of_range_is_rejected_with_key_value_and_range(
            PolicyField field, String text, String allowed) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> field.parse(text))
                .withMessage(field.key() + " = " + text + ": must be " + allowed + units(field));
        assertThat(field.allowed()).isEqualTo(allowed);
    }

    @Test
    void a_url_with_a_login_is_refused_and_not_shown_and_one_with_an_underscore_or_a_fragment_says_why() {
        assertThatIllegalArgumentException().isThrownBy(() -> PolicyField.URL.parse("https://acme:secret@h/"))
                .withMessage("url = ***: must not contain a login, which is not sent");
        assertThatIllegalArgumentException().isThrownBy(() -> PolicyField.URL.parse("https://a_b/"))
                .withMessageStartingWith("url = https://a_b/: must not have an underscore in the name of the host");
        assertThatIllegalArgumentException().isThrownBy(() -> PolicyField.URL.parse("https://h/" + "x".repeat(2_000)))
                .withMessageEndingWith(": must be http://HOST... or https://HOST..., at most 2000 characters, or none");
    }

    @ParameterizedTest
    @EnumSource(PolicyField.class)
    void the_error_is_one_printable_line_for_any_value(PolicyField field) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> field.parse("1\nspillway ready\u202e"))
                .withMessage(field.key() + " = 1\\u000aspillway ready\\u202e: must be " + field.allowed()
                        + units(field));
    }

    /** The error about a duration lists the units. */
    private static String units(PolicyField field) {
        return field.type() == PolicyField.Type.DURATION ? " (units: ms, s, m, h, d)" : "";
    }

    @ParameterizedTest
    @EnumSource(PolicyField.class)
    void a_formatted_value_parses_to_the_same_value(PolicyField field) {
        Seed seed = new Seed();
        for (int i = 0; i < seed.rounds(2_000); i++) {
            Object value = valueOf(field, seed.random());
            assertThat(field.isValid(value)).as("%s: %s = %s", seed, field, value).isTrue();
            assertThat(field.parse(field.format(value))).as("%s: %s = %s", seed, field, value).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @EnumSource(PolicyField.class)
    void a_stored_value_of_another_type_is_not_valid(PolicyField field) {
        List<Object> values = List.of(2.0, 0.5, 1L, 5_000L, true, "full", "shed", "http://h", 1, 1.0f, 'x');
        long valid = values.stream().filter(field::isValid).map(Object::getClass).distinct().count();
        assertThat(valid).isEqualTo(1);
        assertThat(field.isValid(null)).isFalse();
        assertThat(field.isValid(Double.NaN)).isFalse();
        assertThat(field.isValid(Double.POSITIVE_INFINITY)).isFalse();
        assertThat(field.isValid(-2L)).isFalse();
        assertThat(field.isValid(Long.MIN_VALUE)).isFalse();
        assertThat(field.isValid("")).isFalse();
    }

    private static Object valueOf(PolicyField field, SplittableRandom random) {
        boolean none = field.allowed().contains(", or ") && random.nextInt(10) == 0;
        return switch (field) {
            case RATE, ADMISSION_RATE -> none ? -1.0 : Math.pow(10, random.nextDouble(-3, 7));
            case ATTEMPT_RATE -> none ? -1.0 : Math.pow(10, random.nextDouble(-3, 6));
            case GROWTH -> none ? -1.0 : random.nextDouble(1.1, 1_000);
            case GROWTH_FLOOR -> Math.pow(10, random.nextDouble(-3, 7));
            case GROWTH_CEILING -> none ? -1.0 : Math.pow(10, random.nextDouble(-3, 7));
            case GROWTH_PER_DAY -> random.nextDouble(1.01, 100);
            case WEIGHT -> Math.pow(10, random.nextDouble(-2, 3));
            case SWEEPABLE, PAUSED, MOVE_BACKLOG, PAUSE_WHEN_DOWN, TRACKED -> random.nextBoolean();
            case JITTER -> pick(random, "full", "equal", "decorrelated", "none");
            case URL -> none ? -1L : pick(
                    random, "http://h", "https://h:8443/a/{tenant}?w={workload}", "https://[::1]/");
            case SIGNING_KEY, DESTINATION -> none ? -1L : pick(random, "a", "acme-2");
            case POOL -> pick(random, "shared", "a", "spare-2", "x".repeat(63));
            case BACK_PRESSURE -> pick(random, "shed", "accept");
            case SWEEP_MARGIN, DEDUPE_WINDOW, ORDER_HOLD -> random.nextLong(0, DAY + 1);
            case DEDICATED -> random.nextLong(0, 10_001);
            case RETRY_EARNED -> random.nextDouble();
            case RETRY_FOR, EXPIRE_AFTER, MAX_DRAIN, DONE_WITHIN -> none ? -1L : random.nextLong(1_000, 365 * DAY + 1);
            default -> none ? -1L : random.nextLong(1, 1 + mostOf(field) >>> random.nextInt(8));
        };
    }

    private static long mostOf(PolicyField field) {
        return switch (field) {
            case BURST, ADMISSION_BURST -> 1_000_000_000;
            case CONCURRENCY -> 100_000;
            case AGED_AFTER, TTL -> 365 * DAY;
            case BACKOFF_BASE, BACKOFF_CAP, TIMEOUT, TIMEOUT_MIN, TIMEOUT_MAX -> DAY;
            case RETRY_TOKENS -> 1_000_000;
            case ATTEMPTS -> 1_000;
            case SHARD_SIZE -> 10_000;
            case MAX_DEPTH -> Long.MAX_VALUE / 2;
            default -> throw new IllegalArgumentException(field.key());
        };
    }

    private static String pick(SplittableRandom random, String... choices) {
        return Arrays.asList(choices).get(random.nextInt(choices.length));
    }
}
