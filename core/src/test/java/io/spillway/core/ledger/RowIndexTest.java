package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.hashing.TenantHash;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class RowIndexTest {
    private static final long UPPER = -1L << Integer.SIZE;

    private final RowIndex index = new RowIndex();

    @RepeatedTest(5)
    void after_random_additions_and_removals_each_hash_finds_its_rows() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<Integer, Long> hashes = new HashMap<>();
        int rows = 1 << random.nextInt(3, 12);
        for (int step = 0; step < 20_000; step++) {
            int row = random.nextInt(rows);
            Long hash = hashes.remove(row);
            if (hash != null) {
                index.remove(hash, row);
            } else if (step / 2_000 % 3 != 2) {
                // Few hash slots, including the last ones, so that probing wraps around; some rows share a hash.
                hash = (long) (60 + random.nextInt(8)) << Integer.SIZE
                        | (long) random.nextInt(4) << 48 | random.nextInt();
                hashes.put(row, hash);
                index.add(hash, row);
            }
            if (random.nextInt(5_000) == 0) {
                index.clear();
                hashes.clear();
            }
            if (step % 500 == 0) {
                check(hashes, seed);
            }
        }
        check(hashes, seed);
    }

    @Test
    void it_is_still_correct_after_many_rows_and_then_few() {
        for (int round = 0; round < 20; round++) {
            int rows = round == 0 ? 10_000 : 3;
            for (int row = 0; row < rows; row++) {
                index.add(TenantHash.mix(row), row);
            }
            for (int row = 0; row < rows; row++) {
                assertThat(rows(TenantHash.mix(row))).containsExactly(row);
            }
            index.clear();
            assertThat(rows(TenantHash.mix(0))).isEmpty();
        }
    }

    @Test
    void a_row_that_is_not_in_the_index_is_not_removed() {
        index.add(7L << Integer.SIZE, 1);
        assertThatThrownBy(() -> index.remove(7L << Integer.SIZE, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> index.remove(8L << Integer.SIZE, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    private void check(Map<Integer, Long> hashes, long seed) {
        Map<Long, Set<Integer>> byUpper = new HashMap<>();
        hashes.forEach((row, hash) -> byUpper.computeIfAbsent(hash & UPPER, none -> new HashSet<>()).add(row));
        byUpper.forEach((hash, rows) -> assertThat(rows(hash)).as("seed %d", seed).isEqualTo(rows));
        assertThat(rows(1L << 63)).as("seed %d", seed).isEmpty();
    }

    private Set<Integer> rows(long hash) {
        Set<Integer> rows = new HashSet<>();
        for (int slot = index.first(hash); slot != RowIndex.NONE; slot = index.next(slot, hash)) {
            assertThat(rows.add(index.row(slot))).isTrue();
        }
        return rows;
    }
}
