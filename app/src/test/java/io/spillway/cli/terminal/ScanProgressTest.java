package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScanProgressTest {
    private final List<String> printed = new ArrayList<>();
    private long nowMillis = 1_800_000_000_000L;
    private final ScanProgress progress = new ScanProgress(() -> Instant.ofEpochMilli(nowMillis), printed::add);

    @Test
    void a_short_scan_prints_nothing() {
        for (int i = 0; i < 2_999; i++) {
            nowMillis++;
            progress.passed("spillway.hot", 0);
        }
        assertThat(printed).isEmpty();
    }

    @Test
    void a_long_scan_prints_its_progress_every_three_seconds() {
        for (int i = 0; i < 7_000; i++) {
            nowMillis++;
            progress.passed(i < 5_000 ? "spillway.ingress" : "spillway.hot", i % 4);
        }
        assertThat(printed).containsExactly(
                "3,000 records read, now in spillway.ingress-3", "6,000 records read, now in spillway.hot-3");
    }
}
