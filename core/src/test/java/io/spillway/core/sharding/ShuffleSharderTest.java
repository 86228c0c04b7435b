package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.Seed;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShuffleSharderTest {
    /** A change of these values would move every tenant of every installation. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            acme     | 12   | 4  | 0  | [0, 2, 4, 9]
            acme     | 2048 | 4  | 0  | [49, 989, 1213, 1267]
            acme     | 2048 | 4  | 42 | [179, 838, 1314, 1416]
            globex   | 2048 | 4  | 0  | [332, 897, 1292, 1299]
            tenant-1 | 8    | 2  | 0  | [2, 7]
            tenant-2 | 8    | 2  | 0  | [0, 3]
            a        | 4096 | 16 | 7  | [138, 245, 358, 535, 589, 965, 1268, 1414, 2265, 2860, 2950, 3005, 3280, 3683, \
            3687, 3772]
            x.y_z-0  | 1    | 1  | -1 | [0]
            """)
    void the_shards_of_known_tenants_are_pinned(String tenant, int slots, int size, long seed, String shard) {
        assertThat(Arrays.toString(new ShuffleSharder(slots, seed).shard(tenant, size))).isEqualTo(shard);
    }

    @ParameterizedTest
    @CsvSource({"8, 2", "7, 3", "9, 1", "6, 5", "10, 4", "17, 2"})
    void every_shard_is_equally_likely(int slots, int size) {
        int shards = OverlapOdds.choose(slots, size).intValueExact();
        Map<String, Integer> number = new HashMap<>();
        long[] counts = new long[shards];
        ShuffleSharder sharder = new ShuffleSharder(slots, 1);
        for (int i = 0; i < 1_000 * shards; i++) {
            String shard = Arrays.toString(sharder.shard("tenant-" + i, size));
            counts[number.computeIfAbsent(shard, s -> number.size())]++;
        }
        double[] expected = new double[shards];
        Arrays.fill(expected, 1_000);
        assertThat(number).hasSize(shards);
        assertThat(ChiSquare.of(counts, expected)).as(Arrays.toString(counts))
                .isLessThan(ChiSquare.critical(shards - 1));
    }

    @ParameterizedTest
    @CsvSource({"4096, 16", "1000, 4", "2048, 256", "33, 32"})
    void every_slot_has_the_same_number_of_tenants(int slots, int size) {
        long[] loads = new long[slots];
        ShuffleSharder sharder = new ShuffleSharder(slots, 2);
        int tenants = 30 * slots / size + 1_000;
        boolean isAscending = true;
        for (int i = 0; i < tenants; i++) {
            int[] shard = sharder.shard("tenant-" + i, size);
            for (int j = 0; j < size; j++) {
                isAscending &= j == 0 || shard[j - 1] < shard[j];
                loads[shard[j]]++;
            }
        }
        assertThat(isAscending).isTrue();
        double[] expected = new double[slots];
        Arrays.fill(expected, (double) tenants * size / slots);
        // Slots of one shard differ, so loads vary slightly less than chi-square predicts.
        assertThat(ChiSquare.of(loads, expected)).isLessThan(ChiSquare.critical(slots - 1));
    }

    @Tag("slow")
    @Test
    void the_overlaps_of_100_000_tenants_are_hypergeometric() {
        int tenants = 100_000;
        ShuffleSharder sharder = new ShuffleSharder(2048, 3);
        int[][] shards = new int[tenants][];
        Arrays.setAll(shards, i -> sharder.shard("tenant-" + i, 4));
        long[] pairs = OverlapCensus.pairs(2048, shards);
        OverlapOdds odds = new OverlapOdds(2048, 4);
        long[] observed = {pairs[0], pairs[1], pairs[2], pairs[3] + pairs[4]};
        double[] expected = new double[4];
        Arrays.setAll(expected, i -> (odds.chance(i) + (i == 3 ? odds.chance(4) : 0)) * tenants * (tenants - 1.0) / 2);

        System.out.println(
                "pairs by slots shared: " + Arrays.toString(pairs) + ", expected " + Arrays.toString(expected));
        assertThat(Arrays.stream(pairs).sum()).isEqualTo(4_999_950_000L);
        assertThat(ChiSquare.of(observed, expected)).isLessThan(ChiSquare.critical(3));
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"8, 2", "12, 4", "60, 16", "2040, 4", "4090, 5"})
    void an_added_slot_replaces_at_most_one_slot_of_a_shard(int slots, int size) {
        int tenants = 3_000;
        long moved = 0;
        double expected = 0;
        for (int n = slots; n < slots + 8; n++) {
            for (int i = 0; i < tenants; i++) {
                int[] before = new ShuffleSharder(n, 4).shard("tenant-" + i, size);
                int[] after = new ShuffleSharder(n + 1, 4).shard("tenant-" + i, size);
                if (!Arrays.equals(before, after)) {
                    moved++;
                    assertThat(overlap(before, after)).as("%d: %d", n, i).isEqualTo(size - 1);
                    assertThat(after[size - 1]).isEqualTo(n);
                }
            }
            expected += (double) tenants * size / (n + 1);
        }
        assertThat(Math.abs(moved - expected)).as("%d moved, %.1f expected", moved, expected)
                .isLessThan(4 * Math.sqrt(expected));
    }

    @Test
    void from_12_to_24_slots_the_minimum_of_tenants_and_slots_moves() {
        int tenants = 20_000;
        int same = 0;
        int slotsMoved = 0;
        for (int i = 0; i < tenants; i++) {
            int[] before = new ShuffleSharder(12, 5).shard("tenant-" + i, 4);
            int[] after = new ShuffleSharder(24, 5).shard("tenant-" + i, 4);
            same += Arrays.equals(before, after) ? 1 : 0;
            slotsMoved += 4 - overlap(before, after);
        }
        double stay = OverlapOdds.choose(12, 4).doubleValue() / OverlapOdds.choose(24, 4).doubleValue();
        assertThat((double) same / tenants).isCloseTo(stay, Percentage.withPercentage(10));
        assertThat((double) slotsMoved / tenants).isCloseTo(4 * 12 / 24.0, Percentage.withPercentage(1.5));
    }

    @Test
    void a_larger_shard_contains_the_smaller_one() {
        Seed seed = new Seed();
        for (int round = 0; round < seed.rounds(500); round++) {
            ShuffleSharder sharder = new ShuffleSharder(2 + seed.random().nextInt(500), seed.random().nextLong());
            int size = 1 + seed.random().nextInt(Math.min(40, sharder.slots() - 1));
            String tenant = "t" + seed.random().nextInt();
            assertThat(overlap(sharder.shard(tenant, size), sharder.shard(tenant, size + 1)))
                    .as("%s: %s, %s of %d", seed, sharder, tenant, size).isEqualTo(size);
        }
    }

    @Test
    void a_shard_of_maximum_size_has_all_slots() {
        assertThat(new ShuffleSharder(5, 9).shard("acme", 5)).containsExactly(0, 1, 2, 3, 4);
    }

    /** A change of these moves order keys to other partitions. */
    @ParameterizedTest
    @CsvSource({"acme, k1, 0, 3", "acme, k2, 0, 11", "acme, k1, 7, 8", "bolt, k1, 0, 20", "acme, '', 0, 20"})
    void the_slots_of_known_keys_are_pinned(String tenant, String key, long seed, int slot) {
        ShuffleSharder sharder = new ShuffleSharder(64, seed);
        assertThat(sharder.slot(tenant, key, new int[] {3, 8, 11, 20, 63}, 4)).isEqualTo(slot);
        assertThat(sharder.slot(tenant, key, new int[] {20, 11, 3, 8}, 4)).as("in another order").isEqualTo(slot);
        assertThat(sharder.slot(tenant, key, new int[] {slot}, 1)).isEqualTo(slot);
    }

    @Test
    void the_keys_of_a_tenant_are_spread_evenly_over_its_slots() {
        ShuffleSharder sharder = new ShuffleSharder(64, 1);
        int[] shard = sharder.shard("acme", 8);
        long[] keys = new long[64];
        for (int i = 0; i < 8_000; i++) {
            keys[sharder.slot("acme", "key-" + i, shard, 8)]++;
        }
        double[] expected = new double[8];
        Arrays.fill(expected, 1_000);
        assertThat(ChiSquare.of(Arrays.stream(shard).mapToLong(slot -> keys[slot]).toArray(), expected))
                .isLessThan(ChiSquare.critical(7));
    }

    @Test
    void it_writes_only_the_first_elements() {
        int[] into = {-1, -1, -1, -1, -1};
        ShuffleSharder sharder = new ShuffleSharder(64, 0);
        sharder.shard("acme", 4, into);

        assertThat(into).startsWith(sharder.shard("acme", 4)).endsWith(-1);
    }

    @Test
    void invalid_arguments_are_rejected_with_what_is_allowed() {
        assertThatThrownBy(() -> new ShuffleSharder(0, 0)).hasMessageContaining("slots = 0: must be from 1 to 1048576");
        assertThatThrownBy(() -> new ShuffleSharder(1_048_577, 0)).hasMessageContaining("1048577");
        assertThatThrownBy(() -> new ShuffleSharder(3, 0).shard("a", 4))
                .hasMessageContaining("size = 4: must be from 1 to 3");
        assertThatThrownBy(() -> new ShuffleSharder(3, 0).shard("a", 0)).hasMessageContaining("size = 0");
        assertThatThrownBy(() -> new ShuffleSharder(999, 0).shard("a", 257)).hasMessageContaining("from 1 to 256");
    }

    /** Returns how many numbers two arrays of different ones have in common. */
    static int overlap(int[] first, int[] second) {
        return (int) Arrays.stream(first)
                .filter(each -> Arrays.stream(second).anyMatch(other -> other == each)).count();
    }
}
