package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final List<Fault> ALL = List.of(Fault.values());

    @Test
    void a_seed_replays_its_schedule_and_another_has_another() {
        assertThat(Schedule.of(7, ALL, 180_000)).isEqualTo(Schedule.of(7, ALL, 180_000));
        assertThat(Schedule.of(7, ALL, 180_000).events()).isNotEqualTo(Schedule.of(8, ALL, 180_000).events());
    }

    @Test
    void sixty_seeds_have_every_fault_overlaps_and_an_end_of_each_fault_in_time() {
        Set<Fault> seen = EnumSet.noneOf(Fault.class);
        int overlaps = 0;
        for (long seed = 0; seed < 60; seed++) {
            int latestMillis = 0;
            for (Schedule.Event event : Schedule.of(seed, ALL, 180_000).events()) {
                seen.add(event.fault());
                overlaps += event.atMillis() < latestMillis ? 1 : 0;
                latestMillis = Math.max(latestMillis, event.endMillis());
                assertThat(event.forMillis()).isPositive();
                assertThat(event.endMillis()).as("seed %d", seed).isLessThanOrEqualTo(180_000);
            }
        }
        assertThat(seen).containsExactlyElementsOf(EnumSet.allOf(Fault.class));
        assertThat(overlaps).isGreaterThan(60);
    }

    @Test
    void runs_of_ten_minutes_suspend_processes_for_longer_than_the_time_between_two_polls() {
        assertThat(LongStream.range(0, 60).boxed().flatMap(seed -> Schedule.of(seed, ALL, 600_000).events().stream())
                .filter(event -> event.forMillis() > 300_000)).hasSizeGreaterThan(30).allSatisfy(event ->
                assertThat(event.fault().name()).startsWith("SUSPEND_").doesNotContain("BROKER"));
    }
}
