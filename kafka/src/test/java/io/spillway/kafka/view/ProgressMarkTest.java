package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressMarkTest {
    @Test
    void a_mark_is_read_as_it_was_written() {
        ProgressMark mark = ProgressMark.at(1_763_900_000_000L);

        assertThat(mark.version()).isNotEmpty();
        assertThat(ProgressMark.parse(mark.text())).contains(mark);
    }

    @Test
    void a_mark_may_have_only_a_time_and_a_version_with_blanks() {
        assertThat(ProgressMark.parse("17")).contains(new ProgressMark(17, ""));
        assertThat(ProgressMark.parse("17 1.0 beta")).contains(new ProgressMark(17, "1.0 beta"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "now", "1.5 x"})
    void other_metadata_is_no_mark(String metadata) {
        assertThat(ProgressMark.parse(metadata)).isEmpty();
    }
}
