package io.spillway.core.retry;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.settings.Durations;
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
     * @param attemptsBefore attempts made before it, 0 or more; any such number is accepted
     * @param policy         the tenant's policy
     */
    public static NextStep nextStep(
            AttemptResult result, int attemptsBefore, TenantPolicy policy, RandomGenerator random, long nowMillis) {
        int attempts = attemptsBefore == Integer.MAX_VALUE ? attemptsBefore : attemptsBefore + 1;
        return switch (result) {
            case AttemptResult.Succeeded succeeded -> new NextStep.Done();
            case AttemptResult.Interrupted interrupted -> new NextStep.GiveBack();
            case AttemptResult.PermanentFailure failed ->
                    new NextStep.DeadLetter(DeadReason.FINAL_FAILURE, failed.detail(), attempts);
            case AttemptResult.TimedOut timedOut -> failed(
                    0, "stopped after " + Durations.format(timedOut.ranMillis()), attempts, policy, random, nowMillis);
            case AttemptResult.Failed failed -> failed(
                    failed.retryAfterMillis().orElse(0), failed.detail(), attempts, policy, random, nowMillis);
        };
    }

    private static NextStep failed(
            long askedMillis, String detail, int attempts, TenantPolicy policy, RandomGenerator random,
            long nowMillis) {
        if (attempts >= policy.attempts()) {
            return new NextStep.DeadLetter(DeadReason.ATTEMPTS_USED_UP, detail, attempts);
        }
        long capMillis = policy.backoffCapMillis();
        // An item does not carry its previous wait, so decorrelated jitter always draws as for the first one.
        long drawnMillis =
                Backoff.waitMillis(policy.jitter(), policy.backoffBaseMillis(), capMillis, attempts, 0, random);
        long waitMillis = Math.min(capMillis, Math.clamp(askedMillis, 0, capMillis) + drawnMillis);
        return new NextStep.Delay(nowMillis + waitMillis, attempts);
    }
}
