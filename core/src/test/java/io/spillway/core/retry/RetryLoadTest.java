package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Load of retries on a destination that fails a share of its attempts: the figures of the literature, and our own. */
@Tag("slow")
class RetryLoadTest {
    private static final long SEED = 20150304;
    private static final RetrySettings SAVED_ONLY =
            new RetrySettings(1_000_000, Duration.ofDays(1), Duration.ofDays(1), 0.05);

    @ParameterizedTest(name = "failure rate {0}: load {1} with a strict budget, {2} without")
    @CsvSource({"0.1, 1.10, 1.11", "0.5, 1.05, 1.75", "1, 1.00, 3.00"})
    void aBudgetOfATenthKeepsTheLoadBelowElevenTenths(double failureRate, double load, double without) {
        assertThat(load(failureRate, 3, policy("100", "0.1"))).as("seed %d", SEED)
                .isCloseTo(load, within(0.03 * load));
        assertThat(load(failureRate, 3, policy("1000000", "1"))).as("seed %d", SEED)
                .isCloseTo(without, within(0.03 * without));
    }

    /** A destination that fails p of its attempts needs 1/(1 - p) attempts an item. */
    @ParameterizedTest(name = "failure rate {0}: load {1}")
    @CsvSource({"0.1, 1.111", "0.3, 1.429", "0.5, 2", "0.6, 2.5", "0.8, 1.625", "0.9, 1.21", "1, 1.05"})
    void theDefaultBudgetGrantsWhatAFlakyDestinationNeedsAndATwentiethToOneThatIsDown(double failureRate, double load) {
        assertThat(load(failureRate, 1_000, policy("16", "1"))).as("seed %d", SEED)
                .isCloseTo(load, within(0.03 * load));
    }

    private static TenantPolicy policy(String tokens, String earned) {
        return TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.RETRY_TOKENS, tokens).with(PolicyField.RETRY_EARNED, earned));
    }

    /** Returns the attempts per item with this many tries each; a refused retry is not made. */
    private static double load(double failureRate, int mostTries, TenantPolicy policy) {
        RetryKey key = new RetryKey("", "acme");
        RetryGate gate = new RetryGate(SAVED_ONLY, 0, 1, 10);
        Random random = new Random(SEED);
        int items = 200_000;
        int attempts = 0;
        for (int item = 0; item < items; item++) {
            boolean isDone = false;
            for (int tries = 1; !isDone && tries <= mostTries; tries++) {
                if (tries > 1 && !gate.mayGo(key, policy, item)) {
                    break;
                }
                attempts++;
                isDone = random.nextDouble() >= failureRate;
                int success = isDone ? 1 : 0;
                gate.counted(List.of(tries == 1
                        ? new AttemptCounts(key, -1, 1, success, 0, 0)
                        : new AttemptCounts(key, 0, 0, 0, 1, success)), item);
            }
        }
        return (double) attempts / items;
    }
}
