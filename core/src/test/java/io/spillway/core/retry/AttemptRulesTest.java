package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptRulesTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.NONE_SET
            .with(PolicyField.ATTEMPTS, "3")
            .with(PolicyField.BACKOFF_BASE, "1s")
            .with(PolicyField.BACKOFF_CAP, "10s")
            .with(PolicyField.JITTER, "none"));

    private record History(int attempts, int blameThousandths, long waitMillis) implements ItemHistory {}

    private static NextStep dead(DeadReason reason, String detail, int attempts) {
        return new NextStep.DeadLetter(new Route.DeadLetter(reason, detail), attempts);
    }

    @Test
    void whatAHandlerMustNotReturnCountsAsARetry() {
        assertThat(AttemptRules.ofHandler(null))
                .isEqualTo(Outcome.retry("The handler returned null. It must return an outcome."));
        Outcome ofWorker = Outcome.retry("The handler returned an outcome of the worker. It must return an outcome.");
        assertThat(AttemptRules.ofHandler(new Outcome.TimedOut(Duration.ofSeconds(1)))).isEqualTo(ofWorker);
        assertThat(AttemptRules.ofHandler(new Outcome.Interrupted())).isEqualTo(ofWorker);
        assertThat(AttemptRules.ofHandler(Outcome.dead("status 410"))).isEqualTo(Outcome.dead("status 410"));
    }

    @Test
    void aSuccessfulItemIsDone() {
        assertThat(after(Outcome.done(), 0)).isEqualTo(new NextStep.Done());
        assertThat(after(Outcome.done(), 99)).isEqualTo(new NextStep.Done());
    }

    @Test
    void anItemThatFailsEveryTimeWaitsTwiceAndIsADeadLetter() {
        Outcome failed = Outcome.retry("status 503");
        assertThat(after(failed, 0)).isEqualTo(new NextStep.Delay(NOW + 1_000, 1, 1_000, 1_000));
        assertThat(after(failed, 1)).isEqualTo(new NextStep.Delay(NOW + 2_000, 2, 2_000, 2_000));
        assertThat(after(failed, 2)).isEqualTo(dead(DeadReason.ATTEMPTS_USED_UP, "status 503", 3));
    }

    @ParameterizedTest
    @CsvSource({"3, 4", "1000, 1001", "2147483647, 2147483647"})
    void moreAttemptsThanThePolicyNowAllowsAreADeadLetter(int before, int counted) {
        Outcome failed = Outcome.retry("");
        assertThat(after(failed, before)).isEqualTo(dead(DeadReason.ATTEMPTS_USED_UP, "", counted));
    }

    @Test
    void aFinalFailureIsADeadLetterAtOnceWithItsReasonMadePrintable() {
        NextStep.DeadLetter dead = (NextStep.DeadLetter) after(Outcome.dead("status 410\n{}"), 0);
        assertThat(dead.why().reason()).isEqualTo(DeadReason.FINAL_FAILURE);
        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(dead.why().detail()).startsWith("status 410").endsWith("{}").doesNotContain("\n");
    }

    @Test
    void aTimeoutCountsAsAnAttempt() {
        assertThat(after(new Outcome.TimedOut(Duration.ofMillis(30_000)), 0))
                .isEqualTo(new NextStep.Delay(NOW + 1_000, 1, 1_000, 1_000));
        assertThat(after(new Outcome.TimedOut(Duration.ofMillis(30_000)), 2))
                .isEqualTo(dead(DeadReason.ATTEMPTS_USED_UP, "stopped after 30s", 3));
    }

    @Test
    void anInterruptedAttemptDoesNotCountEvenIfItWasTheLast() {
        assertThat(after(new Outcome.Interrupted(), 2)).isEqualTo(new NextStep.GiveBack());
    }

    @ParameterizedTest(name = "asked to wait {0} ms: due after {1} ms")
    @CsvSource({"0, 1000", "4000, 5000", "9500, 10500", "40000, 41000", "86400000, 21601000",
        "9223372036854775807, 21601000", "-5, 1000"})
    void theDestinationsWaitMayExceedTheTenantsCapUpToRetryFor(long asked, long due) {
        NextStep step = after(Outcome.retry(Duration.ofMillis(asked), "status 429"), 0);
        assertThat(step).isEqualTo(new NextStep.Delay(NOW + due, 1, 1_000, 1_000));
    }

    @Test
    void theDestinationsWaitIsAtMostThirtyDaysWithoutRetryFor() {
        TenantPolicy endless = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.RETRY_FOR, "none").with(PolicyField.JITTER, "none"));
        NextStep step = AttemptRules.nextStep(
                Outcome.unavailable(Duration.ofMillis(Long.MAX_VALUE), "status 503"),
                new History(0, 0, 0), 0, endless, new Random(1), NOW);
        assertThat(((NextStep.Delay) step).dueMillis()).isEqualTo(NOW + 30 * 86_400_000L);
    }

    @Test
    void itemsWithTheSameRequestedWaitAreSpreadOverTheBackoff() {
        TenantPolicy jittered = TenantPolicy.of(PolicySettings.NONE_SET);
        long seed = 9;
        Random random = new Random(seed);
        Outcome failed = Outcome.retry(Duration.ofMillis(30_000), "status 503");
        assertThat(random.ints(1_000).mapToObj(i -> AttemptRules.nextStep(
                        failed, new History(3, 3_000, 0), 1_000, jittered, random, NOW))
                .distinct())
                .as("seed %d", seed)
                .hasSizeGreaterThan(900)
                .allSatisfy(step -> assertThat(((NextStep.Delay) step).dueMillis())
                        .isBetween(NOW + 30_000, NOW + 38_000));
    }

    @Test
    void decorrelatedWaitsAreDrawnFromTheBaseToThreeTimesTheWaitBefore() {
        TenantPolicy decorrelated = TenantPolicy.of(
                PolicySettings.NONE_SET.with(PolicyField.JITTER, "decorrelated").with(PolicyField.ATTEMPTS, "1000"));
        Outcome failed = Outcome.retry("");
        Random random = new Random(3);
        long waitMillis = 0;
        long mostMillis = 0;
        for (int before = 0; before < 900; before++) {
            NextStep.Delay delay = (NextStep.Delay) AttemptRules.nextStep(
                    failed, new History(before, 0, waitMillis), 1, decorrelated, random, NOW);
            assertThat(delay.waitMillis()).isBetween(1_000L, Math.min(300_000, 3 * Math.max(1_000, waitMillis)));
            assertThat(delay.dueMillis()).isEqualTo(NOW + delay.waitMillis());
            waitMillis = delay.waitMillis();
            mostMillis = Math.max(mostMillis, waitMillis);
        }
        assertThat(mostMillis).as("the waits grow to the cap").isEqualTo(300_000);
    }

    @Test
    void failuresThatAreNotItsOwnUseUpNoAttempts() {
        Outcome failed = Outcome.retry("status 500");
        History tried = new History(1_000, 2_900, 0);
        assertThat(AttemptRules.nextStep(failed, tried, 0, POLICY, new Random(1), NOW))
                .isEqualTo(new NextStep.Delay(NOW + 4_000, 1_001, 2_900, 0));
        assertThat(AttemptRules.nextStep(failed, tried, 99, POLICY, new Random(1), NOW))
                .isInstanceOf(NextStep.Delay.class);
        assertThat(AttemptRules.nextStep(failed, tried, 100, POLICY, new Random(1), NOW))
                .isEqualTo(dead(DeadReason.ATTEMPTS_USED_UP, "status 500", 1_001));
        Outcome unavailable = Outcome.unavailable(Duration.ofMillis(4_000), "status 503");
        assertThat(AttemptRules.nextStep(unavailable, new History(0, 2_900, 0), 1_000, POLICY, new Random(1),
                NOW)).isEqualTo(new NextStep.Delay(NOW + 8_000, 1, 2_900, 0));
    }

    /** The base doubles with each whole failure of its own, up to the cap. */
    @ParameterizedTest(name = "after {0} attempts and a blame of {1}: {2} ms")
    @CsvSource({"0, 0, 1000", "500, 0, 1000", "500, 999, 1000", "500, 1000, 2000", "2, 1999, 2000", "9, 2500, 4000",
        "9, 3000, 8000", "9, 4000, 10000", "2147483647, 999000, 10000"})
    void waitsGrowWithAnItemsOwnFailuresOnly(int attempts, int blame, long waitMillis) {
        TenantPolicy patient = TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.ATTEMPTS, "1000").with(PolicyField.BACKOFF_BASE, "1s")
                .with(PolicyField.BACKOFF_CAP, "10s").with(PolicyField.JITTER, "none"));
        Outcome failed = Outcome.retry("");
        NextStep.Delay delay = (NextStep.Delay) AttemptRules.nextStep(
                failed, new History(attempts, blame, 0), 1, patient, new Random(1), NOW);
        assertThat(delay.dueMillis()).isEqualTo(NOW + waitMillis);
    }

    @Test
    void decorrelatedWaitsDoNotGrowWhileTheDestinationIsUnavailable() {
        TenantPolicy decorrelated = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.JITTER, "decorrelated"));
        Outcome failed = Outcome.retry("");
        Random random = new Random(3);
        History history = new History(1, 0, 2_000);
        for (int i = 0; i < 900; i++) {
            NextStep.Delay delay =
                    (NextStep.Delay) AttemptRules.nextStep(failed, history, 0, decorrelated, random, NOW);
            assertThat(delay.dueMillis()).isBetween(NOW + 1_000, NOW + 6_000);
            history = new History(delay.attempts(), delay.blameThousandths(), delay.waitMillis());
        }
        assertThat(history).isEqualTo(new History(901, 0, 2_000));
    }

    @ParameterizedTest(name = "put off by {0} ms: due after {1} ms")
    @CsvSource({"0, 0", "-1, 0", "60000, 60000", "9223372036854775807, 2592000000"})
    void anItemThatIsPutOffKeepsItsAttempts(long after, long due) {
        assertThat(after(Outcome.later(Duration.ofMillis(after)), 2)).isEqualTo(new NextStep.PutOff(NOW + due));
    }

    private static NextStep after(Outcome result, int attemptsBefore) {
        int blame = (int) Math.min(attemptsBefore * 1_000L, Integer.MAX_VALUE);
        return AttemptRules.nextStep(
                result, new History(attemptsBefore, blame, 0), 1_000, POLICY, new Random(1), NOW);
    }
}
