package io.spillway.core.hashing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinearProbingTest {
    @ParameterizedTest
    @CsvSource({"0, 16", "1, 16", "4, 16", "5, 32", "8, 32", "9, 64", "1000, 4096", "1024, 4096", "1025, 8192"})
    void half_of_the_slots_are_free(int entries, int length) {
        assertThat(LinearProbing.lengthFor(entries)).isEqualTo(length);
    }

    @Test
    void a_hash_whose_slot_is_taken_has_the_next_free_one() {
        long[] slots = new long[LinearProbing.FIRST_LENGTH];
        assertThat(put(slots, 7, 70)).isEqualTo(14);
        assertThat(put(slots, 15, 150)).as("from the first on after the last").isZero();
        assertThat(put(slots, 8, 80)).isEqualTo(2);
        assertThat(LinearProbing.find(slots, 15)).isZero();
        assertThat(LinearProbing.find(slots, 23)).as("free").isEqualTo(4);
    }

    @Test
    void what_passes_the_filter_is_found_in_the_new_array() {
        long[] slots = new long[LinearProbing.FIRST_LENGTH];
        put(slots, 7, 70);
        put(slots, 15, 150);
        put(slots, -1, 50);
        long[] longer = LinearProbing.rehash(slots, 32, number -> number >= 70);
        assertThat(longer).hasSize(32);
        assertThat(longer[LinearProbing.find(longer, 7) + 1]).isEqualTo(70);
        assertThat(longer[LinearProbing.find(longer, 15) + 1]).isEqualTo(150);
        assertThat(longer[LinearProbing.find(longer, -1)]).as("left out").isZero();
        assertThat(Arrays.stream(longer).filter(each -> each != 0)).as("two hashes and their numbers")
                .containsExactlyInAnyOrder(7L, 15L, 70L, 150L);
    }

    private static int put(long[] slots, long hash, long number) {
        int slot = LinearProbing.find(slots, hash);
        slots[slot] = hash;
        slots[slot + 1] = number;
        return slot;
    }
}
