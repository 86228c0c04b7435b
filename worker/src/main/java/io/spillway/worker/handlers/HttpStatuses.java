package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;

/** Settings of the meaning of HTTP statuses: each text lists codes and ranges, and an empty one keeps the defaults. */
public record HttpStatuses(
        @Setting(key = RETRY, defaultNote = "1xx, 3xx, 408, 425 and 5xx, except those of unavailableStatuses",
                allowed = ALLOWED, doc = "Further statuses that are retried; the item may be the cause.") String retry,
        @Setting(key = UNAVAILABLE, defaultNote = "429, 502, 503 and 504, and 401 and 403 of a destination that has worked", allowed = ALLOWED,
                doc = "Further statuses that are retried and that the destination is the cause of: they never count"
                        + " towards the item's attempts.") String unavailable,
        @Setting(key = FINAL, defaultNote = "4xx, except 408, 425 and 429", allowed = ALLOWED,
                doc = "Further statuses that make the item a dead letter at once.") String finals) {
    static final String RETRY = "handler.http.retryStatuses";
    static final String UNAVAILABLE = "handler.http.unavailableStatuses";
    static final String FINAL = "handler.http.finalStatuses";
    /** The defaults. */
    static final HttpStatuses DEFAULTS = new HttpStatuses("", "", "");

    private static final String ALLOWED = "codes and ranges from 300 to 999, such as 404, 500-599";

    /** Throws {@link InvalidSettingException} for a text that is not a list, and for a code in two of them. */
    public HttpStatuses {
        new StatusRules(retry, unavailable, finals);
    }

    StatusRules rules() {
        return new StatusRules(retry, unavailable, finals);
    }
}
