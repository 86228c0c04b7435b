package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.schedule.MissedTimes;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredScheduleTest {
    private static final StoredSchedule NIGHTLY = new StoredSchedule(
            "acme", "nightly", new StoredSchedule.Timing("0 2 * * *", "Europe/Berlin", 0), MissedTimes.ALL, 300_000,
            new StoredSchedule.Content("reports", 7, "application/json", "{}".getBytes(StandardCharsets.UTF_8)));

    @Test
    void a_schedule_is_read_as_it_was_written() {
        StoredSchedule read = StoredSchedule.decode(NIGHTLY.encode());

        assertThat(read).usingRecursiveComparison().isEqualTo(NIGHTLY);
        assertThat(read.key()).isEqualTo("acme/nightly");
    }

    @Test
    void the_view_has_the_schedules_of_a_tenant_by_key_and_refuses_those_of_another_key() {
        StoredSchedule.All all = new StoredSchedule.All();
        all.put("acme/nightly", NIGHTLY.encode());

        assertThat(all.of(Optional.of("acme"))).containsOnlyKeys("acme/nightly");
        assertThat(all.of(Optional.of("bravo"))).isEmpty();
        assertThat(all.of(Optional.empty())).hasSize(1);
        assertThatThrownBy(() -> all.put("bravo/nightly", NIGHTLY.encode()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 999, StoredSchedule.MOST_PERIOD_MILLIS + 1})
    void a_period_outside_of_its_limits_is_refused(long periodMillis) {
        assertThatThrownBy(() -> new StoredSchedule.Timing("", "UTC", periodMillis))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void progress_is_kept_by_schedule_apart_from_the_schedules() {
        ScheduleTimes times = new ScheduleTimes(3, 2, Long.MAX_VALUE);
        ScheduleTimes.All all = new ScheduleTimes.All();
        all.put("acme/nightly", NIGHTLY.encode());
        all.put(ScheduleTimes.key("acme/nightly"), times.encode());

        assertThat(all.of("acme/nightly")).contains(times);
        assertThat(all.size()).isOne();
        assertThatThrownBy(() -> ScheduleTimes.decode(new byte[23])).isInstanceOf(IllegalArgumentException.class);
    }
}
