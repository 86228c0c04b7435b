package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.ledger.IngressAccount.Finding;
import io.spillway.core.ledger.IngressAccount.Kind;
import io.spillway.core.ledger.IngressAccount.Range;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IngressAccountTest {
    private static final long NOW = 1_800_000_000_000L;

    private IngressAccount account = IngressAccount.EMPTY;

    @Test
    void transactions_that_follow_each_other_have_no_finding() {
        commit(3, 100, 120);
        commit(3, 120, 121);
        commit(4, IngressAccount.UNKNOWN, 7);
        commit(4, 7, 7);
        assertThat(account).isEqualTo(new IngressAccount(Map.of(3, 121L, 4, 7L), List.of()));
    }

    @Test
    void a_transaction_whose_entry_was_aborted_is_missing() {
        commit(3, 100, 120);
        commit(3, 150, 160);
        commit(3, 160, 170);
        assertThat(account.findings()).containsExactly(finding(Kind.MISSING, 3, 120, 150));
        assertThat(account.next()).isEqualTo(Map.of(3, 170L));
    }

    @Test
    void a_transaction_whose_offsets_were_aborted_is_repeated_up_to_where_it_ended() {
        commit(3, 100, 160);
        commit(3, 100, 120);
        commit(3, 120, 170);
        commit(3, 170, 171);
        assertThat(account.findings()).as("one finding").containsExactly(finding(Kind.REPEATED, 3, 100, 160));
        assertThat(account.count(Kind.REPEATED)).isEqualTo(1);
        assertThat(account.count(Kind.MISSING)).isZero();
        assertThat(account.next()).isEqualTo(Map.of(3, 171L));
    }

    @Test
    void a_start_that_is_not_known_is_no_finding() {
        commit(3, 100, 160);
        commit(3, IngressAccount.UNKNOWN, 170);
        commit(3, 170, 180);
        assertThat(account).isEqualTo(new IngressAccount(Map.of(3, 180L), List.of()));
    }

    @Test
    void findings_that_an_operator_accepts_are_gone_and_the_account_goes_on() {
        commit(3, 100, 160);
        commit(3, 170, 180);
        commit(4, 0, 10);
        commit(4, 11, 12);
        commit(3, IngressAccount.UNKNOWN, 175);
        commit(3, 180, 190);
        assertThat(account.findings()).containsExactly(finding(Kind.MISSING, 4, 10, 11));
        assertThat(account.next()).isEqualTo(Map.of(3, 190L, 4, 12L));
    }

    @Test
    void the_last_transaction_is_compared_with_what_the_group_has_committed() {
        commit(1, 0, 10);
        commit(2, 0, 10);
        commit(3, 0, 10);
        assertThat(account.findings(Map.of(1, 10L, 2, 14L, 3, 5L), Map.of(1, 10L, 2, 20L, 3, 8L, 4, 9L), NOW))
                .containsExactly(finding(Kind.MISSING, 2, 10, 14), finding(Kind.REPEATED, 3, 8, 10));
        assertThat(account.findings(Map.of(1, 7L), Map.of(1, 12L), NOW)).as("it moves").isEmpty();
        assertThat(account.findings(Map.of(), Map.of(), NOW)).as("no commits").isEmpty();
    }

    @Test
    void findings_are_bounded_and_forgotten() {
        for (int partition = 0; partition <= IngressAccount.MOST_FINDINGS; partition++) {
            commit(partition, 0, 10);
            account = account.after(List.of(new Range(partition, 11, 12)), NOW + partition);
        }
        assertThat(account.findings()).hasSize(IngressAccount.MOST_FINDINGS);
        assertThat(account.findings().getFirst().range().partition()).as("the oldest is gone").isEqualTo(1);
        assertThat(account.forget(NOW + IngressAccount.MOST_FINDINGS).findings()).hasSize(1);
        assertThat(account.forget(NOW + IngressAccount.MOST_FINDINGS).next()).isEqualTo(account.next());
    }

    private void commit(int partition, long from, long to) {
        account = account.after(List.of(new Range(partition, from, to)), NOW);
    }

    private static Finding finding(Kind kind, int partition, long from, long to) {
        return new Finding(kind, new Range(partition, from, to), NOW);
    }
}
