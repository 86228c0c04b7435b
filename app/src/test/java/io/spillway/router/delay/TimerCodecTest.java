package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerCodecTest {
    private static final long SEED = Long.getLong("spillway.test.seed", 20_261_121);

    @Test
    void the_encoding_is_as_documented() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("a", new byte[] {7});
        headers.add("é", null);
        byte[] encoded = TimerCodec.encode(new Record<>(null, new byte[] {1, 2}, 258, headers));

        assertThat(HexFormat.of().formatHex(encoded))
                .isEqualTo("01" + "0000000000000102" + "00" + "030102" + "02" + "0161" + "0207" + "02c3a9" + "00");
        assertSame(TimerCodec.decode(encoded), new Record<>(null, new byte[] {1, 2}, 258, headers));
    }

    @Test
    void any_record_is_decoded_unchanged() {
        Random random = new Random(SEED);
        for (int i = 0; i < 5_000; i++) {
            Record<byte[], byte[]> record = record(random);
            byte[] encoded = TimerCodec.encode(record);
            assertSame(TimerCodec.decode(encoded), record);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 125, 126, 127, 128, 16_382, 16_383, 16_384, 2_097_150, 2_097_151, 2_097_152})
    void lengths_at_the_limits_of_their_encoding_are_decoded_unchanged(int length) {
        Record<byte[], byte[]> record = new Record<>(new byte[length], new byte[length], 0, new RecordHeaders());
        assertSame(TimerCodec.decode(TimerCodec.encode(record)), record);
    }

    @Test
    void a_timer_of_a_later_release_is_told_from_a_damaged_one() {
        byte[] encoded = TimerCodec.encode(record(new Random(SEED)));
        encoded[0] = 2;
        assertThatThrownBy(() -> TimerCodec.decode(encoded)).isInstanceOf(LaterTimerException.class)
                .hasMessageContaining("version 2 of a later release").hasMessageContaining("Start routers");
        encoded[0] = 0;
        assertThatThrownBy(() -> TimerCodec.decode(encoded)).isExactlyInstanceOf(DamagedTimerException.class);
    }

    @Test
    void a_truncated_or_extended_timer_is_rejected() {
        byte[] encoded = TimerCodec.encode(record(new Random(SEED)));
        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = Arrays.copyOf(encoded, length);
            assertThatThrownBy(() -> TimerCodec.decode(cut)).as("cut to %d", length)
                    .isInstanceOf(DamagedTimerException.class);
        }
        assertThatThrownBy(() -> TimerCodec.decode(Arrays.copyOf(encoded, encoded.length + 1)))
                .isInstanceOf(DamagedTimerException.class).hasMessage("1 bytes are left after the timer");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "00", "02" + "0000000000000000" + "000000", "01" + "ffffffffffffffff" + "000000",
        "01" + "0000000000000000" + "ffffffff07" + "0000", "01" + "0000000000000000" + "ffffffff0f",
        "01" + "0000000000000000" + "ffffffffff01", "01" + "0000000000000000" + "0000" + "ffffffff07",
        "01" + "0000000000000000" + "0000" + "01" + "ffffffff07" + "00",
        "01" + "0000000000000000" + "808080808000" + "0000",
    })
    void damaged_bytes_are_rejected_without_allocating_the_claimed_length(String hex) {
        assertThatThrownBy(() -> TimerCodec.decode(HexFormat.of().parseHex(hex)))
                .isInstanceOf(DamagedTimerException.class);
    }

    @Test
    void any_bytes_are_decoded_or_rejected_as_damaged() {
        Random random = new Random(SEED);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = TimerCodec.encode(record(random));
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            if (random.nextInt(10) == 0) {
                random.nextBytes(bytes);
                bytes[0] = 1;
            }
            assertThatCode(() -> {
                try {
                    TimerCodec.decode(bytes);
                } catch (DamagedTimerException expected) {
                    assertThat(expected).hasMessageMatching("[ -~]{1,200}");
                }
            }).as("seed %d, round %d: %s", SEED, i, HexFormat.of().formatHex(bytes)).doesNotThrowAnyException();
        }
    }

    private static Record<byte[], byte[]> record(Random random) {
        RecordHeaders headers = new RecordHeaders();
        for (int i = random.nextInt(5); i > 0; i--) {
            headers.add(new String(bytes(random, 6), StandardCharsets.ISO_8859_1), nullable(random, 40));
        }
        return new Record<>(nullable(random, 20), nullable(random, 300), random.nextLong() >>> 1, headers);
    }

    private static byte[] nullable(Random random, int most) {
        return random.nextInt(5) == 0 ? null : bytes(random, most);
    }

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void assertSame(Record<byte[], byte[]> actual, Record<byte[], byte[]> expected) {
        assertThat(actual.key()).as("key, seed %d", SEED).isEqualTo(expected.key());
        assertThat(actual.value()).as("value, seed %d", SEED).isEqualTo(expected.value());
        assertThat(actual.timestamp()).as("timestamp, seed %d", SEED).isEqualTo(expected.timestamp());
        assertThat(actual.headers()).as("headers, seed %d", SEED).isEqualTo(expected.headers());
    }
}
