package io.spillway.core.retry;

import io.spillway.core.item.DeadReason;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.routing.Route;
import io.spillway.core.settings.Durations;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Decides what happens to an item after an attempt: done, retry, put off or dead letter. */
public final class AttemptRules {
    private AttemptRules() {}

    /** Returns what the result of a handler counts as, null included: as a retry if a handler must not return it. */
    public static Outcome ofHandler(Outcome outcome) {
        return outcome == null || outcome instanceof Outcome.TimedOut || outcome instanceof Outcome.Interrupted
                ? Outcome.retry("The handler returned " + (outcome == null ? "null" : "an outcome of the worker")
                        + ". It must return an outcome.")
                : outcome;
    }

    /** Returns whether the destination did not do its work. */
    public static boolean isFailure(Outcome outcome) {
        return outcome instanceof Outcome.Retry || outcome instanceof Outcome.Unavailable
                || outcome instanceof Outcome.TimedOut;
    }

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
            Outcome result, ItemHistory before, int blameThousandths, TenantPolicy policy, RandomGenerator random,
            long nowMillis) {
        int attempts = before.attempts() == Integer.MAX_VALUE ? before.attempts() : before.attempts() + 1;
        return switch (result) {
            case Outcome.Done succeeded -> new NextStep.Done();
            case Outcome.Interrupted interrupted -> new NextStep.GiveBack();
            case Outcome.Dead(String reason) ->
                    new NextStep.DeadLetter(new Route.DeadLetter(DeadReason.FINAL_FAILURE, reason), attempts);
            case Outcome.Later(Duration after) ->
                    new NextStep.PutOff(nowMillis + millis(after, ReplayRules.LONGEST_WAIT_MILLIS));
            case Outcome.TimedOut(Duration ran) -> failed(
                    Optional.empty(), "stopped after " + Durations.format(ran.toMillis()), before, attempts,
                    blameThousandths, policy, random, nowMillis);
            case Outcome.Retry(var after, String detail) ->
                    failed(after, detail, before, attempts, blameThousandths, policy, random, nowMillis);
            case Outcome.Unavailable(var after, String detail) ->
                    failed(after, detail, before, attempts, 0, policy, random, nowMillis);
        };
    }

    private static NextStep failed(
            Optional<Duration> asked, String detail, ItemHistory before, int attempts, int blameThousandths,
            TenantPolicy policy, RandomGenerator random, long nowMillis) {
        int blame = (int) Math.min((long) before.blameThousandths() + blameThousandths, Integer.MAX_VALUE);
        if (ItemEnds.isUsedUp(blame, policy)) {
            return new NextStep.DeadLetter(new Route.DeadLetter(DeadReason.ATTEMPTS_USED_UP, detail), attempts);
        }
        long drawnMillis = Backoff.waitMillis(
                policy.jitter(), policy.backoffBaseMillis(), policy.backoffCapMillis(),
                1 + before.blameThousandths() / DestinationHealth.WHOLE, before.waitMillis(), random);
        long mostAskedMillis = Math.min(policy.retryForMillis(), ReplayRules.LONGEST_WAIT_MILLIS);
        long askedMillis = asked.map(wait -> millis(wait, mostAskedMillis)).orElse(0L);
        long waitMillis = Math.min(ReplayRules.LONGEST_WAIT_MILLIS, askedMillis + drawnMillis);
        return new NextStep.Delay(
                nowMillis + waitMillis, attempts, blame, blameThousandths == 0 ? before.waitMillis() : drawnMillis);
    }

    private static long millis(Duration wait, long most) {
        return Math.clamp(TimeUnit.MILLISECONDS.convert(wait), 0, most);
    }
}
