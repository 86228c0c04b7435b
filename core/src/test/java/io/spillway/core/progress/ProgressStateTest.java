package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressStateTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # what                                   | from | read | horizon | unfinished | mark | group | clean | valid
            nothing is read                          |    0 |    0 |       0 |            |    - |     0 | false |  true
            an offset is never below 0               |   -1 |   -1 |      -1 |            |    - |     0 | false | false
            what is read is done or unfinished       |    7 |    9 |       9 |            |    - |     0 | false | false
            the first unfinished is the frontier     |    7 |    9 |       9 |        7 8 |    - |     0 | false |  true
            and no later one                         |    7 |    9 |       9 |          8 |    - |     0 | false | false
            unfinished ones are read                 |    7 |    9 |       9 |        7 9 |    - |     0 | false | false
            reading goes on at the frontier or above |    7 |    6 |       9 |          7 |    - |     0 | false | false
            an owner may have started what it read   |    7 |    9 |       8 |          7 |    - |     0 | false | false
            but nothing runs in a clean state        |    7 |    9 |       7 |          7 |    - |     0 |  true |  true
            what is done was started                 |    7 |    9 |       6 |          7 |    - |     0 |  true | false
            a group is above the frontier            |    7 |    9 |      12 |          7 |    - |     8 | false |  true
            and not only up to it                    |    7 |    9 |      12 |          7 |    - |     7 | false | false
            a group is of what was started           |    7 |    9 |      12 |          7 |    - |    12 | false |  true
            and not beyond                           |    7 |    9 |      12 |          7 |    - |    13 | false | false
            the marked one is unfinished             |    7 |    9 |      12 |          7 |    7 |     0 | false |  true
            or not read                              |    7 |    9 |      12 |          7 |    9 |     0 | false |  true
            but not done                             |    7 |    9 |      12 |          7 |    8 |     0 | false | false
            nor below the frontier                   |    7 |    9 |      12 |          7 |    6 |     0 | false | false
            the marked one was started               |    7 |    9 |      12 |          7 |   11 |     0 | false |  true
            and is not above what was started        |    7 |    9 |      12 |          7 |   12 |     0 | false | false
            """)
    void only_a_state_that_can_be_is_accepted(String what, long frontier, long readTo, long horizon, String unfinished,
            Long marked, long groupEnd, boolean clean, boolean isValid) {
        OffsetList listed = unfinished == null ? OffsetList.EMPTY
                : OffsetList.of(Arrays.stream(unfinished.split(" ")).mapToLong(Long::parseLong).toArray());
        Optional<SuspectMark> mark = Optional.ofNullable(marked).map(offset -> new SuspectMark(offset, 0));
        if (isValid) {
            assertThat(new ProgressState(frontier, readTo, horizon, listed, mark, groupEnd, clean, false).readTo())
                    .isEqualTo(readTo);
        } else {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new ProgressState(
                            frontier, readTo, horizon, listed, mark, groupEnd, clean, false))
                    .withMessageStartingWith("inconsistent progress: frontier " + frontier + ", read to " + readTo);
        }
    }

    @Test
    void a_clean_state_keeps_a_mark_only_for_its_deaths() {
        assertThat(clean(new SuspectMark(7, 1)).mark()).contains(new SuspectMark(7, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> clean(new SuspectMark(7, 0)));
    }

    @Test
    void nothing_of_an_unknown_partition_is_suspect() {
        assertThat(ProgressState.fresh(7)).isEqualTo(
                new ProgressState(7, 7, 7, OffsetList.EMPTY, Optional.empty(), 0, true, false));
    }

    private static ProgressState clean(SuspectMark mark) {
        return new ProgressState(7, 9, 12, OffsetList.of(7), Optional.of(mark), 0, true, false);
    }
}
