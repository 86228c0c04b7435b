package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryBudgetTest {
    private static final RetryBudget.Settings THREE = new RetryBudget.Settings(3, 0.1, 1_000);

    @Test
    void afterTheSavedRetriesTheTrickleApplies() {
        RetryBudget budget = new RetryBudget(THREE);
        assertThat(answers(budget, 0, 0, 0, 0, 0)).isEqualTo("go go go go wait1000 ");
        assertThat(answers(budget, 500, 999, 1_000, 1_001)).isEqualTo("wait2000 wait3000 go wait4000 ");
        assertThat(answers(budget, 2_500, 3_600)).isEqualTo("go go ");
    }

    @Test
    void tenSuccessesEarnOneRetryAndNoMoreThanTheCapIsSaved() {
        RetryBudget budget = spent(THREE, 0);
        succeed(budget, 9);
        assertThat(answers(budget, 1)).startsWith("wait");
        succeed(budget, 1);
        assertThat(answers(budget, 2, 2)).startsWith("go wait");
        succeed(budget, 10_000);
        assertThat(budget.tokens()).isEqualTo(3.0);
        assertThat(answers(budget, 3, 3, 3, 3)).startsWith("go go go wait");
    }

    @Test
    void refusedRetriesAreSpreadOverAMinuteOfTheTrickleAndThenFromItsStart() {
        RetryBudget budget = spent(THREE, 0);
        Map<Long, Integer> waiting = new HashMap<>();
        for (int i = 0; i < 6_000; i++) {
            waiting.merge(((RetryBudget.Answer.Wait) budget.ask(10)).untilMillis(), 1, Integer::sum);
        }
        assertThat(waiting).hasSize(RetryBudget.SPREAD_PERIODS);
        assertThat(waiting.keySet()).allMatch(until -> until >= 1_000 && until <= 60_000);
        assertThat(waiting.values()).containsOnly(100);
    }

    @Test
    void aClockThatStepsBackCostsOnePeriod() {
        RetryBudget budget = spent(THREE, 3_600_000);
        assertThat(answers(budget, 3_600_001)).isEqualTo("wait3601000 ");
        assertThat(answers(budget, 5, 1_005)).isEqualTo("wait1005 go ");
    }

    @ParameterizedTest
    @CsvSource({"0, 0.1, 1000, capTokens = 0", "1, NaN, 1000, earnedPerSuccess = NaN",
            "1, 2, 1000, earnedPerSuccess = 2.0",
        "1, 0.1, 0, trickleMillis = 0"})
    void settingsOutOfRangeAreRejected(int cap, double earned, long trickle, String message) {
        assertThatThrownBy(() -> new RetryBudget.Settings(cap, earned, trickle)).hasMessageStartingWith(message);
    }

    @Test
    void everyTenantAndDestinationHasItsOwnBudget() {
        RetryBudgets budgets = new RetryBudgets(10, THREE);
        for (int i = 0; i < 4; i++) {
            budgets.ask("noisy", "a", 0);
        }
        assertThat(budgets.ask("noisy", "a", 0)).isInstanceOf(RetryBudget.Answer.Wait.class);
        assertThat(budgets.ask("noisy", "b", 0)).isInstanceOf(RetryBudget.Answer.Granted.class);
        assertThat(budgets.ask("quiet", "a", 0)).isInstanceOf(RetryBudget.Answer.Granted.class);
        assertThat(budgets.tokens("noisy", "a")).isZero();
        assertThat(budgets.tokens("quiet", "a")).isEqualTo(2.0);
        assertThat(budgets.tokens("unknown", "a")).isEqualTo(3.0);
    }

    @Test
    void aFullBudgetWithoutRetriesIsRemoved() {
        RetryBudgets budgets = new RetryBudgets(10, THREE);
        budgets.ask("t", "a", 0);
        for (int i = 1; i < RetryBudget.FORGOTTEN_AFTER; i++) {
            budgets.succeeded("t", "a");
        }
        assertThat(budgets.size()).isEqualTo(1);
        budgets.succeeded("t", "a");
        assertThat(budgets.size()).isZero();
    }

    @Test
    void afterFiftyConsecutiveSuccessesEachEarnsAWholeRetryUntilOneFails() {
        RetryBudget budget = spent(THREE, 0);
        for (int i = 1; i < RetryBudget.RECOVERED_AFTER; i++) {
            budget.succeeded();
        }
        for (int i = 0; i < 3; i++) {
            budget.ask(0);
        }
        double before = budget.tokens();
        budget.succeeded();
        assertThat(budget.tokens()).isEqualTo(before + 1);
        budget.failed();
        budget.succeeded();
        assertThat(budget.tokens()).isCloseTo(before + 1.1, within(1e-6));
    }

    @Test
    void aBudgetWithoutRetriesForTenMinutesIsRemoved() {
        RetryBudgets budgets = new RetryBudgets(10, THREE);
        budgets.ask("old", "a", 0);
        budgets.ask("young", "a", 1);
        budgets.prune(RetryBudgets.IDLE_MILLIS);
        assertThat(budgets.size()).isEqualTo(2);
        budgets.prune(RetryBudgets.IDLE_MILLIS + 1);
        assertThat(budgets.size()).isEqualTo(1);
        assertThat(budgets.tokens("young", "a")).isEqualTo(2.0);
    }

    @Test
    void tenantsBeyondTheBoundShareOneBudget() {
        RetryBudgets budgets = new RetryBudgets(2, THREE);
        budgets.ask("1", "a", 0);
        budgets.ask("2", "a", 0);
        String answers = "";
        for (int tenant = 3; tenant < 9; tenant++) {
            answers += word(budgets.ask(Integer.toString(tenant), "a", 0));
        }
        assertThat(answers).isEqualTo("go go go go wait1000 wait2000 ");
        assertThat(budgets.size()).isEqualTo(2);
        for (int i = 0; i < 10; i++) {
            budgets.succeeded("77", "a");
        }
        assertThat(budgets.ask("78", "a", 1)).isInstanceOf(RetryBudget.Answer.Granted.class);
        for (int i = 0; i < RetryBudget.FORGOTTEN_AFTER; i++) {
            budgets.succeeded("1", "a");
        }
        budgets.ask("79", "a", 1);
        assertThat(budgets.tokens("79", "a")).as("there is room again").isEqualTo(2.0);
    }

    private static RetryBudget spent(RetryBudget.Settings settings, long nowMillis) {
        RetryBudget budget = new RetryBudget(settings);
        for (int i = 0; i <= settings.capTokens(); i++) {
            assertThat(budget.ask(nowMillis)).isInstanceOf(RetryBudget.Answer.Granted.class);
        }
        return budget;
    }

    private static void succeed(RetryBudget budget, int times) {
        for (int i = 0; i < times; i++) {
            budget.succeeded();
        }
    }

    private static String answers(RetryBudget budget, long... timesMillis) {
        StringBuilder answers = new StringBuilder();
        for (long nowMillis : timesMillis) {
            answers.append(word(budget.ask(nowMillis)));
        }
        return answers.toString();
    }

    private static String word(RetryBudget.Answer answer) {
        return switch (answer) {
            case RetryBudget.Answer.Granted granted -> "go ";
            case RetryBudget.Answer.Wait wait -> "wait" + wait.untilMillis() + " ";
        };
    }
}
