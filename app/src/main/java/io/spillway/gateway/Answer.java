package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.config.DocumentMap;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Answer of an external worker to an item that it leased.
 *
 * @param outcome one of {@link #OUTCOMES}
 * @param receipt not checked yet
 * @param millis  wait until the next attempt, or length of the lease from now
 * @param text    cause of a failure
 */
record Answer(String outcome, String receipt, Optional<Long> millis, Optional<String> text) {
    /** Names of outcomes, and {@code renew}, which extends the lease. */
    static final List<String> OUTCOMES = List.of("dead", "done", "later", "renew", "retry", "unavailable");
    private static final long MAX_AFTER_MILLIS = Duration.ofDays(30).toMillis();
    private static final long MAX_LEASE_MILLIS = Duration.ofDays(1).toMillis();
    private static final int MAX_TEXT = 4_000;

    /** Returns the answer in an object with its outcome; throws {@link InvalidSettingException} if there is none. */
    static Answer of(DocumentMap members) {
        String outcome = members.required("outcome");
        if (!OUTCOMES.contains(outcome)) {
            throw members.wrong("outcome", "must be one of " + String.join(", ", OUTCOMES));
        }
        return of(outcome, members);
    }

    /** Returns the answer with this outcome; throws {@link InvalidSettingException} if the members are not its own. */
    static Answer of(String outcome, DocumentMap members) {
        String receipt = required(members, "receipt", Receipts.MAX_LENGTH);
        Optional<Long> millis = switch (outcome) {
            case "retry", "unavailable" -> members.whole("afterMillis", 0, MAX_AFTER_MILLIS);
            case "later" -> Optional.of(members.whole("afterMillis", 0, MAX_AFTER_MILLIS)
                    .orElseThrow(() -> members.absent("afterMillis")));
            case "renew" -> members.whole("leaseMillis", 1, MAX_LEASE_MILLIS);
            default -> Optional.empty();
        };
        Optional<String> text = switch (outcome) {
            case "retry", "unavailable" -> members.text("detail", MAX_TEXT);
            case "dead" -> Optional.of(required(members, "reason", MAX_TEXT));
            default -> Optional.empty();
        };
        members.end();
        return new Answer(outcome, receipt, millis, text);
    }

    private static String required(DocumentMap members, String key, int most) {
        return members.text(key, most).orElseThrow(() -> members.absent(key));
    }

    /** Applies the answer to the item. */
    PullHandler.Answered to(PullHandler handler) {
        Optional<Duration> time = millis.map(Duration::ofMillis);
        return switch (outcome) {
            case "renew" -> handler.renew(receipt, time);
            case "done" -> handler.answer(receipt, Outcome.done());
            case "later" -> handler.answer(receipt, Outcome.later(time.orElseThrow()));
            case "dead" -> handler.answer(receipt, Outcome.dead(text.orElseThrow()));
            case "retry" -> handler.answer(
                    receipt, new Outcome.Retry(time, text.orElse("The external worker asked for a retry.")));
            default -> handler.answer(receipt, new Outcome.Unavailable(
                    time, text.orElse("The external worker says that the destination cannot work now.")));
        };
    }

    /** Writes what {@link #of(DocumentMap)} reads. */
    void into(ObjectNode json) {
        json.put("outcome", outcome).put("receipt", receipt);
        millis.ifPresent(number -> json.put(outcome.equals("renew") ? "leaseMillis" : "afterMillis", number));
        text.ifPresent(cause -> json.put(outcome.equals("dead") ? "reason" : "detail", cause));
    }
}
