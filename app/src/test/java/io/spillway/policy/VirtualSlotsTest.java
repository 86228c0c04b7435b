package io.spillway.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.Seed;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VirtualSlotsTest {
    @Test
    void with_as_many_slots_as_partitions_each_slot_is_its_partition() {
        assertThat(table(VirtualSlots.spread(6, 6))).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(table(VirtualSlots.spread(7, 3))).containsExactly(0, 1, 2, 0, 1, 2, 0);
    }

    @ParameterizedTest(name = "{0} slots on {1} partitions to {2}: {3} move")
    @CsvSource({"12, 3, 4, 3", "12, 4, 3, 3", "64, 8, 9, 7", "64, 8, 8, 0", "10, 10, 1, 9", "10, 1, 10, 9", "7, 3, 4, 1"})
    void other_partitions_take_as_few_slots_as_even_shares_need(int slots, int before, int after, int moves) {
        VirtualSlots old = VirtualSlots.spread(slots, before);
        VirtualSlots rebalanced = old.rebalanced(after);

        assertThat(moved(old, rebalanced)).isEqualTo(moves);
        assertThat(rebalanced.partitions()).isEqualTo(after);
        assertThat(Arrays.stream(loads(rebalanced))).allMatch(load -> load == slots / after || load == (slots + after - 1) / after);
    }

    @Test
    void any_table_comes_out_even_and_only_what_is_too_much_moves() {
        Seed seed = new Seed();
        for (int round = 0; round < seed.rounds(500); round++) {
            int slots = 1 + seed.random().nextInt(60);
            int partitions = 1 + seed.random().nextInt(30);
            int wanted = 1 + seed.random().nextInt(slots);
            int[] table = seed.random().ints(slots, 0, partitions).toArray();
            VirtualSlots old = VirtualSlots.of(partitions, table);
            VirtualSlots rebalanced = old.rebalanced(wanted);

            assertThat(Arrays.stream(loads(rebalanced))).as(seed.toString())
                    .allMatch(load -> load == slots / wanted || load == (slots + wanted - 1) / wanted);
            // What stays is as much as the largest loads fit into the even shares.
            int[] have = new int[wanted];
            Arrays.stream(table).filter(partition -> partition < wanted).forEach(partition -> have[partition]++);
            int even = slots / wanted;
            long larger = Math.min(slots % wanted, Arrays.stream(have).filter(load -> load > even).count());
            long stay = Arrays.stream(have).map(load -> Math.min(load, even)).sum() + larger;
            assertThat(moved(old, rebalanced)).as(seed.toString()).isEqualTo((int) (slots - stay));
        }
    }

    @Test
    void a_book_with_partitions_as_dimension_gives_nobody_two_slots_on_one() {
        VirtualSlots slots = VirtualSlots.spread(64, 16);
        ShardBook book = new ShardBook(64, 2, List.of(slots.asDimension()));
        for (String tenant : ShardBookTest.tenants(500)) {
            int[] partitions = Arrays.stream(ShardBookTest.shardOf(book.assign(tenant, 4, 1)).toArray())
                    .map(slots::partition).distinct().toArray();
            assertThat(partitions).hasSize(4);
        }
    }

    @Test
    void nonsense_is_refused_with_what_is_allowed() {
        assertThatThrownBy(() -> VirtualSlots.spread(3, 4)).hasMessageContaining("slots = 3: must be from 4");
        assertThatThrownBy(() -> VirtualSlots.of(4, 0, 4)).hasMessageContaining("slot 1 on partition 4: must be from 0 to 3");
        assertThatThrownBy(() -> VirtualSlots.of(4, -1)).hasMessageContaining("slot 0 on partition -1");
        assertThatThrownBy(() -> VirtualSlots.of(4)).hasMessageContaining("a table of 0 slots");
        assertThatThrownBy(() -> VirtualSlots.of(0, 0)).hasMessageContaining("partitions = 0");
        assertThatThrownBy(() -> VirtualSlots.spread(4, 4).rebalanced(5)).hasMessageContaining("partitions = 5: must be from 1 to 4");
    }

    static int[] table(VirtualSlots slots) {
        int[] table = new int[slots.slots()];
        Arrays.setAll(table, slots::partition);
        return table;
    }

    private static int moved(VirtualSlots before, VirtualSlots after) {
        int moved = 0;
        for (int slot = 0; slot < before.slots(); slot++) {
            moved += before.partition(slot) == after.partition(slot) ? 0 : 1;
        }
        return moved;
    }

    private static int[] loads(VirtualSlots slots) {
        int[] loads = new int[slots.partitions()];
        Arrays.stream(table(slots)).forEach(partition -> loads[partition]++);
        return loads;
    }
}
