package io.spillway.core.retry;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.settings.Durations;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/** Decides what happens to an item after an attempt: done, retry or dead letter. */
public final class AttemptRules {
    private AttemptRules() {}

    /**
     * Decides after one attempt.
     *
     * <p>A wait that the destination asks for is added to the drawn wait, so that items with the same request do not
     * all come back at once. The sum is capped at the tenant's {@code backoffCap}: a destination must not be able to
     * delay a tenant's items for a year.
     *
     * @param result             of the attempt, not null
     * @param attemptsBefore     attempts made before it, 0 or more; any such number is accepted
     * @param policy             the tenant's policy, not null
     * @param previousWaitMillis the wait drawn before this attempt ({@link NextStep.Delay#waitMillis}), 0 when there
     *                           was none or it is unknown; only decorrelated jitter uses it
     * @param random             source of randomness, not null
     * @param nowMillis          epoch milliseconds
     */
    public static NextStep nextStep(
            AttemptResult result,
            int attemptsBefore,
            TenantPolicy policy,
            long previousWaitMillis,
            RandomGenerator random,
            long nowMillis) {
        return switch (result) {
            case AttemptResult.Succeeded succeeded -> new NextStep.Done();
            case AttemptResult.Interrupted interrupted -> new NextStep.GiveBack();
            case AttemptResult.FailedForGood failed ->
                    new NextStep.DeadLetter(DeadReason.FINAL_FAILURE, failed.detail(), withThis(attemptsBefore));
            case AttemptResult.TimedOut timedOut -> failed(
                    OptionalLong.empty(),
                    "stopped after " + Durations.format(timedOut.ranMillis()),
                    attemptsBefore, policy, previousWaitMillis, random, nowMillis);
            case AttemptResult.Failed failed -> failed(
                    failed.retryAfterMillis(),
                    failed.detail(),
                    attemptsBefore, policy, previousWaitMillis, random, nowMillis);
        };
    }

    private static NextStep failed(
            OptionalLong retryAfterMillis,
            String detail,
            int attemptsBefore,
            TenantPolicy policy,
            long previousWaitMillis,
            RandomGenerator random,
            long nowMillis) {
        int attempts = withThis(attemptsBefore);
        if (attempts >= policy.attempts()) {
            return new NextStep.DeadLetter(DeadReason.ATTEMPTS_USED_UP, detail, attempts);
        }
        long capMillis = policy.backoffCapMillis();
        long drawnMillis = Backoff.waitMillis(
                policy.jitter(), policy.backoffBaseMillis(), capMillis, attempts, previousWaitMillis, random);
        long askedMillis = Math.clamp(retryAfterMillis.orElse(0), 0, capMillis);
        long waitMillis = Math.min(capMillis, askedMillis + drawnMillis);
        return new NextStep.Delay(nowMillis + waitMillis, attempts, drawnMillis);
    }

    private static int withThis(int attemptsBefore) {
        return attemptsBefore == Integer.MAX_VALUE ? attemptsBefore : attemptsBefore + 1;
    }
}
