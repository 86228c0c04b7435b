package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import org.junit.jupiter.api.Test;

class DepthsTest {
    private final Depths depths = new Depths();

    @Test
    void waiting_items_are_known_for_tenants_with_a_balance() {
        depths.put("acme", balance("acme", 5, 1_000));
        assertThat(depths.waiting("acme")).hasValue(5);
        assertThat(depths.waiting("bolt")).isEmpty();
        depths.put("acme", balance("acme", -3, 2_000));
        assertThat(depths.waiting("acme")).as("a negative balance").hasValue(0);
        depths.remove("acme");
        assertThat(depths.waiting("acme")).isEmpty();
    }

    @Test
    void the_time_of_the_newest_entry_is_the_time_of_the_last_change() {
        assertThat(depths.changedAtMillis()).isZero();
        depths.put("acme", balance("acme", 5, 2_000));
        depths.put("bolt", balance("bolt", 5, 1_000));
        assertThat(depths.changedAtMillis()).isEqualTo(2_000);
        depths.put(Depths.foldedKey(0), balance(Depths.foldedKey(0), 0, 3_000));
        assertThat(depths.changedAtMillis()).as("progress of the ledger is a change").isEqualTo(3_000);
        assertThat(depths.size()).isEqualTo(2);
        assertThatThrownBy(() -> depths.put("acme", new byte[] {1})).isInstanceOf(IllegalArgumentException.class);
        assertThat(depths.changedAtMillis()).isEqualTo(3_000);
    }

    @Test
    void forgotten_tenants_stay_in_the_sums_with_the_progress_of_their_ledger_partition() {
        depths.put("acme", balance("acme", 5, 1_000));
        depths.put(Depths.foldedKey(0), balance(Depths.foldedKey(0), 3, 2_000));
        depths.put(Depths.foldedKey(2), balance(Depths.foldedKey(2), 10, 2_000));
        assertThat(depths.entered(ItemState.HOT)).isEqualTo(18);
        depths.put(Depths.foldedKey(0), balance(Depths.foldedKey(0), 8, 3_000));
        depths.remove("acme");
        assertThat(depths.entered(ItemState.HOT)).as("acme moved to the sum").isEqualTo(18);
        assertThat(depths.forgotten().entered(ItemState.HOT)).isEqualTo(18);
        assertThat(depths.size()).isZero();
    }

    private static byte[] balance(String key, long inHot, long atMillis) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.HOT.ordinal()] = inHot;
        return Depths.encode(key, new Depth(
                TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts), FlowRates.startingAt(atMillis),
                GrowingLimit.NONE, 0));
    }
}
