package io.spillway.worker.handlers;

import io.spillway.core.retry.AttemptResult;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Conversion of what a handler returns to the result of an attempt. */
public final class OutcomeResults {
    private OutcomeResults() {}

    /** Returns the result of an attempt whose handler returned this outcome; null counts as a failure. */
    public static AttemptResult of(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done done -> new AttemptResult.Succeeded();
            case Outcome.Retry(var after, String detail) -> new AttemptResult.Failed(millis(after), detail);
            case Outcome.Unavailable(var after, String detail) ->
                new AttemptResult.Unavailable(millis(after), detail);
            case Outcome.Later(Duration after) -> new AttemptResult.Deferred(millis(after));
            case Outcome.Dead dead -> new AttemptResult.PermanentFailure(dead.reason());
            case null -> new AttemptResult.Failed(
                    OptionalLong.empty(), "The handler returned null. It must return an outcome.");
        };
    }

    private static OptionalLong millis(Optional<Duration> wait) {
        return wait.map(given -> OptionalLong.of(millis(given))).orElseGet(OptionalLong::empty);
    }

    /** Returns a wait, at least 0; one of more than 292 million years as that. */
    private static long millis(Duration wait) {
        return Math.max(0, TimeUnit.MILLISECONDS.convert(wait));
    }
}
