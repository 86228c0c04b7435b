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
    void what_waits_is_known_of_tenants_that_are_in_the_books() {
        depths.put("acme", books("acme", 5, 1_000));
        assertThat(depths.waiting("acme")).hasValue(5);
        assertThat(depths.waiting("bolt")).isEmpty();
        depths.put("acme", books("acme", -3, 2_000));
        assertThat(depths.waiting("acme")).as("what cannot be").hasValue(0);
        depths.remove("acme");
        assertThat(depths.waiting("acme")).isEmpty();
    }

    @Test
    void the_newest_of_all_that_was_written_tells_when_something_last_moved() {
        assertThat(depths.changedAtMillis()).isZero();
        depths.put("acme", books("acme", 5, 2_000));
        depths.put("bolt", books("bolt", 5, 1_000));
        assertThat(depths.changedAtMillis()).isEqualTo(2_000);
        depths.put(DepthCodec.foldedKey(0), books(DepthCodec.foldedKey(0), 0, 3_000));
        assertThat(depths.changedAtMillis()).as("a mark of the ledger moves when something did").isEqualTo(3_000);
        assertThat(depths.size()).isEqualTo(2);
        assertThatThrownBy(() -> depths.put("acme", new byte[] {1})).isInstanceOf(IllegalArgumentException.class);
        assertThat(depths.changedAtMillis()).isEqualTo(3_000);
    }

    private static byte[] books(String key, long inHot, long atMillis) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.HOT.ordinal()] = inHot;
        return new DepthCodec().encode(key, new Depth(
                TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts, 0), FlowRates.startingAt(atMillis), GrowingLimit.NONE, 0));
    }
}
