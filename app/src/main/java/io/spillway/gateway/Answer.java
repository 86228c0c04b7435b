package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.config.DocumentMap;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Answer of an external worker to an item that it leased.
 *
 * @param receipt not checked yet
 * @param millis  wait until the next attempt, or length of the lease from now
 * @param text    cause of a failure
 */
record Answer(Kind kind, String receipt, Optional<Long> millis, Optional<String> text) {
    /** Outcomes, and {@code RENEW}, which extends the lease. */
    enum Kind {
        DEAD, DONE, LATER, RENEW, RETRY, UNAVAILABLE;

        /** Returns its name in paths and JSON. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final long MAX_AFTER_MILLIS = Duration.ofDays(30).toMillis();
    private static final long MAX_LEASE_MILLIS = Duration.ofDays(1).toMillis();
    private static final int MAX_TEXT = 4_000;

    /** Returns the answer in an object with its outcome; throws {@link InvalidSettingException} if there is none. */
    static Answer of(DocumentMap members) {
        return of(members.choice("outcome", Kind.class), members);
    }

    /** Returns the answer of this kind; throws {@link InvalidSettingException} if the members are not its own. */
    static Answer of(Kind kind, DocumentMap members) {
        String receipt = required(members, "receipt", Receipts.MAX_LENGTH);
        Optional<Long> millis = switch (kind) {
            case RETRY, UNAVAILABLE -> members.whole("afterMillis", 0, MAX_AFTER_MILLIS);
            case LATER -> Optional.of(members.whole("afterMillis", 0, MAX_AFTER_MILLIS)
                    .orElseThrow(() -> members.absent("afterMillis")));
            case RENEW -> members.whole("leaseMillis", 1, MAX_LEASE_MILLIS);
            case DEAD, DONE -> Optional.empty();
        };
        Optional<String> text = switch (kind) {
            case RETRY, UNAVAILABLE -> members.text("detail", MAX_TEXT);
            case DEAD -> Optional.of(required(members, "reason", MAX_TEXT));
            case DONE, LATER, RENEW -> Optional.empty();
        };
        members.end();
        return new Answer(kind, receipt, millis, text);
    }

    private static String required(DocumentMap members, String key, int most) {
        return members.text(key, most).orElseThrow(() -> members.absent(key));
    }

    /** Applies the answer to the item. */
    PullHandler.Answered to(PullHandler handler) {
        Optional<Duration> time = millis.map(Duration::ofMillis);
        return switch (kind) {
            case RENEW -> handler.renew(receipt, time);
            case DONE -> handler.answer(receipt, Outcome.done());
            case LATER -> handler.answer(receipt, Outcome.later(time.orElseThrow()));
            case DEAD -> handler.answer(receipt, Outcome.dead(text.orElseThrow()));
            case RETRY -> handler.answer(
                    receipt, new Outcome.Retry(time, text.orElse("The external worker asked for a retry.")));
            case UNAVAILABLE -> handler.answer(receipt, new Outcome.Unavailable(
                    time, text.orElse("The external worker says that the destination cannot work now.")));
        };
    }

    /** Writes what {@link #of(DocumentMap)} reads. */
    void into(ObjectNode json) {
        json.put("outcome", kind.label()).put("receipt", receipt);
        millis.ifPresent(number -> json.put(kind == Kind.RENEW ? "leaseMillis" : "afterMillis", number));
        text.ifPresent(cause -> json.put(kind == Kind.DEAD ? "reason" : "detail", cause));
    }
}
