package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Meaning of each HTTP status for an item. Defaults, by RFC 9110 and RFC 6585:
 *
 * <ul>
 * <li>2xx: done
 * <li>429, 502, 503, 504: a server or proxy says that it, or what is behind it, cannot work at the moment
 * <li>408, 425, other 5xx: temporary, but the item may be the cause; 500 is a fault while this item was processed
 * <li>1xx, 3xx: retried, because a redirect concerns the URL and not the item
 * <li>401, 403: the credentials are refused
 * <li>other 4xx: final
 * </ul>
 *
 * <p>Immutable.
 */
public final class StatusRules {
    private static final String RETRY = "handler.http.retryStatuses";
    private static final String UNAVAILABLE = "handler.http.unavailableStatuses";
    private static final String FINAL = "handler.http.finalStatuses";
    private static final int MIN_CODE = 300;
    private static final int CODES = 1_000;
    private static final Pattern ENTRY = Pattern.compile("([0-9]{3})(?:\\s*-\\s*([0-9]{3}))?");

    private final Meaning[] meanings = new Meaning[CODES];

    /** What a status says about an attempt. */
    public enum Meaning {
        DONE, RETRY, UNAVAILABLE, FINAL,
        /** The destination's, if the same credentials have worked before; otherwise final. */
        REFUSED
    }

    /**
     * Creates the rules from three lists that override the defaults, such as {@code 404, 500-599}; an empty one keeps
     * them.
     *
     * @throws InvalidSettingException for a text that is not a list, and for a code in two of them
     */
    public StatusRules(String retry, String unavailable, String finals) {
        String[] setBy = new String[CODES];
        set(RETRY, retry, Meaning.RETRY, setBy);
        set(UNAVAILABLE, unavailable, Meaning.UNAVAILABLE, setBy);
        set(FINAL, finals, Meaning.FINAL, setBy);
        for (int code = 0; code < CODES; code++) {
            meanings[code] = meanings[code] == null ? byDefault(code) : meanings[code];
        }
    }

    /** Returns the meaning of a status. */
    public Meaning of(int status) {
        return status >= 0 && status < CODES ? meanings[status] : Meaning.RETRY;
    }

    /**
     * Returns the outcome of an attempt that was answered with a status; of refused credentials it is final.
     *
     * @param after  wait that the destination asked for, see {@link RetryAfter}
     * @param detail cause for operators, if it is no success
     */
    public Outcome outcome(int status, Optional<Duration> after, String detail) {
        return switch (of(status)) {
            case DONE -> Outcome.done();
            case RETRY -> new Outcome.Retry(after, detail);
            case UNAVAILABLE -> new Outcome.Unavailable(after, detail);
            case FINAL, REFUSED -> Outcome.dead(detail);
        };
    }

    /** Returns whether a status says that the credentials are not accepted. */
    static boolean isRefusal(int status) {
        return status == 401 || status == 403;
    }

    private static Meaning byDefault(int code) {
        return switch (code) {
            case 429, 502, 503, 504 -> Meaning.UNAVAILABLE;
            case 408, 425 -> Meaning.RETRY;
            default -> switch (code / 100) {
                case 2 -> Meaning.DONE;
                case 4 -> isRefusal(code) ? Meaning.REFUSED : Meaning.FINAL;
                default -> Meaning.RETRY;
            };
        };
    }

    private void set(String key, String list, Meaning meaning, String[] setBy) {
        if (list.isBlank()) {
            return;
        }
        for (String entry : list.split(",", -1)) {
            Matcher range = ENTRY.matcher(entry.strip());
            int from = range.matches() ? Integer.parseInt(range.group(1)) : 0;
            int to = from == 0 || range.group(2) == null ? from : Integer.parseInt(range.group(2));
            if (from < MIN_CODE || to < from) {
                throw new InvalidSettingException(key, list, "must be codes and ranges from " + MIN_CODE + " to "
                        + (CODES - 1) + " with commas between them, such as 404, 500-599");
            }
            for (int code = from; code <= to; code++) {
                if (setBy[code] != null && !setBy[code].equals(key)) {
                    throw new InvalidSettingException(
                            key, list, "must not contain " + code + ", because " + setBy[code] + " does");
                }
                setBy[code] = key;
                meanings[code] = meaning;
            }
        }
    }
}
