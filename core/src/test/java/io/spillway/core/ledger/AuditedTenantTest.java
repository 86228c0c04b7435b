package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuditedTenantTest {
    /** 100 accepted and 30 done before, and more of each during the count. */
    @ParameterizedTest
    @CsvSource({
        // accepted, done during the count, counted, balances
        "0,  0,  70, true",
        "0,  0,  69, false",
        "0,  0,  71, false",
        "10, 0,  70, true",
        "10, 0,  80, true",
        "10, 0,  81, false",
        "10, 5,  65, true",
        "10, 5,  64, false",
        "0,  70, 0,  true",
    })
    void a_count_within_the_balance_is_no_finding(long in, long done, long counted, boolean balances) {
        TenantBalance before = TenantBalanceTest.move(
                TenantBalanceTest.move(TenantBalance.EMPTY, ItemState.OUTSIDE, ItemState.HOT, 100), ItemState.HOT,
                        ItemState.DONE, 30);
        TenantBalance after = TenantBalanceTest.move(
                TenantBalanceTest.move(before, ItemState.OUTSIDE, ItemState.HOT, in), ItemState.HOT, ItemState.DONE,
                        done);
        AuditedTenant audited = new AuditedTenant("a", before, after, counted(ItemState.HOT, counted));
        assertThat(audited.findings().isEmpty()).isEqualTo(balances);
        assertThat(audited.isMoving()).isEqualTo(in + done > 0);
    }

    @Test
    void an_item_without_a_ledger_entry_is_a_finding() {
        AuditedTenant audited = new AuditedTenant("a", TenantBalance.EMPTY, TenantBalance.EMPTY,
                counted(ItemState.DEAD_LETTER, 1));
        assertThat(audited.findings()).containsExactly(new AuditedTenant.Finding(ItemState.DEAD_LETTER, 0, 0, 1));
    }

    @Test
    void a_balance_that_does_not_add_up_is_a_finding() {
        long[] left = new long[ItemState.COUNT];
        left[ItemState.OUTSIDE.ordinal()] = 3;
        TenantBalance wrong = TenantBalance.of(new long[ItemState.COUNT], left);
        assertThat(new AuditedTenant("a", wrong, wrong, new long[ItemState.COUNT]).findings())
                .containsExactly(new AuditedTenant.Finding(ItemState.OUTSIDE, 0, 0, 3));
    }

    private static long[] counted(ItemState state, long count) {
        long[] counted = new long[ItemState.COUNT];
        counted[state.ordinal()] = count;
        return counted;
    }
}
