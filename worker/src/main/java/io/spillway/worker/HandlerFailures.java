package io.spillway.worker;

import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of failed attempts. The first failure of a kind (tenant and exception class, or outcome) is logged with its
 * trace, and again after an hour; every failure is logged at debug. At most {@link #MAX_PER_MINUTE} are logged in a
 * minute; a kind that had to wait is logged with its next failure. Thread-safe.
 *
 * <p>Bound: {@link #MAX_KINDS} kinds; beyond it the oldest is forgotten.
 */
final class HandlerFailures {
    static final int MAX_KINDS = 1_000;
    static final int MAX_PER_MINUTE = 10;
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long AGAIN_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(HandlerFailures.class);

    private final Map<Kind, Long> loggedNanos = new LinkedHashMap<>();
    private long minuteNanos;
    private int inMinute;
    private long unlogged;

    private record Kind(String tenant, String name) {}

    /** Logs an attempt that has ended, and keeps the text of its failure for a dead letter. */
    void ended(Attempt attempt, Outcome result, long nowNanos) {
        switch (result) {
            case Outcome.Done done -> { }
            case Outcome.Interrupted interrupted -> { }
            case Outcome.Later later -> { }
            case Outcome.Retry failed -> failed(attempt, "answered retry", failed.detail(), nowNanos);
            case Outcome.Unavailable failed -> failed(attempt, "answered unavailable", failed.detail(), nowNanos);
            case Outcome.Dead dead -> {
                attempt.failure = FailureText.ofLong(dead.reason());
                failed(attempt, "answered dead", dead.reason(), nowNanos);
            }
            case Outcome.TimedOut(Duration ran) ->
                failed(attempt, "was interrupted", "stopped after " + Durations.format(ran.toMillis()), nowNanos);
        }
    }

    /** Returns how many failures to report as not logged when this one is due, or -1 when it is not. */
    synchronized long due(String tenant, String name, long nowNanos) {
        Kind kind = new Kind(tenant, name);
        Long before = loggedNanos.get(kind);
        if (before != null && nowNanos - before < AGAIN_NANOS) {
            return -1;
        }
        if (inMinute == 0 || nowNanos - minuteNanos >= MINUTE_NANOS) {
            minuteNanos = nowNanos;
            inMinute = 0;
        }
        if (inMinute == MAX_PER_MINUTE) {
            unlogged++;
            return -1;
        }
        inMinute++;
        loggedNanos.remove(kind);
        loggedNanos.put(kind, nowNanos);
        if (loggedNanos.size() > MAX_KINDS) {
            loggedNanos.remove(loggedNanos.keySet().iterator().next());
        }
        long skipped = unlogged;
        unlogged = 0;
        return skipped;
    }

    private void failed(Attempt attempt, String how, String detail, long nowNanos) {
        LaneItem item = attempt.item;
        attempt.detail = detail;
        boolean isLast = item.blameThousandths() + DestinationHealth.WHOLE
                >= (long) attempt.policy.attempts() * DestinationHealth.WHOLE;
        if (isLast && attempt.failure.isEmpty()) {
            attempt.failure = attempt.thrown == null
                    ? FailureText.ofLong(detail) : Optional.of(FailureText.of(attempt.thrown));
        }
        String kind = attempt.thrown == null ? how : attempt.thrown.getClass().getName();
        String what = attempt.thrown == null ? how : "failed";
        long skipped = due(item.tenant(), kind, nowNanos);
        if (skipped >= 0) {
            LOG.warn("The handler {}, {}: {}; further ones of this kind are logged at debug{}",
                    what, describe(attempt), Printable.of(detail),
                    skipped == 0 ? "" : ", and " + skipped + " of other kinds were not logged",
                    attempt.thrown == null ? null : FailureText.forLog(attempt.thrown));
        } else if (LOG.isDebugEnabled()) {
            LOG.debug("The handler {}, {}: {}", what, describe(attempt), Printable.of(detail));
        }
    }

    /** Returns a line about a handler that calls {@code System.exit}. */
    static String describeExit(Attempt attempt, StackTraceElement caller) {
        return "The handler ends this process by System.exit at " + Printable.of(caller.toString()) + ", "
                + describe(attempt) + ". A handler must return or throw instead.";
    }

    /** Returns tenant, id, attempt and record of an item on one line. */
    static String describe(Attempt attempt) {
        return describe(attempt.item) + " attempt=" + (attempt.item.attempts() + 1);
    }

    /** Returns tenant, id and record of an item on one line. */
    static String describe(LaneItem item) {
        return "tenant=" + item.tenant() + " id=" + Printable.of(item.id()) + " record="
                + (item.offset() < 0 ? item.origin() : item.owned().partition + "@" + item.offset());
    }
}
