package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.OptionalLong;
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

    @Test
    void aSuccessfulItemIsDone() {
        assertThat(after(new AttemptResult.Succeeded(), 0)).isEqualTo(new NextStep.Done());
        assertThat(after(new AttemptResult.Succeeded(), 99)).isEqualTo(new NextStep.Done());
    }

    @Test
    void anItemThatFailsEveryTimeWaitsTwiceAndIsADeadLetter() {
        AttemptResult failed = new AttemptResult.Failed(OptionalLong.empty(), "status 503");
        assertThat(after(failed, 0)).isEqualTo(new NextStep.Delay(NOW + 1_000, 1));
        assertThat(after(failed, 1)).isEqualTo(new NextStep.Delay(NOW + 2_000, 2));
        assertThat(after(failed, 2)).isEqualTo(new NextStep.DeadLetter(DeadReason.ATTEMPTS_USED_UP, "status 503", 3));
    }

    @ParameterizedTest
    @CsvSource({"3, 4", "1000, 1001", "2147483647, 2147483647"})
    void moreAttemptsThanThePolicyNowAllowsAreADeadLetter(int before, int counted) {
        AttemptResult failed = new AttemptResult.Failed(OptionalLong.empty(), "");
        assertThat(after(failed, before)).isEqualTo(new NextStep.DeadLetter(DeadReason.ATTEMPTS_USED_UP, "", counted));
    }

    @Test
    void aFinalFailureIsADeadLetterAtOnceWithItsReasonMadePrintable() {
        NextStep.DeadLetter dead = (NextStep.DeadLetter) after(new AttemptResult.PermanentFailure("status 410\n{}"), 0);
        assertThat(dead.reason()).isEqualTo(DeadReason.FINAL_FAILURE);
        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(dead.detail()).startsWith("status 410").endsWith("{}").doesNotContain("\n");
    }

    @Test
    void aTimeoutCountsAsAnAttempt() {
        assertThat(after(new AttemptResult.TimedOut(30_000), 0)).isEqualTo(new NextStep.Delay(NOW + 1_000, 1));
        assertThat(after(new AttemptResult.TimedOut(30_000), 2))
                .isEqualTo(new NextStep.DeadLetter(DeadReason.ATTEMPTS_USED_UP, "stopped after 30s", 3));
    }

    @Test
    void anInterruptedAttemptDoesNotCountEvenIfItWasTheLast() {
        assertThat(after(new AttemptResult.Interrupted(), 2)).isEqualTo(new NextStep.GiveBack());
    }

    @ParameterizedTest(name = "asked to wait {0} ms: due after {1} ms")
    @CsvSource({"0, 1000", "4000, 5000", "9500, 10000", "86400000, 10000", "9223372036854775807, 10000", "-5, 1000"})
    void theDestinationsWaitAppliesUpToTheTenantsCap(long asked, long due) {
        NextStep step = after(new AttemptResult.Failed(OptionalLong.of(asked), "status 429"), 0);
        assertThat(step).isEqualTo(new NextStep.Delay(NOW + due, 1));
    }

    @Test
    void itemsWithTheSameRequestedWaitAreSpreadOverTheBackoff() {
        TenantPolicy jittered = TenantPolicy.of(PolicySettings.NONE_SET);
        long seed = 9;
        Random random = new Random(seed);
        AttemptResult failed = new AttemptResult.Failed(OptionalLong.of(30_000), "status 503");
        assertThat(random.ints(1_000).mapToObj(i -> AttemptRules.nextStep(failed, 3, jittered, random, NOW))
                .distinct())
                .as("seed %d", seed)
                .hasSizeGreaterThan(900)
                .allSatisfy(step -> assertThat(((NextStep.Delay) step).dueMillis())
                        .isBetween(NOW + 30_000, NOW + 38_000));
    }

    @Test
    void decorrelatedWaitsAreDrawnFromTheBaseToThreeTimesIt() {
        TenantPolicy decorrelated = TenantPolicy.of(
                PolicySettings.NONE_SET.with(PolicyField.JITTER, "decorrelated").with(PolicyField.ATTEMPTS, "1000"));
        AttemptResult failed = new AttemptResult.Failed(OptionalLong.empty(), "");
        Random random = new Random(3);
        for (int before = 0; before < 900; before++) {
            NextStep.Delay delay =
                    (NextStep.Delay) AttemptRules.nextStep(failed, before, decorrelated, random, NOW);
            assertThat(delay.dueMillis()).isBetween(NOW + 1_000, NOW + 3_000);
        }
    }

    private static NextStep after(AttemptResult result, int attemptsBefore) {
        return AttemptRules.nextStep(result, attemptsBefore, POLICY, new Random(1), NOW);
    }
}
