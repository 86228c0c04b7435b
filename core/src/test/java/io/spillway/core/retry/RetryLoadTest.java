package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.Comparator;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Load of retries on a destination: the figures of the literature, and a destination that is down. */
class RetryLoadTest {
    private static final long SEED = 20150304;

    @ParameterizedTest(name = "failure rate {0}: load {1} with a budget, {2} without")
    @CsvSource({"0.1, 1.10, 1.11", "0.5, 1.05, 1.75", "1, 1.00, 3.00"})
    void aBudgetOfATenthKeepsTheLoadBelowElevenTenths(double failureRate, double load, double without) {
        RetryBudget budget = new RetryBudget(new RetryBudget.Settings(100, 0.1, 86_400_000));
        assertThat(load(failureRate, budget)).as("seed %d", SEED).isCloseTo(load, within(0.03 * load));
        RetryBudget endless = new RetryBudget(new RetryBudget.Settings(1_000_000, 1, 1));
        assertThat(load(failureRate, endless)).as("seed %d", SEED).isCloseTo(without, within(0.03 * without));
    }

    /** Returns the attempts per item with three tries each; a refused retry is not made. */
    private static double load(double failureRate, RetryBudget budget) {
        Random random = new Random(SEED);
        int items = 200_000;
        int attempts = 0;
        for (int item = 0; item < items; item++) {
            for (int tries = 1; tries <= 3; tries++) {
                attempts++;
                if (random.nextDouble() >= failureRate) {
                    budget.succeeded();
                    break;
                }
                budget.failed();
                if (tries < 3 && !(budget.ask(0) instanceof RetryBudget.Answer.Granted)) {
                    break;
                }
            }
        }
        return (double) attempts / items;
    }

    /**
     * 100 tenants at 70% of 50 slots of 20 ms: 1,750 items/s. The destination is down from second 30 to 90. Attempts
     * take no time, so this tests the rules alone.
     */
    @Test
    void whileADestinationIsDownAttemptsStayBelowElevenTenthsOfTheItemsOffered() {
        Outage outage = new Outage();
        outage.run();
        System.out.printf(
                "Outage of 60 s: attempts %.3f of the items offered, %d returns from the delay lane a second at most,"
                        + " the last item of the outage done %d s after it%n",
                (double) outage.attemptsWhileDown / outage.offeredWhileDown, outage.mostReturnsASecond(),
                (outage.lastRetryMillis - Outage.DOWN_TO_MILLIS) / 1_000);
        assertThat(outage.attemptsWhileDown).as("seed %d", SEED).isLessThan(outage.offeredWhileDown * 11 / 10);
        assertThat(outage.deadLetters).as("waiting uses up no attempts; seed %d", SEED).isLessThan(100);
        assertThat(outage.mostReturnsASecond()).as("seed %d", SEED).isLessThan(5_000);
        assertThat(outage.lastRetryMillis).as("what waited is done as soon as it comes back; seed %d", SEED)
                .isLessThan(Outage.DOWN_TO_MILLIS + 2 * 60_000);
        assertThat(outage.waitingAfterItAll).as("seed %d", SEED).isZero();
    }

    /**
     * Moves through the delay lane for a tenant whose destination is down, at the default budget. The budget grants one
     * retry a second, and each refused item comes back within {@link RetryBudget#SPREAD_PERIODS} periods, after half of
     * them on average. So the moves grow with the backlog: the cost is known and has no bound of its own.
     */
    @ParameterizedTest(name = "{0} parked items: {1} moves a second")
    @CsvSource({"300, 10", "3000, 98", "30000, 984", "300000, 9836"})
    void whatTheBudgetRefusesMovesTwiceAMinuteForOneRetryASecond(int parked, long movesASecond) {
        RetryBudgets budgets = new RetryBudgets(1, RetryBudget.Settings.DEFAULT);
        int measuredFromMillis = 60_000;
        int endMillis = 180_000;
        int[] dueByMilli = new int[endMillis + 61_000];
        dueByMilli[0] = parked;
        long refused = 0;
        long granted = 0;
        for (int nowMillis = 0; nowMillis < endMillis; nowMillis++) {
            for (; dueByMilli[nowMillis] > 0; dueByMilli[nowMillis]--) {
                boolean isMeasured = nowMillis >= measuredFromMillis;
                switch (budgets.ask("acme", "destination", nowMillis)) {
                    case RetryBudget.Answer.Granted grant -> {
                        budgets.failed("acme", "destination");
                        dueByMilli[nowMillis + 30_000]++;
                        granted += isMeasured ? 1 : 0;
                    }
                    case RetryBudget.Answer.Wait wait -> {
                        dueByMilli[(int) wait.untilMillis()]++;
                        refused += isMeasured ? 1 : 0;
                    }
                }
            }
        }
        long seconds = (endMillis - measuredFromMillis) / 1_000;
        assertThat(granted / seconds).as("useful retries a second").isEqualTo(1);
        assertThat((double) refused / seconds).isCloseTo(movesASecond, within(Math.max(2, 0.05 * movesASecond)));
    }

