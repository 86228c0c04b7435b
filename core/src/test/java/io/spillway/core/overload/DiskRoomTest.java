package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskRoomTest {
    private static final long MIB = 1 << 20;

    @ParameterizedTest
    @CsvSource({"160, 16", "10240, 1024", "40960, 4096", "40970, 4096", "1000000, 4096"})
    void a_tenth_of_a_disk_is_kept_and_4_gib_at_most(long totalMib, long keptMib) {
        assertThat(DiskRoom.keptBytes(totalMib * MIB)).isEqualTo(keptMib * MIB);
    }

    @ParameterizedTest
    @CsvSource({
        "ENOUGH, 1000, ENOUGH", "ENOUGH, 100, ENOUGH", "ENOUGH, 99, LOW", "ENOUGH, 50, LOW", "ENOUGH, 49, OUT",
        "ENOUGH, 0, OUT", "LOW, 124, LOW", "LOW, 125, ENOUGH", "LOW, 50, LOW", "LOW, 49, OUT", "OUT, 62, OUT",
        "OUT, 63, LOW", "OUT, 124, LOW", "OUT, 125, ENOUGH"})
    void a_level_begins_at_its_limit_and_ends_a_quarter_above(DiskRoom before, long freeMib, DiskRoom after) {
        assertThat(before.next(freeMib * MIB, 1_000 * MIB)).isEqualTo(after);
    }

    @Test
    void free_space_that_goes_up_and_down_around_a_limit_changes_the_level_once() {
        DiskRoom room = DiskRoom.ENOUGH;
        int changes = 0;
        for (int i = 0; i < 100; i++) {
            DiskRoom next = room.next((i % 2 == 0 ? 99 : 120) * MIB, 1_000 * MIB);
            changes += next == room ? 0 : 1;
            room = next;
        }
        assertThat(changes).isEqualTo(1);
    }
}
