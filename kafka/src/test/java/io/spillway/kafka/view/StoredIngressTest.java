package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.IngressAccount.Finding;
import io.spillway.core.ledger.IngressAccount.Kind;
import io.spillway.core.ledger.IngressAccount.Range;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.codec.LedgerOwner;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoredIngressTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final StoredIngress STORED = new StoredIngress(new IngressAccount(Map.of(0, 12L, 11, 1L << 50),
            List.of(new Finding(Kind.MISSING, new Range(11, 3, 9), NOW - 2),
                    new Finding(Kind.REPEATED, new Range(0, 1, 2), NOW - 1))), 77);

    @Test
    void an_account_is_read_as_it_was_written() {
        assertThat(StoredIngress.decode(STORED.encode(NOW))).isEqualTo(STORED);
        assertThat(StoredIngress.decode(StoredIngress.EMPTY.encode(NOW))).isEqualTo(StoredIngress.EMPTY);
    }

    @Test
    void a_version_that_does_not_know_it_reads_the_balance_of_a_tenant_without_items() {
        Depth depth = Depths.decode(STORED.encode(NOW));
        assertThat(depth.balance()).isEqualTo(TenantBalance.EMPTY);
        assertThat(depth.upTo()).isEqualTo(77);
    }

    @Test
    void the_view_has_it_beside_the_tenants() {
        Depths depths = new Depths();
        depths.put(LedgerOwner.INGRESS, STORED.encode(NOW));
        assertThat(depths.ingress()).isEqualTo(STORED);
        assertThat(depths.size()).isZero();
        assertThat(depths.contains(LedgerOwner.INGRESS)).isTrue();
    }

    @Test
    void a_balance_with_items_is_none() {
        TenantBalance balance = TenantBalance.EMPTY.plus(ItemState.OUTSIDE, new long[] {0, 3, 0, 0, 0, 0, 0, 0});
        byte[] bytes = Depths.encode("a", new Depth(balance, FlowRates.startingAt(NOW), GrowingLimit.NONE, 0));
        assertThatThrownBy(() -> StoredIngress.decode(bytes)).isInstanceOf(IllegalArgumentException.class);
    }
}
