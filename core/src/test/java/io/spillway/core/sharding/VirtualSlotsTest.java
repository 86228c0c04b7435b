package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class VirtualSlotsTest {
    @Test
    void with_as_many_slots_as_partitions_each_slot_is_its_partition() {
        assertThat(table(VirtualSlots.spread(6, 6))).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(table(VirtualSlots.spread(7, 3))).containsExactly(0, 1, 2, 0, 1, 2, 0);
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
