package io.spillway.kafka.periodic;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StartDelaysTest {
    private static final long PERIOD_MILLIS = 10_000;
    private static final List<String> JOBS = List.of("worker-purge", "worker-backlog", "router-housekeeping",
            "router-waiting-work", "gateway-prune", "cluster-watch", "status-spillway.lane-state");

    @Test
    void a_delay_is_within_the_period_and_the_same_after_a_restart() {
        for (String job : JOBS) {
            long delayMillis = StartDelays.of("w-1").millis(job, PERIOD_MILLIS);

            assertThat(delayMillis).isBetween(0L, PERIOD_MILLIS - 1);
            assertThat(StartDelays.of("w-1").millis(job, PERIOD_MILLIS)).isEqualTo(delayMillis);
        }
        assertThat(StartDelays.of("w-1").millis("worker-leases", 1)).isZero();
    }

    @Test
    void the_delay_depends_on_nothing_but_the_names() {
        assertThat(purgeMillis("host-1", "w-1")).isEqualTo(6_223);
    }

    @Test
    void jobs_processes_and_hosts_differ() {
        assertThat(JOBS.stream().map(job -> new StartDelays("host-1", "w-1").millis(job, PERIOD_MILLIS)).toList())
                .doesNotHaveDuplicates();
        assertThat(List.of(purgeMillis("host-1", "w-1"), purgeMillis("host-1", "w-2"), purgeMillis("host-2", "w-1"),
                purgeMillis("host-", "1w-1"))).doesNotHaveDuplicates();
    }

    @Test
    void processes_with_consecutive_names_spread_over_the_whole_period() {
        int[] quarters = new int[4];
        IntStream.range(0, 400).forEach(i -> quarters[(int) (purgeMillis("host-" + i, "w") * 4 / PERIOD_MILLIS)]++);

        // 100 each on average, with a standard deviation of 9.
        for (int count : quarters) {
            assertThat(count).isBetween(65, 135);
        }
    }

    @Test
    void a_directory_has_one_name_however_it_is_written() {
        assertThat(StartDelays.of(Path.of("data/../data/r")).millis("a", PERIOD_MILLIS))
                .isEqualTo(StartDelays.of(Path.of("data/r").toAbsolutePath()).millis("a", PERIOD_MILLIS))
                .isNotEqualTo(StartDelays.of(Path.of("data/s")).millis("a", PERIOD_MILLIS));
    }

    private static long purgeMillis(String host, String process) {
        return new StartDelays(host, process).millis("worker-purge", PERIOD_MILLIS);
    }
}
