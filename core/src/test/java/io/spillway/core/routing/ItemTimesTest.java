package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What router, delay stage, worker, {@code explain} and replays derive from one item. */
class ItemTimesTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long DAY = 86_400_000;

    /** All times in days after now. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # what                                          | claimed | replayed | deliver at | age since | when ready
            counts from its creation                        |      -3 |        - |          - |        -3 |         -3
            made in the future counts from now              |       1 |        - |          - |         0 |          0
            made before 2000 too                            |   -9999 |        - |          - |         0 |          0
            replayed, it counts from then                   |      -3 |       -1 |          - |        -1 |         -1
            a replay that makes it due later, from then     |      -3 |        5 |          - |         5 |          0
            replayed at most 30 days ahead                  |      -3 |      400 |          - |        30 |          0
            a replay before its creation changes nothing    |      -3 |       -4 |          - |        -3 |         -3
            scheduled, it does not age before               |      -3 |        - |          5 |         5 |          0
            replayed and scheduled: the later one           |      -3 |       -1 |         -2 |        -1 |         -1
            scheduled at most 14 days ahead                 |      -3 |        - |        400 |        14 |          0
            a negative number is none                       |      -3 |       -  |     -20000 |        -3 |         -3
            """)
    void its_age_counts_from_the_latest_plausible_time(
            String what, long claimed, Long replayed, Long deliverAt, long since, long ready) {
        ItemTimes times = ItemTimes.entered(NOW + claimed * DAY, NOW - DAY, NOW)
                .deliverAt(deliverAt == null ? 0 : NOW + deliverAt * DAY, NOW)
                .replayedAt(replayed == null ? 0 : NOW + replayed * DAY, NOW);
        assertThat(times.ageSinceMillis()).isEqualTo(NOW + since * DAY);
        assertThat(times.waited(NOW).ageSinceMillis()).isEqualTo(NOW + ready * DAY);
        assertThat(times.sweepAtMillis()).isEqualTo(Math.max(times.enqueuedAtMillis(), NOW - DAY));
    }

    @ParameterizedTest(name = "due in {0} days, by its producer {1}: in {2}")
    @CsvSource({"3, false, 3", "31, false, 30", "31, true, 14", "-3, true, -3"})
    void it_is_due_30_days_ahead_at_most_and_14_if_its_producer_says_so(
            long days, boolean byProducer, long expectedDays) {
        assertThat(ItemTimes.entered(NOW, NOW, NOW).due(NOW + days * DAY, byProducer, NOW).dueMillis())
                .isEqualTo(NOW + expectedDays * DAY);
    }

    @Test
    void an_attempt_changes_no_time() {
        ItemTimes fresh = new ItemTimes(NOW - DAY, NOW, NOW - DAY, NOW + DAY, false);
        ItemTimes retried = new ItemTimes(NOW - DAY, NOW, NOW - DAY, NOW + DAY, true);
        assertThat(fresh.attempted(true)).isEqualTo(retried);
        assertThat(retried.attempted(true)).isEqualTo(retried);
        assertThat(retried.attempted(false)).as("replayed").isEqualTo(fresh);
    }
}
