package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class PartitionProgressTest {
    private static final long ENDLESS = Long.MAX_VALUE;
    private static final Optional<SuspectMark> NONE = Optional.empty();

    private static ProgressState died() {
        return new ProgressState(5, 10, 12, OffsetList.of(5, 7), NONE, 0, false, false);
    }

    @Test
    void theFrontierIsTheLowestUnfinishedOffsetAndThePositionWhenThereIsNone() {
        PartitionProgress progress = after(ProgressState.fresh(10), ENDLESS);
        assertFrontier(progress, 10);
        deliver(progress, 10, 11, 12, 13);
        assertFrontier(progress, 10);
        progress.finished(11);
        assertFrontier(progress, 10);
        progress.finished(10);
        assertFrontier(progress, 12);
        progress.finished(13);
        assertFrontier(progress, 12);
        progress.finished(12);
        assertFrontier(progress, 14);
        progress.positionedAt(20);
        assertFrontier(progress, 20);
        progress.positionedAt(15);
        assertFrontier(progress, 20);
    }

    @Test
    void missingOffsetsAreNeverUnfinished() {
        PartitionProgress progress = after(ProgressState.fresh(0), ENDLESS);
        deliver(progress, 3, 7);
        ProgressState state = progress.snapshot(0, false, NONE, 0);
        assertThat(state.unfinished()).isEqualTo(OffsetList.of(3, 7));
        assertThat(progress.unfinished()).isEqualTo(2);
        progress.finished(3);
        progress.finished(7);
        assertFrontier(progress, 8);
    }

    @Test
    void theNextOwnerSkipsFinishedItemsAndRunsTheOthers() {
        PartitionProgress progress = after(working(5, 10, 10, OffsetList.of(5, 7)), ENDLESS);
        assertThat(progress.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(progress.delivered(6)).isEqualTo(ReadVerdict.FINISHED);
        assertThat(progress.delivered(7)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(progress.delivered(9)).isEqualTo(ReadVerdict.FINISHED);
        assertThat(progress.delivered(10)).isEqualTo(ReadVerdict.RUN);
    }

    @Test
    void aSnapshotWithinTheTakenOverRangeKeepsAllOfIt() {
        PartitionProgress progress = after(working(5, 20, 30, OffsetList.of(5, 7, 15)), ENDLESS);
        deliver(progress, 5);
        progress.delivered(6);
        progress.finished(5);
        ProgressState state = progress.snapshot(0, false, NONE, 0);
        assertThat(state).isEqualTo(working(7, 20, 30, OffsetList.of(7, 15)));
        progress.positionedAt(16);
        assertThat(progress.snapshot(0, false, NONE, 0)).isEqualTo(working(20, 20, 30, OffsetList.EMPTY));
    }

    @Test
    void suspectsAreUnfinishedOrUnreadBelowTheHorizonAndExistedAtTheTakeover() {
        PartitionProgress progress = after(working(5, 10, 100, OffsetList.of(5)), 12);
        assertThat(progress.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(progress.delivered(8)).isEqualTo(ReadVerdict.FINISHED);
        assertThat(progress.delivered(11)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(progress.delivered(12)).isEqualTo(ReadVerdict.RUN);
    }

    @Test
    void afterOneDeathSuspectsAreOnProbationAndAfterTheNextAlone() {
        PartitionProgress first = after(died(), ENDLESS);
        assertThat(first.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(first.mayStart(5)).as("before a commit records its probation").isFalse();
        ProgressState committed = first.snapshot(10, false, NONE, 0);
        assertThat(committed.alone()).isTrue();
        first.committed(committed);
        assertThat(first.mayStart(5)).isTrue();

        PartitionProgress second = after(committed, ENDLESS);
        assertThat(second.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(second.delivered(7)).isEqualTo(ReadVerdict.SUSPECT);
    }

    @Test
    void probationEndsWhenAllItsItemsAreDone() {
        PartitionProgress progress = after(died(), 12);
        deliver(progress, 5);
        progress.delivered(6);
        deliver(progress, 7, 10, 11, 12);
        progress.finished(5);
        progress.finished(10);
        progress.finished(11);
        assertThat(progress.snapshot(0, false, NONE, 0).alone()).isTrue();
        progress.finished(7);
        assertThat(progress.snapshot(0, false, NONE, 0).alone()).isFalse();
    }

    @Test
    void aCleanOwnerPassesProbationOnAsProbation() {
        PartitionProgress progress = after(died(), 12);
        deliver(progress, 5);
        ProgressState handedOver = progress.snapshot(0, true, NONE, 0);
        assertThat(handedOver.alone()).isFalse();
        PartitionProgress next = after(handedOver, ENDLESS);
        assertThat(next.delivered(5)).isEqualTo(ReadVerdict.SUSPECT);
    }

    @Test
    void nothingStartsAtOrAboveTheCommittedHorizon() {
        PartitionProgress progress = after(ProgressState.fresh(0), ENDLESS);
        deliver(progress, 0, 1);
        assertThat(progress.mayStart(0)).as("before the first commit").isFalse();
        ProgressState first = progress.snapshot(3, false, NONE, 0);
        assertThat(progress.mayStart(0)).as("a snapshot that is not committed").isFalse();
        progress.committed(first);
        assertThat(progress.mayStart(4)).isTrue();
        assertThat(progress.mayStart(5)).isFalse();
    }

    @Test
    void afterAnUncleanTakeoverThePreviousHorizonStaysInForce() {
        PartitionProgress progress = after(working(5, 10, 100, OffsetList.of(5)), 12);
        assertThat(progress.mayStart(99)).isTrue();
        assertThat(progress.mayStart(100)).isFalse();
        assertThat(progress.snapshot(0, false, NONE, 0).horizon()).isEqualTo(100);
    }

    @Test
    void theHorizonNeverFallsBelowAnEarlierOne() {
        PartitionProgress progress = after(ProgressState.fresh(0), ENDLESS);
        ProgressState far = progress.snapshot(1_000, false, NONE, 0);
        assertThat(progress.snapshot(10, false, NONE, 0).horizon()).isEqualTo(1_000);
        progress.committed(far);
        progress.committed(progress.snapshot(10, false, NONE, 0));
        assertThat(progress.mayStart(999)).isTrue();
    }

    @Test
    void aCleanOwnerLeavesNoSuspectsAndStartsNothing() {
        PartitionProgress progress = after(ProgressState.fresh(0), ENDLESS);
        ProgressState working = progress.snapshot(100, false, NONE, 0);
        progress.committed(working);
        deliver(progress, 0, 1, 2);
        progress.finished(1);
        ProgressState handedOver = progress.snapshot(100, true, NONE, 0);
        progress.committed(working);
        assertThat(progress.mayStart(0)).isFalse();
        PartitionProgress next = after(handedOver, ENDLESS);
        assertThat(next.delivered(0)).isEqualTo(ReadVerdict.RUN);
        assertThat(next.delivered(1)).isEqualTo(ReadVerdict.FINISHED);
        assertThat(next.delivered(2)).isEqualTo(ReadVerdict.RUN);
        assertThat(next.mayStart(0)).isFalse();
        next.committed(next.snapshot(0, false, NONE, 0));
        assertThat(next.mayStart(0)).isTrue();
    }

    @Test
    void suspectsThatACleanOwnerDidNotRunStaySuspects() {
        PartitionProgress progress = after(working(5, 8, 10, OffsetList.of(5, 6, 7)), ENDLESS);
        deliver(progress, 5, 6, 7, 8, 9, 10);
        progress.finished(5);
        progress.finished(8);
        progress.finished(9);
        ProgressState handedOver = progress.snapshot(100, true, NONE, 0);
        assertThat(handedOver.horizon()).isEqualTo(8);
        PartitionProgress next = after(handedOver, ENDLESS);
        assertThat(next.delivered(6)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(next.delivered(7)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(next.delivered(10)).isEqualTo(ReadVerdict.RUN);
    }

    @Test
    void suspectsThatACleanOwnerDidNotReadStaySuspects() {
        PartitionProgress progress = after(working(5, 8, 100, OffsetList.of(5, 6)), 50);
        deliver(progress, 5);
        ProgressState handedOver = progress.snapshot(0, true, NONE, 0);
        assertThat(handedOver.horizon()).isEqualTo(50);
        assertThat(handedOver.alone()).isTrue();
    }

    @Test
    void aPartitionIsFullAtItsBoundAndNotAfterOneMoreIsDone() {
        PartitionProgress progress = new PartitionProgress(ProgressState.fresh(0), ENDLESS, 3);
        deliver(progress, 0, 1);
        assertThat(progress.isFull()).isFalse();
        deliver(progress, 2, 3);
        assertThat(progress.isFull()).isTrue();
        progress.finished(2);
        assertThat(progress.isFull()).isTrue();
        progress.finished(0);
        assertThat(progress.isFull()).isFalse();
    }

    @Test
    void oneHangingItemDoesNotFillAPartition() {
        PartitionProgress progress = after(ProgressState.fresh(0), ENDLESS);
        deliver(progress, 0);
        for (long offset = 1; offset < 1_000_000; offset++) {
            progress.delivered(offset);
            progress.finished(offset);
        }
        progress.positionedAt(1L << 40);
        deliver(progress, 1L << 40);
        assertThat(progress.isFull()).isFalse();
        ProgressState state = progress.snapshot(0, false, NONE, 0);
        assertThat(ProgressCodec.decode(0, ProgressCodec.encode(state))).isEqualTo(state);
    }

    @Test
    void itemsTooFarApartForTheMetadataFillAPartitionBeforeItsBound() {
        PartitionProgress progress = new PartitionProgress(ProgressState.fresh(0), ENDLESS, 1_500);
        long offset = 0;
        while (!progress.isFull()) {
            deliver(progress, offset);
            offset += 20_000 + offset % 13;
        }
        assertThat(progress.unfinished()).isBetween(950, 1_000);
        ProgressState state = progress.snapshot(0, false, NONE, 0);
        assertThat(ProgressCodec.decode(0, ProgressCodec.encode(state))).isEqualTo(state);
    }

    /** Otherwise the end of the list is cut off, and items above the cut that have moved would move again. */
    @Test
    void aPollAfterAPartitionWasNotFullFitsTheMetadata() {
        for (int apart : new int[] {1, 2, 127, 128, 300, 20_000}) {
            PartitionProgress progress = new PartitionProgress(ProgressState.fresh(0), ENDLESS, 1_500);
            long offset = 0;
            for (; !progress.isFull(500); offset += apart) {
                deliver(progress, offset);
            }
            for (int i = 0; i < 500; i++, offset += apart) {
                deliver(progress, offset);
            }
            ProgressState state = progress.snapshot(0, false, NONE, 0);
            assertThat(ProgressCodec.decode(0, ProgressCodec.encode(state))).as("%d apart", apart).isEqualTo(state);
            // The worst case: the repetitions of the list are broken.
            for (long done = 2L * apart; done < offset - apart; done += 3L * apart) {
                progress.finished(done);
            }
            ProgressState sparse = progress.snapshot(0, false, NONE, 0);
            assertThat(ProgressCodec.decode(0, ProgressCodec.encode(sparse))).as("%d apart", apart).isEqualTo(sparse);
        }
    }

    @Test
    void aPollBeyondWhatThePreviousOwnerHadReadIsCutWhenItsUnfinishedItemsLeaveNoRoom() {
        PartitionProgress previous = new PartitionProgress(ProgressState.fresh(0), ENDLESS, 1_500);
        long end = 0;
        for (; !previous.isFull(500); end += 300) {
            deliver(previous, end);
        }
        PartitionProgress progress = after(previous.snapshot(0, false, NONE, 0), ENDLESS);
        assertThat(progress.isFull(500)).as("what it took over is read").isFalse();
        long readTo = end - 299;
        assertThat(progress.isCutAt(readTo, 500)).as("before the first delivery").isTrue();
        for (long offset = 0; offset < end; offset += 300) {
            assertThat(progress.isCutAt(offset, 500)).isFalse();
            deliver(progress, offset);
        }
        assertThat(progress.isCutAt(readTo - 1, 500)).isFalse();
        assertThat(progress.isCutAt(readTo, 500)).isTrue();
        assertThat(progress.isFull(500)).as("all of it was delivered").isTrue();
        assertThat(progress.isCutAt(end, 500)).isTrue();
        progress.positionedAt(end);
        assertThat(progress.isFull(500)).isTrue();
        progress.finished(0);
        progress.finished(300);
        progress.finished(600);
        assertThat(progress.isFull(500)).isFalse();
        assertThat(progress.isCutAt(end, 500)).as("room").isFalse();
    }

    @Test
    void invalidCallsAreRejected() {
        PartitionProgress progress = after(ProgressState.fresh(5), ENDLESS);
        deliver(progress, 5, 6);
        assertThatThrownBy(() -> progress.delivered(6)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> progress.finished(7)).isInstanceOf(IllegalStateException.class);
        progress.finished(6);
        assertThatThrownBy(() -> progress.finished(6)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new PartitionProgress(ProgressState.fresh(0), ENDLESS, 0))
                .isInstanceOf(IllegalArgumentException.class);
        int most = ProgressCodec.MAX_UNFINISHED;
        assertThatThrownBy(() -> new PartitionProgress(ProgressState.fresh(0), ENDLESS, most + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new PartitionProgress(ProgressState.fresh(0), ENDLESS, most).isFull()).isFalse();
        assertThat(new PartitionProgress(ProgressState.fresh(0), ENDLESS, 1).isFull()).isFalse();
    }

    static PartitionProgress after(ProgressState before, long logEnd) {
        return new PartitionProgress(before, logEnd, PartitionProgress.DEFAULT_MAX_UNFINISHED);
    }

    static ProgressState working(long frontier, long readTo, long horizon, OffsetList unfinished) {
        return new ProgressState(frontier, readTo, horizon, unfinished, NONE, 0, false, true);
    }

    static void deliver(PartitionProgress progress, long... offsets) {
        for (long offset : offsets) {
            assertThat(progress.delivered(offset)).as("offset %d", offset).isNotEqualTo(ReadVerdict.FINISHED);
        }
    }

    private static void assertFrontier(PartitionProgress progress, long frontier) {
        assertThat(progress.snapshot(0, false, NONE, 0).frontier()).isEqualTo(frontier);
    }
}
