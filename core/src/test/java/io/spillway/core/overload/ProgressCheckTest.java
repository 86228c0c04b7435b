package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressCheckTest {
    @ParameterizedTest(name = "{4}")
    @CsvSource({
        "'1 2 3',  4, '1 2 3',          4, nothing has happened,                                         false",
        "'1 2 3',  4, '1 3',            4, one was finished,                                             true",
        "'1 2 3',  4, '',               4, all were finished,                                            true",
        "'1',      2, '1',              4, a record and its marker were read: unknown,                   false",
        "'1',      2, '1 2 4 6 8',     10, a stuck worker reads on: every other offset is a marker,      false",
        "'1',      2, '1 5 6 8',       10, a few markers of earlier items are among them,                false",
        "'1',      2, '1 9',           10, it hangs on one item and finishes others,                     true",
        "'1',      2, '1',             10, it hangs on one item and has finished all others,             true",
        "'',       4, '',               4, an idle partition,                                            false",
        "'',       4, '4 5 6 7',        8, new items without a finished one,                            false",
        "'5 7',    9, '5 7',            9, a takeover that has done nothing yet,                         false",
    })
    void progress_is_reported_only_when_an_item_certainly_finished(
            String openBefore, long readBefore, String openNow, long readNow, String what, boolean expected) {
        assertThat(ProgressCheck.isMade(state(openBefore, readBefore), state(openNow, readNow))).as(what)
                .isEqualTo(expected);
    }

    private static ProgressState state(String unfinished, long readTo) {
        OffsetList list = unfinished.isEmpty() ? OffsetList.EMPTY
                : OffsetList.of(Arrays.stream(unfinished.split(" ")).mapToLong(Long::parseLong).toArray());
        return new ProgressState(
                list.isEmpty() ? readTo : list.first(), readTo, readTo, list, Optional.empty(), false, false);
    }
}
