package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScanProgressTest {
    private final List<String> said = new ArrayList<>();
    private long nowMillis = 1_800_000_000_000L;
    private final ScanProgress progress = new ScanProgress(() -> Instant.ofEpochMilli(nowMillis), said::add);

    @Test
    void a_scan_that_is_over_soon_says_nothing() {
        for (int i = 0; i < 2_999; i++) {
            nowMillis++;
            progress.passed("spillway.hot", 0);
        }
        assertThat(said).isEmpty();
    }

    @Test
    void a_long_one_says_every_three_seconds_how_much_it_has_read_and_where_it_is() {
        for (int i = 0; i < 7_000; i++) {
            nowMillis++;
            progress.passed(i < 5_000 ? "spillway.ingress" : "spillway.hot", i % 4);
        }
        assertThat(said).containsExactly(
                "3,000 records read, now in spillway.ingress-3", "6,000 records read, now in spillway.hot-3");
    }
}
