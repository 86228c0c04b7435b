package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RecentTest {
    private static final long NOW = 1_800_000_000_000L;

    private final Recent<String, Integer> recent = new Recent<>(1_000);
    private final AtomicInteger computed = new AtomicInteger();

    @Test
    void a_result_is_kept_for_its_time_unless_the_clock_is_set_back() {
        assertThat(at("a", NOW)).isEqualTo(1);
        assertThat(at("a", NOW + 999)).isEqualTo(1);
        assertThat(at("a", NOW + 1_000)).isEqualTo(2);
        assertThat(at("a", NOW - 1)).isEqualTo(3);
    }

    @Test
    void each_key_has_its_own_result_and_few_are_kept() {
        assertThat(at("a", NOW)).isEqualTo(1);
        assertThat(at("b", NOW)).isEqualTo(2);
        assertThat(at("a", NOW)).isEqualTo(1);
        for (int i = 0; i < 16; i++) {
            at("k" + i, NOW);
        }
        assertThat(at("a", NOW)).as("dropped for others").isGreaterThan(2);
    }

    private int at(String key, long nowMillis) {
        return recent.get(key, nowMillis, computed::incrementAndGet);
    }
}
