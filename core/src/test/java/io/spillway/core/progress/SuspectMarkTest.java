package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuspectMarkTest {
    private static final Optional<SuspectMark> NONE = Optional.empty();

    @ParameterizedTest(name = "suspect {0}, mark on {1} with {2} deaths, killer.deaths {3}: {4} deaths, convicted {5}")
    @CsvSource({"7, 7, 0, 3, 0, false", "7, 7, 2, 3, 2, false", "7, 7, 3, 3, 3, true", "7, 7, 9, 3, 9, true",
        "8, 7, 3, 3, 1, false", "7, 7, 1, 1, 1, true"})
    void onlyTheMarkedItemIsConvictedAndOnlyByItsDeaths(long suspect, long marked, int deaths, int limit,
            int counted, boolean isConvicted) {
        SuspectMark alone = SuspectMark.alone(suspect, Optional.of(new SuspectMark(marked, deaths)), limit);
        assertThat(alone).isEqualTo(new SuspectMark(suspect, counted));
        assertThat(alone.convicts(limit)).isEqualTo(isConvicted);
    }

    @Test
    void aSuspectWithoutAMarkStartsWithTheDeathThatMadeItSuspectUnlessThatWouldConvictIt() {
        assertThat(SuspectMark.alone(7, NONE, 1)).isEqualTo(new SuspectMark(7, 0));
        assertThat(SuspectMark.alone(7, NONE, 2)).isEqualTo(new SuspectMark(7, 1));
    }

    @Test
    void aKillerIsConvictedAfterTwoDeathsWhileItIsMarkedAndOneBefore() {
        ProgressState committed = beforeAnyDeath();
        int deathsOfWorkers = 1;
        PartitionProgress probation = after(committed);
        assertThat(probation.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
        committed = stored(probation.snapshot(100, false, NONE, 0));
        deathsOfWorkers++;
        while (true) {
            PartitionProgress progress = after(committed);
            assertThat(progress.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
            SuspectMark alone = SuspectMark.alone(5, progress.takenOverMark(), 3);
            if (alone.convicts(3)) {
                assertThat(alone).isEqualTo(new SuspectMark(5, 3));
                break;
            }
            committed = stored(progress.snapshot(100, false, Optional.of(alone), 0));
            deathsOfWorkers++;
        }
        assertThat(deathsOfWorkers).as("one beside others, one on probation, two as the marked one").isEqualTo(4);
    }

    @Test
    void aDeathWithAGroupConvictsNobodyAndAccusesItsUnfinishedMembersAlone() {
        PartitionProgress progress = after(
                new ProgressState(5, 9, 100, OffsetList.of(5, 6, 7, 8), NONE, 8, false, true));
        for (long offset = 5; offset < 9; offset++) {
            assertThat(progress.delivered(offset)).isEqualTo(ReadVerdict.SUSPECT);
        }

        assertThat(progress.takenOverMark()).isEmpty();
        assertThat(progress.isAccused(7)).isTrue();
        assertThat(progress.isAccused(8)).as("it was in no group").isFalse();
        assertThat(stored(progress.snapshot(100, false, NONE, 0)).groupEnd()).isEqualTo(8);
        progress.finished(5);
        progress.finished(6);
        progress.finished(7);
        assertThat(stored(progress.snapshot(100, false, NONE, 0)).groupEnd()).isZero();
    }

    /** Two killers in one partition: a count that a group forgets, or the reverse, never convicts either. */
    @Test
    void deathsAloneAndDeathsInGroupsDoNotMakeEachOtherForgotten() {
        ProgressState committed = new ProgressState(
                5, 9, 100, OffsetList.of(5, 6, 7, 8), Optional.of(new SuspectMark(5, 1)), 8, false, true);
        for (boolean clean : List.of(false, true)) {
            PartitionProgress progress = after(stored(committed));
            for (long offset = 5; offset < 9; offset++) {
                progress.delivered(offset);
            }
            assertThat(progress.takenOverMark()).contains(new SuspectMark(5, 2));
            assertThat(progress.isAccused(7)).isTrue();
            assertThat(progress.isAccused(8)).isFalse();

            PartitionProgress inGroup = after(stored(progress.snapshot(100, clean, NONE, 9)));
            assertThat(inGroup.takenOverMark()).as("a group ran").contains(new SuspectMark(5, 2));
            assertThat(inGroup.isAccused(7)).isTrue();
            assertThat(inGroup.isAccused(8)).as("clean: nobody died").isEqualTo(!clean);

            PartitionProgress inAlone = after(
                    stored(progress.snapshot(100, clean, Optional.of(new SuspectMark(5, 2)), 0)));
            assertThat(inAlone.takenOverMark()).as("it ran alone").contains(new SuspectMark(5, clean ? 2 : 3));
            assertThat(inAlone.isAccused(7)).isTrue();
        }
    }

    @Test
    void aDeathBeforeTheMarkedItemRunsAgainNeitherAddsToItsCountNorLosesIt() {
        ProgressState committed = stored(markedWith(5, 1));
        for (int death = 0; death < 10; death++) {
            PartitionProgress progress = after(committed);
            assertThat(progress.takenOverMark()).contains(new SuspectMark(5, 2));
            committed = stored(progress.snapshot(100, false, NONE, 0));
        }
    }

    @Test
    void aCleanOwnerPassesOnTheDeathsOfASuspectItDidNotRun() {
        PartitionProgress progress = after(markedWith(5, 1));
        progress.delivered(5);
        ProgressState handedOver = stored(progress.snapshot(100, true, NONE, 0));
        PartitionProgress next = after(handedOver);
        assertThat(next.takenOverMark()).contains(new SuspectMark(5, 2));
        assertThat(next.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(after(stored(next.snapshot(100, false, NONE, 0))).takenOverMark()).contains(new SuspectMark(5, 2));
    }

    @Test
    void aCleanEndWhileTheMarkedItemRunsIsNotADeath() {
        PartitionProgress progress = after(markedWith(5, 1));
        progress.delivered(5);
        ProgressState handedOver = stored(progress.snapshot(100, true, Optional.of(new SuspectMark(5, 2)), 0));
        assertThat(after(handedOver).takenOverMark()).contains(new SuspectMark(5, 2));
        PartitionProgress unmarked = after(beforeAnyDeath());
        unmarked.delivered(5);
        ProgressState first = stored(unmarked.snapshot(100, true, Optional.of(new SuspectMark(5, 0)), 0));
        assertThat(after(first).takenOverMark()).isEmpty();
        assertThat(after(first).delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
    }

    @Test
    void completionClearsTheMark() {
        PartitionProgress progress = after(markedWith(5, 1));
        progress.delivered(5);
        progress.finished(5);
        assertThat(progress.takenOverMark()).isEmpty();
        assertThat(progress.snapshot(100, false, Optional.of(new SuspectMark(5, 2)), 0).mark()).isEmpty();
    }

    @Test
    void theMarkOfADeletedItemIsRemoved() {
        PartitionProgress progress = after(markedWith(5, 1));
        progress.positionedAt(6);
        assertThat(progress.takenOverMark()).isEmpty();
        PartitionProgress beyondTheEnd = new PartitionProgress(markedWith(5, 1), 5, 10);
        assertThat(beyondTheEnd.takenOverMark()).as("another record may have its offset by now").isEmpty();
        assertThat(beyondTheEnd.delivered(5)).isEqualTo(ReadVerdict.RUN);
    }

    @Test
    void theMarkIsTheOneThatRunsAndTheTakenOverOneOnlyWhileNoneDoes() {
        PartitionProgress progress = after(markedWith(5, 1));
        progress.delivered(5);
        progress.delivered(6);
        assertThat(progress.snapshot(100, false, Optional.of(new SuspectMark(6, 0)), 0).mark())
                .contains(new SuspectMark(6, 0));
        assertThat(progress.snapshot(100, false, NONE, 0).mark()).contains(new SuspectMark(5, 1));
    }

    private static ProgressState beforeAnyDeath() {
        return new ProgressState(5, 7, 100, OffsetList.of(5, 6), NONE, 0, false, false);
    }

    private static ProgressState markedWith(long offset, int deaths) {
        return new ProgressState(5, 7, 100, OffsetList.of(5, 6), Optional.of(new SuspectMark(offset, deaths)), 0, false,
                true);
    }

    private static PartitionProgress after(ProgressState before) {
        return new PartitionProgress(before, Long.MAX_VALUE, 10);
    }

    private static ProgressState stored(ProgressState state) {
        ProgressState read = ProgressCodec.decode(state.frontier(), ProgressCodec.encode(state));
        assertThat(read).isEqualTo(state);
        return read;
    }
}
