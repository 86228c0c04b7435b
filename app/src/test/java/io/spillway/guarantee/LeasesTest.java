package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LeasesTest {
    @Test
    void an_attempt_may_begin_when_the_one_before_has_ended_or_its_lease_has() {
        assertThat(Leases.overlaps(List.of("> t/a x 100 50", "< t/a x 120", "> t/a y 120 50"))).isEmpty();
        assertThat(Leases.overlaps(List.of("> t/a x 100 50", "> t/a y 150 50"))).isEmpty();
        assertThat(Leases.overlaps(List.of("> t/a x 100 50", "> t/b y 110 50"))).isEmpty();
    }

    @Test
    void one_that_begins_before_is_an_overlap_in_whatever_order_the_files_are_read() {
        assertThat(Leases.overlaps(List.of("> t/a y 149 50", "< t/a y 160", "> t/a x 100 50", "< t/a x 200")))
                .hasSize(1).first().asString().startsWith("t/a began 1 ms before");
    }

    @Test
    void an_attempt_of_a_killed_process_has_its_lease_until_its_end() {
        assertThat(Leases.overlaps(List.of("> t/a x 100 50", "> t/a y 120 50", "< t/a y 130", "> t/a z 149 50")))
                .hasSize(2);
    }
}
