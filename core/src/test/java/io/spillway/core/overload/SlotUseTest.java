package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SlotUseTest {
    @Test
    void tenants_with_an_eighth_of_the_slots_or_more_are_named() {
        Stream<String> tenants = Stream.of(
                Collections.nCopies(10, "acme"), Collections.nCopies(2, "globex"), Collections.nCopies(1, "initech"))
                .flatMap(each -> each.stream());
        assertThat(SlotUse.of(tenants, 16)).isEqualTo(new SlotUse(13, Map.of("acme", 10, "globex", 2)));
        assertThat(SlotUse.of(Stream.of(), 16)).isEqualTo(SlotUse.NONE);
    }

    @Test
    void at_most_eight_tenants_are_named_also_when_attempts_outlive_their_partition() {
        Stream<String> tenants = IntStream.range(0, 24).mapToObj(i -> "tenant-" + i % 12);
        assertThat(SlotUse.of(tenants, 8)).isEqualTo(new SlotUse(24, Map.of()));
        assertThat(SlotUse.of(IntStream.range(0, 24).mapToObj(i -> "tenant-" + i % 8), 8).large()).hasSize(8);
    }

    @Test
    void values_out_of_range_are_refused() {
        assertThatThrownBy(() -> new SlotUse(-1, Map.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SlotUse(1, Map.of("acme", 0))).isInstanceOf(IllegalArgumentException.class);
    }
}
