package io.spillway.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.schedule.Occurrences;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronExpressionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # expression    | zone          | after                    | times
            # 02:30 does not exist on 29 March 2026, and is left out.
            30 2 * * *      | Europe/Berlin | 2026-03-27T12:00:00Z     | 2026-03-28T01:30:00Z 2026-03-30T00:30:00Z
            0 3 * * *       | Europe/Berlin | 2026-03-28T12:00:00Z     | 2026-03-29T01:00:00Z 2026-03-30T01:00:00Z
            */30 * * * *    | Europe/Berlin | 2026-03-29T00:15:00Z     | 2026-03-29T00:30:00Z 2026-03-29T01:00:00Z
            @daily          | Europe/Berlin | 2026-03-28T12:00:00Z     | 2026-03-28T23:00:00Z 2026-03-29T22:00:00Z
            # 02:30 exists twice on 25 October 2026: once for a fixed hour, twice for each hour.
            30 2 * * *      | Europe/Berlin | 2026-10-24T12:00:00Z     | 2026-10-25T00:30:00Z 2026-10-26T01:30:00Z
            30 * * * *      | Europe/Berlin | 2026-10-25T00:00:00Z     | 2026-10-25T00:30:00Z 2026-10-25T01:30:00Z
            @hourly         | Europe/Berlin | 2026-10-24T23:30:00Z     | 2026-10-25T00:00:00Z 2026-10-25T01:00:00Z
            @daily          | Europe/Berlin | 2026-10-24T12:00:00Z     | 2026-10-24T22:00:00Z 2026-10-25T23:00:00Z
            # Midnight does not exist in Beirut on 29 March 2026.
            @midnight       | Asia/Beirut   | 2026-03-28T12:00:00Z     | 2026-03-29T21:00:00Z 2026-03-30T21:00:00Z
            # Leap days, last days, weekdays, and either kind of day.
            0 0 29 2 *      | UTC           | 2026-01-01T00:00:00Z     | 2028-02-29T00:00:00Z 2032-02-29T00:00:00Z
            0 0 L * *       | UTC           | 2028-02-01T00:00:00Z     | 2028-02-29T00:00:00Z 2028-03-31T00:00:00Z
            0 9 * * 1-5     | UTC           | 2026-11-27T09:00:00Z     | 2026-11-30T09:00:00Z 2026-12-01T09:00:00Z
            0 9 * * 0       | UTC           | 2026-11-28T00:00:00Z     | 2026-11-29T09:00:00Z 2026-12-06T09:00:00Z
            0 9 * * 7       | UTC           | 2026-11-28T00:00:00Z     | 2026-11-29T09:00:00Z 2026-12-06T09:00:00Z
            0 9 1 * MON     | UTC           | 2026-11-29T12:00:00Z     | 2026-11-30T09:00:00Z 2026-12-01T09:00:00Z
            @weekly         | UTC           | 2026-11-28T00:00:00Z     | 2026-11-29T00:00:00Z 2026-12-06T00:00:00Z
            @monthly        | UTC           | 2026-11-28T00:00:00Z     | 2026-12-01T00:00:00Z 2027-01-01T00:00:00Z
            @yearly         | UTC           | 2026-11-28T00:00:00Z     | 2027-01-01T00:00:00Z 2028-01-01T00:00:00Z
            # A part of a second is after its second.
            * * * * *       | UTC           | 2026-11-28T00:00:00.001Z | 2026-11-28T00:01:00Z 2026-11-28T00:02:00Z
            """)
    void the_times_of_an_expression_follow_the_clock_of_its_zone(
            String expression, String zone, Instant after, String times) {
        Occurrences occurrences = CronExpressions.parse(expression, zone);
        List<String> found = new ArrayList<>();
        long millis = after.toEpochMilli();
        for (int i = 0; i < 2; i++) {
            millis = occurrences.after(millis).orElseThrow();
            found.add(Instant.ofEpochMilli(millis).toString());
        }

        assertThat(found).containsExactly(times.split(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            60 * * * *    | UTC     | Value 60 not in range
            * * * * * *   | UTC     | must have minute, hour, day of the month
            @reboot       | UTC     | Nickname @reboot not supported
            nonsense      | UTC     | cron expression nonsense
            * * * * *     | Nowhere | time zone Nowhere: must be one such as Europe/Berlin or UTC
            """)
    void an_invalid_expression_or_zone_is_refused_with_what_is_allowed(
            String expression, String zone, String message) {
        assertThatThrownBy(() -> CronExpressions.parse(expression, zone))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }

    @Test
    void a_day_that_never_comes_has_no_time() {
        assertThat(CronExpressions.parse("0 0 30 2 *", "UTC").after(0)).isEmpty();
    }

    /** A time that is not later would be fired for ever. */
    @Test
    void every_next_time_is_later_in_any_zone() {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> zones = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        for (int i = 0; i < 2_000; i++) {
            String minute = random.nextBoolean() ? "*/" + (1 + random.nextInt(59)) : "" + random.nextInt(60);
            String hour = random.nextBoolean() ? "*" : "" + random.nextInt(24);
            String day = random.nextInt(3) > 0 ? "*" : "" + (1 + random.nextInt(28));
            String weekday = random.nextInt(3) > 0 ? "*" : "" + random.nextInt(8);
            String expression = String.join(" ", minute, hour, day, "*", weekday);
            String zone = zones.get(random.nextInt(zones.size()));
            Occurrences occurrences = CronExpressions.parse(expression, zone);
            long millis = 1_700_000_000_000L + random.nextInt(2_000_000_000) * 50L;
            for (int j = 0; j < 5; j++) {
                OptionalLong next = occurrences.after(millis);
                assertThat(next).as("%s in %s after %d, seed %d", expression, zone, millis, seed).isPresent();
                assertThat(next.getAsLong()).as("%s in %s, seed %d", expression, zone, seed).isGreaterThan(millis);
                millis = next.getAsLong();
            }
        }
    }
}
