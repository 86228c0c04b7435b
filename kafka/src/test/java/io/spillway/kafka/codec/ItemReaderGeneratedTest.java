package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Seed;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** Comparison of the reader with Avro's own decoder on generated and mutated items. */
class ItemReaderGeneratedTest {
    private final Seed seed = new Seed();
    private final ItemReader reader = Items.reader();

    @Test
    void the_reader_and_avro_agree_on_every_valid_item() {
        for (int i = 0; i < seed.rounds(20_000); i++) {
            byte[] bytes = Items.encode(Items.random(seed.random()));
            assertThat(read(bytes)).as(seed.toString()).isEqualTo(decoded(bytes));
        }
    }

    @Test
    void a_generated_item_truncated_at_any_byte_is_unreadable() {
        for (int i = 0; i < seed.rounds(200); i++) {
            byte[] bytes = Items.encode(Items.random(seed.random()));
            for (int length = 0; length < bytes.length; length++) {
                assertThat(read(Arrays.copyOf(bytes, length))).as("%s: %s of %s", seed, length, bytes.length)
                        .isInstanceOf(ParsedRecord.Unreadable.class);
            }
        }
    }

    /**
     * Avro decodes everything that the reader accepts to the same item. The reader is stricter: Avro ignores bytes that
     * are left over, the declared length of a block, and the limits of names and ids.
     */
    @Test
    void avro_decodes_every_accepted_mutated_item_to_the_same() {
        int accepted = 0;
        int rejected = 0;
        for (int i = 0; i < seed.rounds(100_000); i++) {
            byte[] bytes = mutated(Items.encode(Items.random(seed.random())));
            if (read(bytes) instanceof ParsedRecord.Item item) {
                accepted++;
                assertThat(decoded(bytes)).as(seed.toString()).isEqualTo(item);
            } else {
                rejected++;
            }
        }
        // Both outcomes must occur often, or the test proves nothing.
        assertThat(accepted).as(seed.toString()).isGreaterThan(10_000);
        assertThat(rejected).as(seed.toString()).isGreaterThan(10_000);
    }

    @Test
    void any_bytes_after_a_valid_prefix_have_a_result_consistent_with_avro() {
        byte[] prefix = ItemBytes.afterPrefix().bytes();
        for (int i = 0; i < seed.rounds(200_000); i++) {
            byte[] noise = new byte[seed.random().nextInt(40)];
            seed.random().nextBytes(noise);
            byte[] bytes = Arrays.copyOf(prefix, prefix.length + noise.length);
            System.arraycopy(noise, 0, bytes, prefix.length, noise.length);
            if (read(bytes) instanceof ParsedRecord.Item item) {
                assertThat(decoded(bytes)).as(seed.toString()).isEqualTo(item);
            }
        }
    }

    private ParsedRecord read(byte[] bytes) {
        return reader.read(null, bytes, new RecordHeaders(), Items.TIMESTAMP);
    }

    private ParsedRecord decoded(byte[] bytes) {
        return ItemReaderOracle.decode(bytes, seed.toString());
    }

    /** Applies one to three mutations: flip a bit, change, insert or delete a byte, swap two, fill a run with ones. */
    private byte[] mutated(byte[] bytes) {
        SplittableRandom random = seed.random();
        byte[] result = bytes;
        for (int changes = random.nextInt(1, 4); changes > 0 && result.length > 0; changes--) {
            int at = random.nextInt(result.length);
            switch (random.nextInt(6)) {
                case 0 -> result[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> result[at] = (byte) random.nextInt();
                case 2 -> result = spliced(result, at, 0, new byte[] {(byte) random.nextInt()});
                case 3 -> result = spliced(result, at, 1, new byte[0]);
                case 4 -> {
                    int other = random.nextInt(result.length);
                    byte kept = result[at];
                    result[at] = result[other];
                    result[other] = kept;
                }
                default -> Arrays.fill(result, at, Math.min(result.length, at + random.nextInt(10)), (byte) 0xff);
            }
        }
        return result;
    }

    private static byte[] spliced(byte[] bytes, int at, int removed, byte[] added) {
        byte[] result = new byte[bytes.length - removed + added.length];
        System.arraycopy(bytes, 0, result, 0, at);
        System.arraycopy(added, 0, result, at, added.length);
        System.arraycopy(bytes, at + removed, result, at + added.length, bytes.length - at - removed);
        return result;
    }
}
