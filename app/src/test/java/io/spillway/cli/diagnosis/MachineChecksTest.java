package io.spillway.cli.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineChecksTest {
    private static final long MIB = 1 << 20;
    private static final long MARGIN_MILLIS = 60_000;

    @ParameterizedTest
    @CsvSource({
        "40, OK, differ by at most", "-2000, OK, differ by at most", "2001, WARN, ahead of", "-2001, WARN, behind",
        "60000, WARN, ahead of", "60001, FAIL, ahead of", "-3600000, FAIL, behind"
    })
    void a_clock_may_differ_by_seconds_and_fails_beyond_what_sweeps_tolerate(
            long differenceMillis, Finding.Level level, String text) {
        Finding finding = ClockCheck.judge(OptionalLong.of(differenceMillis), MARGIN_MILLIS);

        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.text()).contains(text);
    }

    @Test
    void without_a_fresh_time_of_a_broker_the_clock_is_skipped() {
        assertThat(ClockCheck.judge(OptionalLong.empty(), MARGIN_MILLIS).level()).isEqualTo(Finding.Level.SKIPPED);
    }

    @ParameterizedTest
    @CsvSource({"511, FAIL", "512, WARN", "4095, WARN", "4096, OK"})
    void a_disk_needs_space(long freeMib, Finding.Level expected) {
        assertThat(DiskCheck.judge(Path.of(".spillway"), freeMib * MIB, 1 << 30).level()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, WARN, 1h 0m", "167, WARN, 6d 23h", "168, OK, 7d 0h"})
    void brokers_must_keep_the_offsets_of_stopped_groups_for_a_week(long hours, Finding.Level level, String text) {
        Finding finding = ClusterFindings.offsets(Duration.ofHours(hours));

        assertThat(finding.level()).isEqualTo(level);
        assertThat(finding.text()).contains(text);
    }

    @Test
    void a_data_directory_that_does_not_exist_is_skipped_and_one_that_does_tells_its_space(@TempDir Path directory) {
        assertThat(DiskCheck.run(directory.resolve("none")).level()).isEqualTo(Finding.Level.SKIPPED);
        assertThat(DiskCheck.run(directory).text()).contains("GiB are free");
    }
}
