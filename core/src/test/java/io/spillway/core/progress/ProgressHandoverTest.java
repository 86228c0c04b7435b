package io.spillway.core.progress;

import static io.spillway.core.progress.PartitionProgressTest.after;
import static io.spillway.core.progress.PartitionProgressTest.deliver;
import static io.spillway.core.progress.PartitionProgressTest.working;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What one owner of a partition leaves to the next one in a clean state. */
class ProgressHandoverTest {
    private static final long ENDLESS = Long.MAX_VALUE;
    private static final Optional<SuspectMark> NONE = Optional.empty();

    @Test
    void theHorizonOfACleanOwnerIsAboveTheLastSuspectThatDidNotRunAndNotAboveThoseThatDid() {
        PartitionProgress progress = after(working(5, 8, 8, OffsetList.of(5, 7)), ENDLESS);
        deliver(progress, 5);
        progress.delivered(6);
        deliver(progress, 7);
        progress.finished(7);
        assertThat(progress.isUnfinished(5)).isTrue();
        assertThat(progress.isUnfinished(7)).isFalse();
        assertThat(progress.snapshot(0, true, NONE, 0).horizon()).isEqualTo(6);
        progress.finished(5);
        assertThat(progress.snapshot(0, true, NONE, 0).alone()).as("no suspect is left").isFalse();
    }

    @Test
    void aPartitionWithoutSuspectsIsNotOnProbationFromItsFirstOffsetOn() {
        PartitionProgress progress = after(ProgressState.fresh(0), ENDLESS);
        assertThat(progress.snapshot(10, false, NONE, 0).alone()).isFalse();
        PartitionProgress cut = after(working(0, 1, 1, OffsetList.of(0)), 0);
        deliver(cut, 0);
        assertThat(cut.snapshot(0, true, NONE, 0).alone()).as("the log was cut off before it").isFalse();
    }

    @Test
    void aMarkWithDeathsOfAnItemThatWasStoppedIsPassedOnWithAHorizonAboveIt() {
        PartitionProgress progress = after(ProgressState.fresh(0), ENDLESS);
        deliver(progress, 0, 1);
        ProgressState handedOver = progress.snapshot(10, true, Optional.of(new SuspectMark(1, 2, true)), 0);
        assertThat(handedOver.mark()).contains(new SuspectMark(1, 2, false));
        assertThat(handedOver.horizon()).isEqualTo(2);
    }

    @Test
    void aTakenOverItemIsFoundThoughOneBeforeItIsGoneFromTheLog() {
        PartitionProgress progress = after(working(5, 20, 30, OffsetList.of(5, 7, 15)), ENDLESS);
        assertThat(progress.delivered(7)).isEqualTo(ReadVerdict.SUSPECT);
        assertThat(progress.delivered(8)).isEqualTo(ReadVerdict.FINISHED);
    }
}
