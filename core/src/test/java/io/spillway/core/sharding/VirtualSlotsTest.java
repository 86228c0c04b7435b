package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @ParameterizedTest
    @CsvSource({"64, 16, 4, 2", "64, 16, 4, 3", "2048, 16, 16, 4", "64, 64, 4, 2"})
    void no_tenant_gets_two_slots_on_one_partition(int slots, int partitions, int size, int overlap) {
        VirtualSlots table = VirtualSlots.spread(slots, partitions);
        ShardRegistry registry = new ShardRegistry(table, overlap);
        List<String> tenants = ShardRegistryTest.tenants(1_000);
        for (String tenant : tenants) {
            int[] shard = ShardRegistryTest.shardOf(registry.assign(tenant, size, 1)).toArray();
            assertThat(Arrays.stream(shard).map(table::partition)).as(tenant).hasSize(size).doesNotHaveDuplicates();
        }
        ShardRegistryTest.requireBound(registry, tenants, overlap, "on partitions");
    }

    @Test
    void a_shard_of_more_slots_than_partitions_is_rejected() {
        ShardRegistry registry = new ShardRegistry(VirtualSlots.spread(16, 2), 2);

        assertThat(registry.assign("acme", 3, 1)).isInstanceOfSatisfying(ShardResult.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardResult.Reason.NONE_LEFT));
        assertThat(registry.assign("acme", 2, 1)).isInstanceOf(ShardResult.Assigned.class);
    }

    @Test
    void the_only_slot_of_a_partition_that_every_shard_needs_is_found() {
        int[] partitionOf = new int[500];
        partitionOf[321] = 1;
        ShardRegistry registry = new ShardRegistry(VirtualSlots.of(2, partitionOf), 1);

        assertThat(ShardRegistryTest.shardOf(registry.assign("acme", 2, 1)).toArray()).contains(321);
    }

    @Test
    void invalid_arguments_are_rejected_with_what_is_allowed() {
        assertThatThrownBy(() -> VirtualSlots.spread(3, 4)).hasMessageContaining("slots = 3: must be from 4");
        assertThatThrownBy(() -> VirtualSlots.of(4, 0, 4))
                .hasMessageContaining("slot 1 on partition 4: must be from 0 to 3");
        assertThatThrownBy(() -> VirtualSlots.of(4, -1)).hasMessageContaining("slot 0 on partition -1");
        assertThatThrownBy(() -> VirtualSlots.of(4)).hasMessageContaining("a table of 0 slots");
        assertThatThrownBy(() -> VirtualSlots.of(0, 0)).hasMessageContaining("partitions = 0");
    }

    static int[] table(VirtualSlots slots) {
        int[] table = new int[slots.slots()];
        Arrays.setAll(table, slots::partition);
        return table;
    }
}
