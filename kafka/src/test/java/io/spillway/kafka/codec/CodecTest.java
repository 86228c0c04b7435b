package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.Seed;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.schema.SweepMark;
import io.spillway.schema.TenantPolicy;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CodecTest {
    private static final PolicySettings FULL = PolicySettings.DEFAULTS
            .with(PolicyField.RATE, "0.5")
            .with(PolicyField.JITTER, "equal")
            .with(PolicyField.SWEEPABLE, "true")
            .with(PolicyField.TIMEOUT, "auto")
            .with(PolicyField.MAX_DEPTH, "4611686018427387903");

    @Test
    void a_policy_is_decoded_to_what_was_encoded() {
        for (PolicySettings settings : List.of(PolicySettings.NONE_SET, PolicySettings.DEFAULTS, FULL)) {
            assertThat(TenantPolicies.decode(TenantPolicies.encode("acme", settings))).isEqualTo(settings);
        }
    }

    @Test
    void a_setting_of_none_stays_different_from_one_that_is_not_set() {
        PolicySettings none = PolicySettings.NONE_SET.with(PolicyField.RATE, "none").with(PolicyField.TTL, "none");
        PolicySettings read = TenantPolicies.decode(TenantPolicies.encode("*", none));
        assertThat(read).isEqualTo(none);
        assertThat(read.get(PolicyField.BURST)).isEmpty();
    }

    @Test
    void any_subset_of_the_settings_is_decoded_to_what_was_encoded() {
        Seed seed = new Seed();
        for (int i = 0; i < seed.rounds(2_000); i++) {
            PolicySettings settings = FULL;
            for (PolicyField field : PolicyField.values()) {
                settings = seed.random().nextBoolean() ? settings.without(field) : settings;
            }
            assertThat(TenantPolicies.decode(TenantPolicies.encode("acme", settings))).as(seed.toString())
                    .isEqualTo(settings);
        }
    }

    @Test
    void a_setting_of_a_later_version_is_skipped() {
        byte[] bytes = policy(Map.of("weight", 2.0, "later", "x"));
        assertThat(TenantPolicies.decode(bytes)).isEqualTo(PolicySettings.NONE_SET.with(PolicyField.WEIGHT, "2"));
    }

    @Test
    void a_policy_with_a_setting_out_of_range_is_rejected_with_its_key() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TenantPolicies.decode(policy(Map.of("attempts", 0L))))
                .withMessage("attempts = 0: must be 1 to 1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TenantPolicies.decode(policy(Map.of("jitter", "wild\n"))))
                .withMessage("jitter = wild\\u000a: must be full, equal, decorrelated, none");
    }

    private static byte[] policy(Map<String, Object> settings) {
        return new RecordCodec<>(new TenantPolicy()).encode(new TenantPolicy("acme", settings, Map.of(), ""));
    }

    @Test
    void a_completed_sweep_is_decoded_and_a_running_one_is_empty() {
        Sweep sweep = new Sweep(Items.ENQUEUED_AT, Items.TIMESTAMP);
        assertThat(Sweeps.decode(Sweeps.encode("*", "nightly", sweep))).map(Sweeps.Mark::times).contains(sweep);
        assertThat(Sweeps.decode(mark(Items.ENQUEUED_AT, null))).isEmpty();
    }

    @Test
    void a_sweep_that_completes_before_it_starts_is_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Sweeps.decode(mark(200, 199L)))
                .withMessageContaining("cannot complete before it starts");
    }

    static Stream<Consumer<byte[]>> decoders() {
        return Stream.of(TenantPolicies::decode, Sweeps::decode);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void invalid_bytes_are_rejected_with_one_printable_line(Consumer<byte[]> decoder) {
        byte[] sweep = Sweeps.encode("*", "nightly", new Sweep(1, 2));
        byte[] policy = TenantPolicies.encode("acme", FULL);
        byte[] good = decodes(decoder, sweep) ? sweep : policy;
        byte[] other = good == sweep ? policy : sweep;
        assertThat(decodes(decoder, good)).isTrue();
        for (byte[] invalid : List.of(
                new byte[0],
                new byte[] {0},
                Items.bytes("{\"rate\": 5}"),
                other,
                Items.encode(Items.item()),
                new byte[300_000],
                Arrays.copyOf(good, 10),
                Arrays.copyOf(good, good.length + 1),
                huge(good, Integer.MAX_VALUE),
                huge(good, Integer.MAX_VALUE - 8),
                huge(good, 100_000_000),
                huge(good, Long.MAX_VALUE),
                huge(good, -1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> decoder.accept(invalid))
                    .satisfies(e -> assertThat(e.getMessage()).matches("[ -~]+").hasSizeLessThan(300));
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void a_record_truncated_at_any_byte_is_rejected(Consumer<byte[]> decoder) {
        for (byte[] whole : List.of(
                Sweeps.encode("*", "nightly", new Sweep(1, 2)),
                TenantPolicies.encode("acme", PolicySettings.DEFAULTS))) {
            for (int length = 0; length < whole.length; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                assertThat(decodes(decoder, cut)).as("%s of %s bytes", length, whole.length).isFalse();
            }
        }
    }

    /** A view skips and counts records that cause a RuntimeException; an Error would end its thread. */
    @ParameterizedTest
    @MethodSource("decoders")
    void mutated_records_are_decoded_or_rejected_without_another_error(Consumer<byte[]> decoder) {
        Seed seed = new Seed();
        SplittableRandom random = seed.random();
        byte[] sweep = Sweeps.encode("*", "nightly", new Sweep(1, 2));
        byte[] policy = TenantPolicies.encode("acme", FULL);
        byte[] good = decodes(decoder, sweep) ? sweep : policy;
        int rejected = 0;
        for (int i = 0; i < seed.rounds(20_000); i++) {
            byte[] bytes = good.clone();
            for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
                bytes[random.nextInt(10, bytes.length)] = (byte) random.nextInt();
            }
            rejected += decodes(decoder, bytes) ? 0 : 1;
        }
        assertThat(rejected).as(seed.toString()).isGreaterThan(1_000);
    }

    private static boolean decodes(Consumer<byte[]> decoder, byte[] bytes) {
        try {
            decoder.accept(bytes);
            return true;
        } catch (IllegalArgumentException rejected) {
            return false;
        }
    }

    /** Returns a valid prefix followed by a tenant that declares this length. */
    private static byte[] huge(byte[] good, long length) {
        return new ItemBytes().raw(Arrays.copyOf(good, 10)).number(length).raw(new byte[20]).bytes();
    }

    private static byte[] mark(long startedAt, Long completedAt) {
        return new RecordCodec<>(new SweepMark()).encode(new SweepMark(
                "acme",
                "nightly",
                Instant.ofEpochMilli(startedAt),
                completedAt == null ? null : Instant.ofEpochMilli(completedAt), "sweep", "", ""));
    }
}
