package io.spillway.router.feedback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.topics.QueueProgress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class WorkReaderTest {
    private static final long STUCK_AFTER_MILLIS = 10_000;

    @Test
    void the_backlog_is_the_unfinished_items_of_the_commit_plus_the_unread_records() {
        WorkReader reader = new WorkReader(
                () -> lanes(progress(0, 100, 90, 40, 50), progress(1, 7, 7)), () -> 0,
                Duration.ofMillis(STUCK_AFTER_MILLIS), () -> 0);
        reader.read();

        assertThat(reader.latest().of(Lane.HOT).waiting(0)).isEqualTo(12);
        assertThat(reader.latest().of(Lane.HOT).waiting(1)).isZero();
    }

    @Test
    void the_time_without_progress_is_that_of_the_monotonic_clock() {
        AtomicLong nanos = new AtomicLong(-3_000_000_000L);
        WorkReader reader = new WorkReader(
                () -> lanes(progress(0, 4, 4, 0, 2)), () -> 0, Duration.ofMillis(STUCK_AFTER_MILLIS), nanos::get);
        reader.read();
        nanos.addAndGet(Duration.ofMillis(STUCK_AFTER_MILLIS - 1).toNanos());
        reader.read();
        assertThat(reader.latest().of(Lane.HOT).isStuck(0)).isFalse();

        nanos.addAndGet(Duration.ofMillis(1).toNanos());
        reader.read();

        assertThat(reader.latest().of(Lane.HOT).isStuck(0)).isTrue();
        assertThat(reader.latest().of(Lane.OVERFLOW).isStuck(0)).isTrue();
    }

    @Test
    void empty_lanes_are_read_once_in_five_periods_and_at_once_when_items_were_moved() {
        AtomicInteger reads = new AtomicInteger();
        AtomicLong commits = new AtomicLong();
        AtomicLong end = new AtomicLong();
        WorkReader reader = new WorkReader(() -> {
            reads.incrementAndGet();
            return lanes(untouched(0, end.get()));
        }, commits::get, Duration.ofMillis(STUCK_AFTER_MILLIS), () -> 0);
        for (int period = 0; period < 10; period++) {
            reader.read();
        }
        assertThat(reads).hasValue(2);

        commits.set(1);
        end.set(5);
        reader.read();
        assertThat(reads).hasValue(3);
        assertThat(reader.latest().of(Lane.HOT).waiting(0)).isEqualTo(5);
        reader.read();
        reader.read();
        assertThat(reads).as("while items wait").hasValue(5);
    }

    @Test
    void lanes_that_could_not_be_read_are_read_again_in_the_next_period() {
        AtomicLong reads = new AtomicLong();
        WorkReader reader = new WorkReader(() -> {
            if (reads.incrementAndGet() > 1) {
                throw new IllegalStateException("no answer");
            }
            return lanes(untouched(0, 0));
        }, reads::get, Duration.ofMillis(STUCK_AFTER_MILLIS), () -> 0);
        reader.read();
        assertThatThrownBy(reader::read).hasMessage("no answer");
        assertThatThrownBy(reader::read).hasMessage("no answer");
        assertThat(reads).hasValue(3);
    }

    private static Map<Lane, List<QueueProgress>> lanes(QueueProgress... each) {
        return Lane.WORKED.stream().collect(Collectors.toMap(lane -> lane, lane -> List.of(each)));
    }

    private static QueueProgress untouched(int partition, long end) {
        return new QueueProgress(new TopicPartition("hot", partition), 0, end, false, ProgressState.fresh(0));
    }

    private static QueueProgress progress(int partition, long end, long readTo, long... unfinished) {
        OffsetList list = OffsetList.of(unfinished);
        return new QueueProgress(new TopicPartition("hot", partition), 0, end, true, new ProgressState(
                list.isEmpty() ? readTo : list.first(), readTo, readTo, list, Optional.empty(), 0, false, false));
    }
}
