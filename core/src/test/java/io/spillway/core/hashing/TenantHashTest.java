package io.spillway.core.hashing;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemLimits;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TenantHashTest {
    @Test
    void a_name_has_the_same_hash_as_a_string_and_as_ascii_within_an_array() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder name = new StringBuilder();
            for (int length = random.nextInt(ItemLimits.MAX_NAME_LENGTH + 1); length > 0; length--) {
                name.append((char) random.nextInt(128));
            }
            int offset = random.nextInt(10);
            byte[] bytes = ("x".repeat(offset) + name + "y").getBytes(StandardCharsets.US_ASCII);
            long ofHash = random.nextLong();
            assertThat(TenantHash.of(bytes, offset, name.length(), ofHash)).as("seed %d", seed)
                    .isEqualTo(TenantHash.of(name.toString(), ofHash));
        }
    }
}