    private static final class Outage {
        private static final int TENANTS = 100;
        private static final int OFFERED_A_SECOND = 1_750;
        private static final long DOWN_FROM_MILLIS = 30_000;
        private static final long DOWN_TO_MILLIS = 90_000;
        private static final long LAST_OFFERED_MILLIS = 150_000;
        private static final long END_MILLIS = 1_800_000;

        private final Random random = new Random(SEED);
        private final TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET);
        private final RetryBudgets budgets = new RetryBudgets(1_000, RetryBudget.Settings.DEFAULT);
        private final PriorityQueue<Due> delay = new PriorityQueue<>(Comparator.comparingLong(Due::atMillis));
        private final int[] returnsBySecond = new int[(int) (END_MILLIS / 1_000) + 1];
        private int attemptsWhileDown;
        private int offeredWhileDown;
        private int deadLetters;
        private int waitingAfterItAll;
        private long lastRetryMillis;

        private record Due(long atMillis, String tenant, int attempts) {}

        void run() {
            long offered = LAST_OFFERED_MILLIS * OFFERED_A_SECOND / 1_000;
            for (long item = 0; item < offered; item++) {
                long nowMillis = item * 1_000 / OFFERED_A_SECOND;
                returnUntil(nowMillis);
                offeredWhileDown += isDown(nowMillis) ? 1 : 0;
                attempt(new Due(nowMillis, "tenant-" + random.nextInt(TENANTS), 0));
            }
            returnUntil(END_MILLIS);
            waitingAfterItAll = delay.size();
        }

        int mostReturnsASecond() {
            int most = 0;
            for (int returns : returnsBySecond) {
                most = Math.max(most, returns);
            }
            return most;
        }

        private void returnUntil(long nowMillis) {
            while (!delay.isEmpty() && delay.peek().atMillis() <= nowMillis) {
                Due due = delay.poll();
                returnsBySecond[(int) (due.atMillis() / 1_000)]++;
                switch (budgets.ask(due.tenant(), "destination", due.atMillis())) {
                    case RetryBudget.Answer.Granted granted -> attempt(due);
                    case RetryBudget.Answer.Wait wait ->
                            delay.add(new Due(wait.untilMillis(), due.tenant(), due.attempts()));
                }
            }
        }

        private void attempt(Due due) {
            boolean isDown = isDown(due.atMillis());
            attemptsWhileDown += isDown ? 1 : 0;
            AttemptResult result =
                    isDown ? new AttemptResult.Failed(OptionalLong.empty(), "refused") : new AttemptResult.Succeeded();
            if (isDown) {
                budgets.failed(due.tenant(), "destination");
            } else if (due.attempts() > 0) {
                lastRetryMillis = due.atMillis();
            }
            switch (AttemptRules.nextStep(result, due.attempts(), policy, random, due.atMillis())) {
                case NextStep.Done done -> budgets.succeeded(due.tenant(), "destination");
                case NextStep.Delay next -> delay.add(new Due(next.dueMillis(), due.tenant(), next.attempts()));
                case NextStep.DeadLetter dead -> deadLetters++;
                case NextStep.GiveBack back -> throw new AssertionError("nothing is interrupted here");
            }
        }

        private static boolean isDown(long nowMillis) {
            return nowMillis >= DOWN_FROM_MILLIS && nowMillis < DOWN_TO_MILLIS;
        }
    }
}
