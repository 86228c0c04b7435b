package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.IngressAccount.Finding;
import io.spillway.core.ledger.IngressAccount.Kind;
import io.spillway.core.ledger.IngressAccount.Range;
import io.spillway.kafka.codec.CommittedOffsetsCodec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IngressFoldTest {
    private final FoldHarness fold = new FoldHarness();

    @Test
    void the_account_is_written_within_a_second_and_the_mark_waits_for_it() {
        commit(0, 10);
        fold.append("a", ItemState.OUTSIDE, ItemState.HOT, 10);
        fold.advance(900);
        assertThat(fold.mark()).isZero();
        fold.advance(300);
        assertThat(fold.depths.ingress().account().next()).isEqualTo(Map.of(3, 10L));
        assertThat(fold.mark()).isEqualTo(2);
        int rows = fold.depthRows;
        fold.advance(60_000);
        assertThat(fold.depthRows).as("nothing more to write").isEqualTo(rows);
    }

    @Test
    void entries_that_a_new_task_reads_again_are_no_repetition() {
        commit(0, 10);
        fold.advance(2_000);
        commit(10, 20);
        fold.restart();
        commit(20, 30);
        fold.advance(2_000);
        fold.restart();
        commit(30, 40);
        fold.advance(2_000);
        assertThat(fold.depths.ingress().account().next()).isEqualTo(Map.of(3, 40L));
        assertThat(fold.depths.ingress().account().findings()).isEmpty();
    }

    @Test
    void a_finding_outlasts_the_task_and_is_forgotten_as_idle_tenants_are() {
        commit(0, 10);
        commit(12, 20);
        fold.advance(2_000);
        fold.restart();
        assertThat(fold.depths.ingress().account().findings()).extracting(Finding::kind, Finding::range)
                .containsExactly(tuple(Kind.MISSING, new Range(3, 10, 12)));
        fold.advance(FoldHarness.IDLE_MILLIS);
        assertThat(fold.depths.ingress().account().findings()).as("until it is written again").hasSize(1);
        commit(20, 30);
        fold.advance(2_000);
        assertThat(fold.depths.ingress().account().findings()).isEmpty();
        assertThat(fold.depths.ingress().account().next()).isEqualTo(Map.of(3, 30L));
    }

    @Test
    void the_account_is_written_after_the_clock_was_set_back() {
        commit(0, 10);
        fold.stepClock(-600_000);
        commit(10, 20);
        fold.advance(1_200);
        assertThat(fold.depths.ingress().account().next()).isEqualTo(Map.of(3, 20L));
    }

    private void commit(long from, long to) {
        fold.pipe(CommittedOffsetsCodec.encode(List.of(new Range(3, from, to)), 1));
    }
}
