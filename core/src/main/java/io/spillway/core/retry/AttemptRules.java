package io.spillway.core.retry;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.settings.Durations;
import java.util.random.RandomGenerator;

/** Decides what happens to an item after an attempt: done, retry, put off or dead letter. */
public final class AttemptRules {
    private AttemptRules() {}

    /**
     * Decides after one attempt.
     *
     * <p>The drawn wait is added to a wait that the destination asks for, so that items with the same request do not
     * all come back at once. An asked wait counts up to the tenant's {@code retryFor}, at whose end the item is a dead
     * letter where it waits, and up to {@link ReplayRules#LONGEST_WAIT_MILLIS}: a destination must not be able to delay
     * a tenant's items for a year.
     *
     * <p>The wait grows with the item's own failures only. While a destination is unavailable, the retry budget limits
     * the load, and a long wait would only delay the item when the destination is back.
     *
     * <p>When an item that keeps failing ends: {@link ItemEnds}. Its end by time is decided where it waits.
     *
     * @param before           its attempts before this one
     * @param blameThousandths what a failure adds to its blame ({@link DestinationHealth#blame})
     * @param policy           the tenant's policy
     */
    public static NextStep nextStep(
            AttemptResult result, ItemHistory before, int blameThousandths, TenantPolicy policy,
            RandomGenerator random, long nowMillis) {
        int attempts = before.attempts() == Integer.MAX_VALUE ? before.attempts() : before.attempts() + 1;
        return switch (result) {
            case AttemptResult.Succeeded succeeded -> new NextStep.Done();
            case AttemptResult.Interrupted interrupted -> new NextStep.GiveBack();
            case AttemptResult.PermanentFailure failed ->
                    new NextStep.DeadLetter(DeadReason.FINAL_FAILURE, failed.detail(), attempts);
            case AttemptResult.Deferred later -> new NextStep.PutOff(
                    nowMillis + Math.clamp(later.afterMillis(), 0, ReplayRules.LONGEST_WAIT_MILLIS));
            case AttemptResult.TimedOut timedOut -> failed(
                    0, "stopped after " + Durations.format(timedOut.ranMillis()), before, attempts, blameThousandths,
                    policy, random, nowMillis);
            case AttemptResult.Failed failed -> failed(
                    failed.retryAfterMillis().orElse(0), failed.detail(), before, attempts, blameThousandths, policy,
                    random, nowMillis);
            case AttemptResult.Unavailable failed -> failed(
                    failed.retryAfterMillis().orElse(0), failed.detail(), before, attempts, 0, policy, random,
                    nowMillis);
        };
    }

    private static NextStep failed(
            long askedMillis, String detail, ItemHistory before, int attempts, int blameThousandths,
            TenantPolicy policy, RandomGenerator random, long nowMillis) {
        int blame = (int) Math.min((long) before.blameThousandths() + blameThousandths, Integer.MAX_VALUE);
        if (ItemEnds.isUsedUp(blame, policy)) {
            return new NextStep.DeadLetter(DeadReason.ATTEMPTS_USED_UP, detail, attempts);
        }
        long drawnMillis = Backoff.waitMillis(
                policy.jitter(), policy.backoffBaseMillis(), policy.backoffCapMillis(),
                1 + before.blameThousandths() / DestinationHealth.WHOLE, before.waitMillis(), random);
        long mostAskedMillis = Math.min(policy.retryForMillis(), ReplayRules.LONGEST_WAIT_MILLIS);
        long waitMillis = Math.min(
                ReplayRules.LONGEST_WAIT_MILLIS, Math.clamp(askedMillis, 0, mostAskedMillis) + drawnMillis);
        return new NextStep.Delay(
                nowMillis + waitMillis, attempts, blame, blameThousandths == 0 ? before.waitMillis() : drawnMillis);
    }
}
