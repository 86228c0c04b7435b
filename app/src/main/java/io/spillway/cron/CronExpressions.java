package io.spillway.cron;

import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.spillway.core.schedule.Occurrences;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.StoredSchedule;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.OptionalLong;

/**
 * Cron expressions with five fields: minute, hour, day of the month, month, day of the week; and {@code @hourly},
 * {@code @daily}, {@code @midnight}, {@code @weekly}, {@code @monthly}, {@code @yearly} and {@code @annually}.
 *
 * <p>A day matches if its day of the month or its day of the week does, when both are restricted, as in cron. A local
 * time that a change to summer time leaves out has no occurrence on that day. One that exists twice occurs once if its
 * hour is fixed, and in both hours if every hour matches.
 */
public final class CronExpressions {
    private static final int SUNDAY = 7;
    private static final long HOUR_MILLIS = 3_600_000;
    /** The search goes on an hour later, so often, if the library fails or returns no later time: a router survives. */
    private static final int MOST_HOURS = 24;
    private static final CronDefinition DEFINITION = CronDefinitionBuilder.defineCron()
            .withMinutes().and()
            .withHours().and()
            .withDayOfMonth().supportsL().supportsW().and()
            .withMonth().and()
            .withDayOfWeek().withValidRange(0, SUNDAY).withMondayDoWValue(1).withIntMapping(SUNDAY, 0)
            .supportsHash().supportsL().and()
            .withSupportedNicknameHourly().withSupportedNicknameDaily().withSupportedNicknameMidnight()
            .withSupportedNicknameWeekly().withSupportedNicknameMonthly().withSupportedNicknameYearly()
            .withSupportedNicknameAnnually()
            .instance();

    private CronExpressions() {}

    /**
     * Returns the times of a schedule.
     *
     * @throws IllegalArgumentException as {@link #parse} does
     */
    public static Occurrences timesOf(StoredSchedule.Timing timing) {
        return timing.cron().isEmpty()
                ? Occurrences.every(timing.periodMillis()) : parse(timing.cron(), timing.zone());
    }

    /**
     * Returns the times of an expression in a time zone.
     *
     * @throws IllegalArgumentException if either is invalid; the message is for users
     */
    public static Occurrences parse(String expression, String zoneName) {
        ZoneId zone = zone(zoneName);
        ExecutionTime times = times(expression);
        return millis -> after(times, zone, millis);
    }

    private static ExecutionTime times(String expression) {
        try {
            return ExecutionTime.forCron(new CronParser(DEFINITION).parse(expression));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("cron expression " + Printable.of(expression)
                    + ": must have minute, hour, day of the month, month and day of the week, such as 0 2 * * 1-5, or"
                    + " be @hourly, @daily, @weekly, @monthly or @yearly (" + Printable.of(e.getMessage()) + ")", e);
        }
    }

    private static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "time zone " + Printable.of(name) + ": must be one such as Europe/Berlin or UTC", e);
        }
    }

    private static OptionalLong after(ExecutionTime times, ZoneId zone, long millis) {
        for (int hours = 0; hours <= MOST_HOURS; hours++) {
            OptionalLong next = next(times, Instant.ofEpochMilli(millis + hours * HOUR_MILLIS).atZone(zone));
            if (next.isPresent() && next.getAsLong() > millis) {
                return next;
            }
        }
        return OptionalLong.empty();
    }

    private static OptionalLong next(ExecutionTime times, ZonedDateTime from) {
        try {
            return times.nextExecution(from).stream().mapToLong(time -> time.toInstant().toEpochMilli()).findFirst();
        } catch (RuntimeException e) {
            return OptionalLong.empty();
        }
    }
}
