package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times are in milliseconds here. */
class TransactionBudgetTest {
    private static final long MILLI = 1_000_000;

    private final TransactionBudget budget = new TransactionBudget(1, 10, 100 * MILLI);

    @Test
    void the_first_transaction_is_due_at_once() {
        assertThat(budget.untilDueNanos(0)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        // cost; time since the commit, of which idle; idle time until due
        "4,   0,   0,   4",
        "4,   1,   1,   3",
        "4,   4,   4,   0",
        "4,  20,   0,   2",
        "4,  40,   0,   0",
        "4,  22,   2,   0",
        "4,   9,   9,   0",
        "50, 20,  20,  30",
        "50, 400,  0,  10",
        "500, 90, 90,  10",
        "500, 0,   0, 100",
    })
    void idle_time_pays_for_a_transaction_once_and_busy_time_a_tenth(
            long cost, long sinceMillis, long idleMillis, long untilDueMillis) {
        budget.committed(0, cost * MILLI);
        budget.idle(idleMillis * MILLI);
        assertThat(budget.untilDueNanos((cost + sinceMillis) * MILLI)).isEqualTo(untilDueMillis * MILLI);
    }

    @Test
    void idle_and_busy_time_pay_by_their_factors() {
        TransactionBudget dear = new TransactionBudget(4, 20, 100 * MILLI);
        dear.committed(1_000 * MILLI, 1_005 * MILLI);
        assertThat(dear.untilDueNanos(1_005 * MILLI)).isEqualTo(20 * MILLI);
        dear.idle(4 * MILLI);
        // One price of five is paid by idle time, and a half of one by busy time.
        assertThat(dear.untilDueNanos(1_019 * MILLI)).isEqualTo(14 * MILLI);
    }

    @Test
    void the_price_follows_transactions_that_become_dearer_and_cheaper() {
        long now = 0;
        for (int i = 0; i < 40; i++) {
            budget.committed(now, now + 4 * MILLI);
        }
        assertThat(budget.untilDueNanos(4 * MILLI)).isEqualTo(4 * MILLI);
        for (int i = 0; i < 40; i++) {
            budget.committed(now, now + 20 * MILLI);
        }
        assertThat(budget.untilDueNanos(20 * MILLI)).isBetween(19 * MILLI, 20 * MILLI);
        for (int i = 0; i < 40; i++) {
            budget.committed(now, now + 2 * MILLI);
        }
        assertThat(budget.untilDueNanos(2 * MILLI)).isBetween(2 * MILLI, 3 * MILLI);
    }

    @Test
    void each_factor_is_more_than_zero() {
        assertThatThrownBy(() -> new TransactionBudget(0, 1, 1)).hasMessageContaining("idlePerCost = 0");
        assertThatThrownBy(() -> new TransactionBudget(1, -1, 1)).hasMessageContaining("busyPerCost = -1");
        assertThatThrownBy(() -> new TransactionBudget(1, 1, 0)).hasMessageContaining("mostCostNanos = 0");
    }
}
