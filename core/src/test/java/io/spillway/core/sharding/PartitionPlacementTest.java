package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionPlacementTest {
    private static final long NONE = PolynomialShards.NONE;
    private static final ShuffleSharder SHARDER = new ShuffleSharder(24, 1);
    private static final VirtualSlots EACH_ITS_OWN = VirtualSlots.spread(24, 24);
    private static final Dedication NONE_DEDICATED = Dedication.none(24);

    @Test
    void a_tenant_without_an_assignment_uses_the_sharder() {
        PartitionPlacement placement = placement(SHARDER, EACH_ITS_OWN, NONE_DEDICATED);

        assertThat(placement.partitions("acme", NONE, 4)).isEqualTo(SHARDER.shard("acme", 4));
    }

    @Test
    void a_number_overrides_the_name_and_one_without_a_shard_does_not() {
        PolynomialShards table = new PolynomialShards(24, 4, 1, 1);
        PartitionPlacement placement =
                new PartitionPlacement(SHARDER, Optional.of(table), EACH_ITS_OWN, NONE_DEDICATED);
        int[] shard = new int[4];
        table.shard(7, 4, shard);
        Arrays.sort(shard);

        assertThat(placement.partitions("acme", 7, 4)).isEqualTo(shard).isEqualTo(placement.slots("acme", 7, 4));
        assertThat(shard).as("contains the smaller one").contains(placement.partitions("acme", 7, 2));
        assertThat(placement.partitions("acme", 7, 9)).as("no more than the rows of the table").isEqualTo(shard);
        assertThat(placement.partitions("acme", table.capacity(), 4)).isEqualTo(SHARDER.shard("acme", 4));
    }

    /** Items of a tenant would move if these changed, and processes of two versions would disagree. */
    @ParameterizedTest(name = "{0}, slots {1}, workload {2}")
    @CsvSource(delimiter = '|', textBlock = """
            # tenant | table                     | workload | partitions
            acme     | each slot its own         |          | [5, 9, 10, 19]
            acme     | each slot its own         | mail     | [5, 10]
            acme     | each slot its own         | export   | [10, 19]
            acme     | eight partitions          |          | [1, 2, 3, 5]
            globex   | eight partitions          |          | [1, 3, 6, 7]
            initech  | eight partitions          |          | [0, 4, 6, 7]
            acme     | most slots on partition 0 |          | [0, 2, 3, 4]
            globex   | most slots on partition 0 |          | [0, 1, 2, 4]
            initech  | most slots on partition 0 |          | [0, 2, 3, 4]
            """)
    void the_partitions_of_known_tenants_are_pinned(
            String tenant, String table, String workload, String partitions) {
        VirtualSlots slots = switch (table) {
            case "eight partitions" -> VirtualSlots.spread(24, 8);
            case "most slots on partition 0" -> VirtualSlots.of(5, mostOnTheFirst());
            default -> EACH_ITS_OWN;
        };
        PartitionPlacement placement = placement(
                new ShuffleSharder(slots.slots(), 1), slots, Dedication.none(slots.partitions()));
        int[] into = new int[PartitionPlacement.MAX_PARTITIONS];
        // What the array contained before makes no difference.
        Arrays.fill(into, 3);
        int count = placement.partitions(tenant, NONE, workload == null ? "" : workload, 4, 0.5, into);
        assertThat(Arrays.toString(Arrays.stream(into, 0, count).sorted().toArray())).isEqualTo(partitions);
    }

    @Test
    void what_waits_for_idle_capacity_may_use_all_open_partitions_but_a_dedicated_tenant_its_own() {
        int[] table = VirtualSlotsTest.table(EACH_ITS_OWN);
        table[5] = 20;
        PartitionPlacement placement =
                placement(SHARDER, VirtualSlots.of(24, table), isolated(NONE_DEDICATED, "victim", 2));
        assertThat(placement.excessPartitions("victim")).containsExactly(22, 23);
        assertThat(placement.excessPartitions("acme"))
                .containsExactly(IntStream.range(0, 22).filter(partition -> partition != 5).toArray());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.5, 1.01, Double.NaN})
    void a_share_of_a_workload_out_of_range_is_refused(double share) {
        assertThatThrownBy(() -> placement(SHARDER, EACH_ITS_OWN, NONE_DEDICATED)
                .partitions("acme", NONE, "mail", 4, share, new int[PartitionPlacement.MAX_PARTITIONS]))
                .hasMessageContaining("workloadShare = " + share);
    }

    @Test
    void the_table_moves_capacity_and_only_tenants_on_it_move() {
        int[] table = VirtualSlotsTest.table(EACH_ITS_OWN);
        table[5] = 20;
        PartitionPlacement before = placement(SHARDER, EACH_ITS_OWN, NONE_DEDICATED);
        PartitionPlacement after = placement(SHARDER, VirtualSlots.of(24, table), NONE_DEDICATED);
        for (String tenant : tenants(2_000)) {
            int[] was = before.partitions(tenant, NONE, 4);
            int[] is = after.partitions(tenant, NONE, 4);
            assertThat(is).as(tenant).hasSize(4).doesNotHaveDuplicates().isSorted();
            assertThat(ShuffleSharderTest.overlap(was, is)).as(tenant).isEqualTo(has(was, 5) ? 3 : 4);
            assertThat(has(is, 5)).as(tenant).isFalse();
        }
    }

    @Test
    void dedicated_partitions_are_exclusive_and_only_their_former_tenants_move_by_one() {
        Dedication one = isolated(NONE_DEDICATED, "victim", 2);
        Dedication two = isolated(one, "other", 3);
        PartitionPlacement[] steps = {
            placement(SHARDER, EACH_ITS_OWN, NONE_DEDICATED),
            placement(SHARDER, EACH_ITS_OWN, one),
            placement(SHARDER, EACH_ITS_OWN, two)
        };
        assertThat(steps[2].partitions("victim", NONE, 4)).containsExactly(22, 23);
        assertThat(steps[2].partitions("other", NONE, 9)).containsExactly(19, 20, 21);
        for (String tenant : tenants(3_000)) {
            for (int step = 1; step < steps.length; step++) {
                Dedication dedication = step == 1 ? one : two;
                int[] was = steps[step - 1].partitions(tenant, NONE, 4);
                int[] is = steps[step].partitions(tenant, NONE, 4);
                int lost = (int) Arrays.stream(was).filter(isDedicated(dedication)::test).count();
                assertThat(Arrays.stream(is)).as(tenant).hasSize(4).doesNotHaveDuplicates()
                        .noneMatch(isDedicated(dedication)::test);
                assertThat(ShuffleSharderTest.overlap(was, is)).as(tenant).isEqualTo(4 - lost);
            }
        }
    }

    @Test
    void every_combination_gives_the_maximum_number_of_partitions() {
        Seed seed = new Seed();
        for (int round = 0; round < seed.rounds(5_000); round++) {
            int partitions = 1 + seed.random().nextInt(40);
            int slots = partitions + seed.random().nextInt(100);
            int leastShared = 1 + seed.random().nextInt(partitions);
            Dedication dedication = Dedication.none(partitions);
            for (int i = 0; i < 3; i++) {
                int count = 1 + seed.random().nextInt(8);
                boolean isLeft = count <= dedication.sharedPartitions() - leastShared;
                dedication = isLeft ? isolated(dedication, "d" + i, count) : dedication;
            }
            int[] table = seed.random().ints(slots, 0, partitions).toArray();
            PartitionPlacement placement =
                    placement(new ShuffleSharder(slots, round), VirtualSlots.of(partitions, table), dedication);
            int size = 1 + seed.random().nextInt(12);
            int[] chosen = placement.partitions("acme", NONE, size);
            long open = Arrays.stream(table).distinct().filter(not(dedication)).count();
            assertThat(Arrays.stream(chosen)).as("%s: round %d", seed, round).doesNotHaveDuplicates()
                    .hasSize((int) Math.min(Math.min(size, slots), open == 0 ? dedication.sharedPartitions() : open))
                    .noneMatch(isDedicated(dedication)::test)
                    .allMatch(partition -> open == 0 || has(table, partition));
        }
    }

    @Test
    void a_workload_has_a_part_of_its_tenants_partitions_and_an_empty_one_has_all() {
        PartitionPlacement placement = placement(SHARDER, EACH_ITS_OWN, NONE_DEDICATED);
        int[] whole = placement.partitions("acme", NONE, 6);
        long[] loads = new long[24];
        int[] into = new int[PartitionPlacement.MAX_PARTITIONS];
        for (int i = 0; i < 6_000; i++) {
            int count = placement.partitions("acme", NONE, "mail-" + i, 6, 1.0 / 3, into);
            assertThat(count).isEqualTo(2);
            assertThat(Arrays.stream(into, 0, 2)).doesNotHaveDuplicates().allMatch(partition -> has(whole, partition));
            loads[into[0]]++;
            loads[into[1]]++;
        }
        long[] used = Arrays.stream(whole).mapToLong(partition -> loads[partition]).toArray();
        double[] expected = new double[6];
        Arrays.fill(expected, 2_000);
        assertThat(ChiSquare.of(used, expected)).as(Arrays.toString(used)).isLessThan(ChiSquare.critical(5));
        assertThat(placement.partitions("acme", NONE, "", 6, 1.0 / 3, into)).isEqualTo(6);
        assertThat(placement.partitions("acme", NONE, "mail", 6, 1, into)).isEqualTo(6);
    }

    @Test
    void a_workload_moves_only_with_its_own_old_or_new_partitions() {
        PartitionPlacement before = placement(SHARDER, EACH_ITS_OWN, NONE_DEDICATED);
        PartitionPlacement after = placement(
                new ShuffleSharder(30, 1), VirtualSlots.spread(30, 30), Dedication.none(30));
        int[] was = new int[PartitionPlacement.MAX_PARTITIONS];
        int[] is = new int[PartitionPlacement.MAX_PARTITIONS];
        for (String tenant : tenants(500)) {
            before.partitions(tenant, NONE, "mail", 6, 0.5, was);
            after.partitions(tenant, NONE, "mail", 6, 0.5, is);
            int[] now = Arrays.copyOf(is, 3);
            int[] wholeNow = after.partitions(tenant, NONE, 6);
            long gone = Arrays.stream(was, 0, 3).filter(partition -> !has(wholeNow, partition)).count();
            long came = Arrays.stream(now).filter(partition -> partition >= 24).count();
            long kept = Arrays.stream(was, 0, 3).filter(partition -> has(now, partition)).count();
            assertThat(3 - kept).as(tenant).isBetween(gone, gone + came);
        }
    }

    @Test
    void a_dedication_returns_the_partitions_of_each_tenant() {
        Dedication one = Dedication.none(12).with("acme", 11, 9);

        assertThat(one.of("acme")).containsExactly(9, 11);
        assertThat(one.of("globex")).isEmpty();
        assertThat(one.sharedPartitions()).isEqualTo(10);
        assertThat(one.with("globex", 3).of("globex")).isEqualTo(List.of(3));
    }

    @Test
    void inconsistent_arguments_are_rejected() {
        assertThatThrownBy(() -> placement(SHARDER, VirtualSlots.spread(25, 24), NONE_DEDICATED))
                .hasMessageContaining("must agree");
        assertThatThrownBy(() -> placement(SHARDER, VirtualSlots.spread(24, 12), NONE_DEDICATED))
                .hasMessageContaining("must agree");
        assertThatThrownBy(() -> new PartitionPlacement(
                SHARDER, Optional.of(new PolynomialShards(28, 4, 1, 0)), EACH_ITS_OWN, NONE_DEDICATED))
                .hasMessageContaining("numbered tenants 28");
        assertThatNoException().isThrownBy(() -> new PartitionPlacement(new ShuffleSharder(28, 1),
                Optional.of(new PolynomialShards(28, 4, 1, 0)), VirtualSlots.spread(28, 24), NONE_DEDICATED));
        assertThatThrownBy(() -> Dedication.none(0)).hasMessageContaining("partitions = 0");
        assertThatThrownBy(() -> placement(SHARDER, EACH_ITS_OWN, NONE_DEDICATED)
                .partitions("acme", NONE, 0))
                .hasMessageContaining("size = 0");
    }

    private static PartitionPlacement placement(ShuffleSharder sharder, VirtualSlots slots, Dedication dedication) {
        return new PartitionPlacement(sharder, Optional.empty(), slots, dedication);
    }

    /** Hardly any draw finds a partition other than 0. */
    private static int[] mostOnTheFirst() {
        int[] table = new int[100_000];
        for (int partition = 1; partition < 5; partition++) {
            table[partition] = partition;
        }
        return table;
    }

    private static List<String> tenants(int count) {
        return IntStream.range(0, count).mapToObj(i -> "tenant-" + i).toList();
    }

    /** Dedicates the highest of the shared partitions. */
    private static Dedication isolated(Dedication before, String tenant, int count) {
        int[] shared = before.shared();
        return before.with(tenant, Arrays.copyOfRange(shared, shared.length - count, shared.length));
    }

    private static IntPredicate isDedicated(Dedication dedication) {
        return partition -> Arrays.stream(dedication.shared()).noneMatch(shared -> shared == partition);
    }

    private static IntPredicate not(Dedication dedication) {
        return isDedicated(dedication).negate();
    }

    private static boolean has(int[] partitions, int partition) {
        return Arrays.stream(partitions).anyMatch(p -> p == partition);
    }
}
