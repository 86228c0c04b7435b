package io.spillway.cli.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.kafka.topics.Disk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    @CsvSource({"4095, FAIL", "4096, WARN", "8191, WARN", "8192, OK"})
    void a_disk_needs_twice_the_space_that_is_kept(long freeMib, Finding.Level expected) {
        Disk disk = new Disk(".spillway", freeMib * MIB, 100_000 * MIB);
        assertThat(DiskCheck.judge("disk", disk).level()).isEqualTo(expected);
    }

    @Test
    void of_several_brokers_the_one_with_least_room_is_named_and_without_an_answer_none() {
        List<Disk> disks = List.of(
                new Disk("broker-1", 30_000 * MIB, 1_000_000 * MIB), new Disk("broker-2", 900 * MIB, 10_000 * MIB));

        Finding finding = DiskCheck.brokers(disks);

        assertThat(finding.level()).isEqualTo(Finding.Level.FAIL);
        assertThat(finding.text()).isEqualTo(
                "0.88 of 9.77 GiB are free on the disk of broker-2: no more items are accepted.");
        assertThat(DiskCheck.brokers(List.of()).level()).isEqualTo(Finding.Level.SKIPPED);
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
