package io.spillway.worker.handlers;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Parser of {@code Retry-After} (RFC 9110, 10.2.3): seconds, or a date in one of the formats of RFC 9110, 5.6.7. */
public final class RetryAfter {
    /** Upper limit of the wait: the longest wait in the delay lane. */
    public static final Duration LONGEST = Duration.ofDays(30);
    /** Longer numbers are above the limit. */
    private static final int MAX_DIGITS = 9;
    private static final int MAX_CHARACTERS = 64;

    private static final List<DateTimeFormatter> DATES = List.of(DateTimeFormatter.RFC_1123_DATE_TIME, rfc850(),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.US).withZone(ZoneOffset.UTC));

    private RetryAfter() {}

    /**
     * Returns the time to wait, 0 to {@link #LONGEST}; empty when the header is invalid.
     *
     * @param date header {@code Date} of the response, the time of the clock that {@code retryAfter} refers to
     * @param now  time of the local clock, used without a valid {@code date}
     */
    public static Optional<Duration> parse(String retryAfter, Optional<String> date, Instant now) {
        String text = retryAfter.strip();
        if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return Optional.of(
                    text.length() > MAX_DIGITS ? LONGEST : bounded(Duration.ofSeconds(Long.parseLong(text))));
        }
        Instant from = date.flatMap(RetryAfter::parseDate).orElse(now);
        return parseDate(text).map(until -> bounded(Duration.between(from, until)));
    }

    private static Optional<Instant> parseDate(String text) {
        if (text.length() > MAX_CHARACTERS) {
            return Optional.empty();
        }
        for (DateTimeFormatter format : DATES) {
            try {
                return Optional.of(ZonedDateTime.parse(text, format).toInstant());
            } catch (DateTimeException e) {
                continue;
            }
        }
        return Optional.empty();
    }

    private static Duration bounded(Duration wait) {
        return wait.isNegative() ? Duration.ZERO : wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    /** {@code Sunday, 06-Nov-94 08:49:37 GMT}; the two digits of the year mean 2000 to 2099. */
    private static DateTimeFormatter rfc850() {
        return new DateTimeFormatterBuilder()
                .appendPattern("EEEE, dd-MMM-")
                .appendValueReduced(ChronoField.YEAR, 2, 2, 2000)
                .appendPattern(" HH:mm:ss 'GMT'")
                .toFormatter(Locale.US)
                .withZone(ZoneOffset.UTC);
    }
}
