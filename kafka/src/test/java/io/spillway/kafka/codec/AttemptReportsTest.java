package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.FirstStarts.Start;
import io.spillway.core.retry.RetryKey;
import io.spillway.kafka.codec.AttemptReports.Report;
import io.spillway.schema.AttemptCount;
import io.spillway.schema.AttemptReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptReportsTest {
    private static final List<AttemptCounts> COUNTS = List.of(
            new AttemptCounts(new RetryKey("", "acme"), AttemptCounts.UNKNOWN, 5, 2, 3, 1),
            new AttemptCounts(new RetryKey("api.example.org", "b.c_d-e"), 1_023, 0, 0, 1L << 40, 0),
            new AttemptCounts(RetryKey.othersOf("x"), AttemptCounts.UNKNOWN, 7, 7, 0, 0));

    private final AttemptReports reports = new AttemptReports();

    private static Report of(List<AttemptCounts> counts) {
        return new Report(counts, List.of());
    }

    @Test
    void a_report_is_read_as_it_was_written() {
        Report report = new Report(COUNTS, List.of(new Start(Long.MIN_VALUE, 7), new Start(1, 0)));
        assertThat(reports.decode(reports.encode("worker-1", report, 1_800_000_000_000L))).isEqualTo(report);
        assertThat(reports.decode(reports.encode("worker-1", of(List.of()), 0))).isEqualTo(of(List.of()));
    }

    @Test
    void the_largest_report_can_be_read() {
        List<AttemptCounts> most = new ArrayList<>();
        for (int i = 0; i < AttemptReports.MOST_COUNTS; i++) {
            most.add(new AttemptCounts(new RetryKey("\u20ac".repeat(AttemptReports.MAX_DESTINATION_LENGTH),
                    "%0128d".formatted(i)), AttemptCounts.UNKNOWN, 1L << 40, 1L << 40, 1L << 40, 1L << 40));
        }
        List<Start> starts = new ArrayList<>(
                Collections.nCopies(AttemptReports.MOST_COUNTS, new Start(Long.MAX_VALUE, Long.MAX_VALUE)));
        byte[] report = reports.encode("w".repeat(200), new Report(most, starts), Long.MAX_VALUE / 1_000_000);
        assertThat(report.length).isLessThanOrEqualTo(AttemptReports.MAX_BYTES);
        assertThat(reports.decode(report)).isEqualTo(new Report(most, starts));
        most.add(most.getFirst());
        starts.add(starts.getFirst());
        assertThatIllegalArgumentException().isThrownBy(() -> reports.encode("w", of(most), 0));
        assertThatIllegalArgumentException().isThrownBy(() -> reports.encode("w", new Report(List.of(), starts), 0));
    }

    @Test
    void a_destination_with_a_name_that_is_too_long_is_left_out() {
        AttemptCounts tooLong =
                new AttemptCounts(new RetryKey("d".repeat(257), "acme"), AttemptCounts.UNKNOWN, 1, 1, 0, 0);
        assertThat(reports.decode(reports.encode("w", of(List.of(tooLong, COUNTS.getFirst())), 0)))
                .isEqualTo(of(List.of(COUNTS.getFirst())));
    }

    @ParameterizedTest
    @CsvSource({
        "'', a b, -1, 1, 1, 1, 1", "'', acme, -1, -1, 0, 0, 0", "'', acme, -1, 1, 2, 0, 0", "'', acme, -1, 0, 0, 1, 2",
        "'', acme, -1, 1099511627777, 0, 0, 0", "'', acme, -1, 9223372036854775807, 0, 1, 0",
        "'', acme, -2, 1, 1, 1, 1"})
    void a_report_with_impossible_contents_is_refused(
            String destination, String tenant, int partition, long firsts, long firstSuccesses, long retries,
            long retrySuccesses) {
        byte[] report = new RecordCodec<>(new AttemptReport()).encode(new AttemptReport("w", Instant.EPOCH, List.of(
                new AttemptCount(destination, tenant, partition, firsts, firstSuccesses, retries, retrySuccesses)),
                List.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> reports.decode(report));
    }

    @Test
    void damaged_bytes_are_refused_or_read_as_possible_counts() {
        byte[] good = reports.encode("worker-1", of(COUNTS), 1_800_000_000_000L);
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatIllegalArgumentException().as("%d bytes", length).isThrownBy(() -> reports.decode(cut));
        }
        long seed = Long.getLong("spillway.test.seed", 20_261_122);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = good.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            try {
                assertThat(reports.decode(damaged).counts()).as("seed %d, round %d", seed, i).hasSizeLessThan(200);
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).as("seed %d", seed).isGreaterThan(1_000);
    }
}
