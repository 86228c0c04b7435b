package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.Seed;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolynomialShardsTest {
    @ParameterizedTest
    @CsvSource({"2048, 4, 2, 509, 131872229", "64, 4, 2, 13, 2197", "68, 4, 2, 17, 4913", "24, 4, 1, 5, 25",
            "4, 2, 0, 2, 2", "2, 1, 0, 2, 2", "1048576, 1, 0, 1048573, 1048573",
            "4096, 16, 9, 251, 9223372036854775807"})
    void the_rows_have_the_largest_prime_number_of_slots_that_fits(
            int slots, int rows, int overlap, int width, long capacity) {
        PolynomialShards table = new PolynomialShards(slots, rows, overlap, 1);

        assertThat(table.width()).isEqualTo(width);
        assertThat(table.capacity()).isEqualTo(capacity);
    }

    /** Compares every pair of all tenants that the table can have, or of the first ones. */
    @ParameterizedTest
    @CsvSource({"64, 4, 2, 2197", "68, 4, 2, 4913", "24, 4, 1, 25", "24, 4, 3, 625", "2048, 4, 2, 20000",
            "2048, 4, 1, 20000", "2048, 16, 4, 3000", "60, 5, 0, 11", "4, 2, 1, 4", "512, 8, 3, 5000"})
    void no_two_tenants_share_more_slots_than_the_bound(int slots, int rows, int overlap, int tenants) {
        long[] pairs = pairs(slots, rows, shards(new PolynomialShards(slots, rows, overlap, 3), rows, tenants));

        assertThat(Arrays.stream(pairs).sum()).isEqualTo(tenants * (tenants - 1L) / 2);
        assertThat(Arrays.stream(pairs).skip(overlap + 1)).as(Arrays.toString(pairs)).allMatch(count -> count == 0);
    }

    @Test
    void the_bound_holds_between_tenants_of_any_sizes_and_numbers() {
        Seed seed = new Seed();
        for (int round = 0; round < seed.rounds(200); round++) {
            int rows = 1 + seed.random().nextInt(12);
            int slots = PolynomialShards.leastSlots(rows) + seed.random().nextInt(400);
            int overlap = seed.random().nextInt(rows);
            PolynomialShards table = new PolynomialShards(slots, rows, overlap, seed.random().nextLong());
            Set<Long> numbers = new HashSet<>();
            for (int i = 0; i < 60; i++) {
                numbers.add(seed.random().nextLong(table.capacity()));
            }
            int[][] shards = numbers.stream()
                    .map(number -> shard(table, number, 1 + seed.random().nextInt(rows))).toArray(int[][]::new);
            long[] pairs = pairs(slots, rows, shards);
            assertThat(Arrays.stream(pairs).skip(overlap + 1)).as("%s: %d of %d slots", seed, rows, slots)
                    .allMatch(count -> count == 0);
            assertThat(Arrays.stream(shards))
                    .allMatch(shard -> Arrays.stream(shard).distinct().count() == shard.length)
                    .allMatch(shard -> shard[0] >= 0 && shard[shard.length - 1] < slots);
        }
    }

    @Test
    void every_number_has_another_shard() {
        PolynomialShards table = new PolynomialShards(24, 4, 3, 5);
        Set<String> shards = new TreeSet<>();
        for (int number = 0; number < table.capacity(); number++) {
            shards.add(Arrays.toString(shard(table, number, 4)));
        }
        assertThat(shards).hasSize(625);
    }

    @ParameterizedTest
    @CsvSource({"2048, 4, 2", "64, 4, 2", "24, 4, 1", "2048, 16, 0"})
    void the_loads_of_two_slots_never_differ_by_more_than_one(int slots, int rows, int overlap) {
        PolynomialShards table = new PolynomialShards(slots, rows, overlap, 9);
        int[] loads = new int[rows * table.width()];
        int tenants = (int) Math.min(5_000, table.capacity());
        for (int number = 0; number < tenants; number++) {
            Arrays.stream(shard(table, number, rows)).forEach(slot -> loads[slot]++);
            if (number < 10 || number % 101 == 0) {
                int most = number / table.width() + 1;
                assertThat(Arrays.stream(loads)).as("after %d", number)
                        .allMatch(load -> load == most - 1 || load == most);
            }
        }
    }

    @Test
    void tenants_with_fewer_slots_than_rows_use_all_rows_alike() {
        PolynomialShards table = new PolynomialShards(2048, 8, 2, 4);
        int slots = 8 * table.width();
        long[] loads = new long[slots];
        for (int number = 0; number < 100_000; number++) {
            Arrays.stream(shard(table, number, 3)).forEach(slot -> loads[slot]++);
        }
        double[] expected = new double[slots];
        Arrays.fill(expected, 300_000.0 / slots);
        assertThat(ChiSquare.of(loads, expected)).isLessThan(ChiSquare.critical(slots - 1));
        assertThat(shard(table, 77, 4)).contains(shard(table, 77, 3));
    }

    /** Slots may share partitions, so consecutive numbers must not have the same ones in all rows. */
    @ParameterizedTest
    @CsvSource({"2048, 64", "2048, 12", "1024, 32"})
    void the_first_tenants_share_all_partitions_no_more_often_than_by_chance(int slots, int partitions) {
        PolynomialShards table = new PolynomialShards(slots, 4, 2, 6);
        VirtualSlots spread = VirtualSlots.spread(slots, partitions);
        int tenants = 1_000;
        int[][] chosen = new int[tenants][];
        Arrays.setAll(chosen, number -> Arrays.stream(shard(table, number, 4)).map(spread::partition).distinct()
                .sorted().toArray());
        int same = 0;
        for (int i = 0; i < tenants; i++) {
            for (int j = 0; j < i; j++) {
                same += chosen[i].length == 4 && Arrays.equals(chosen[i], chosen[j]) ? 1 : 0;
            }
        }
        double expected = new OverlapOdds(partitions, 4).chance(4) * tenants * (tenants - 1) / 2;
        assertThat((double) same).as("%.1f expected", expected).isLessThan(2 * expected + 5);
    }

    @Test
    void another_seed_gives_other_shards() {
        assertThat(shard(new PolynomialShards(2048, 4, 2, 1), 0, 4))
                .isNotEqualTo(shard(new PolynomialShards(2048, 4, 2, 2), 0, 4));
    }

    /** A change of these values would move every tenant of every installation with shards.overlap. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0         | 4 | 0  | [381, 926, 1317, 1781]
            1         | 4 | 0  | [321, 637, 1331, 1766]
            509       | 4 | 0  | [115, 667, 1142, 1796]
            0         | 4 | 42 | [480, 683, 1229, 1589]
            131872228 | 4 | 0  | [27, 644, 1152, 1990]
            123456789 | 2 | -7 | [567, 1513]
            """)
    void the_shards_of_known_numbers_are_pinned(long number, int size, long seed, String shard) {
        assertThat(Arrays.toString(shard(new PolynomialShards(2048, 4, 2, seed), number, size))).isEqualTo(shard);
    }

    @Test
    void invalid_arguments_are_rejected_with_what_is_allowed() {
        assertThatThrownBy(() -> new PolynomialShards(19, 4, 2, 0))
                .hasMessageContaining("slots = 19: must be from 20 to 1048576 with 4 rows");
        assertThatThrownBy(() -> new PolynomialShards(1_048_577, 4, 2, 0)).hasMessageContaining("1048577");
        assertThatThrownBy(() -> new PolynomialShards(64, 4, 4, 0)).hasMessageContaining("rows = 4, overlap = 4");
        assertThatThrownBy(() -> new PolynomialShards(64, 0, 0, 0)).hasMessageContaining("rows must be from 1 to 256");
        PolynomialShards table = new PolynomialShards(64, 4, 2, 0);
        assertThatThrownBy(() -> table.shard(2_197, 4, new int[4])).hasMessageContaining("must be below 2197");
        assertThatThrownBy(() -> table.shard(PolynomialShards.NONE, 4, new int[4])).hasMessageContaining("number = -1");
        assertThatThrownBy(() -> table.shard(0, 5, new int[5])).hasMessageContaining("size from 1 to 4");
    }

    private static int[][] shards(PolynomialShards table, int size, int tenants) {
        int[][] shards = new int[tenants][];
        Arrays.setAll(shards, number -> shard(table, number, size));
        return shards;
    }

    private static int[] shard(PolynomialShards table, long number, int size) {
        int[] shard = new int[size];
        table.shard(number, size, shard);
        Arrays.sort(shard);
        return shard;
    }

    private static long[] pairs(int slots, int rows, int[][] shards) {
        return Arrays.copyOf(OverlapCensus.pairs(slots, shards), rows + 1);
    }
}
