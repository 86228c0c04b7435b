package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.ItemHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Partitions of hot that leave while items that started before their commits are not confirmed. */
class EarlyCommitsTest {
    /** As many unfinished items as the progress of a partition holds, in whole polls. */
    private static final int MOST = 1_500;
    private static final int MOST_POLLS = 150;

    private final CoreScene scene = new CoreScene(1 << 26);
    private final OwnedPartition first = scene.take(0, ProgressState.fresh(0), 0);
    private final OwnedPartition second = scene.take(1, ProgressState.fresh(0), 0);
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs = new HashMap<>();
    private int polls;

    private final class Reader extends MockConsumer<byte[], byte[]> {
        Reader() {
            super("none");
            setMaxPollRecords(PollThread.MAX_RECORDS);
        }

        @Override
        public synchronized void assign(Collection<TopicPartition> partitions) {
            super.assign(partitions);
            partitions.forEach(partition -> logs.getOrDefault(partition, List.of()).forEach(this::addRecord));
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            polls++;
            return super.poll(timeout);
        }
    }

    EarlyCommitsTest() {
        scene.commit();
    }

    @ParameterizedTest(name = "a log of {0} items, whose early one is at {1}: {2} polls")
    @CsvSource({"0, -1, 150", "1000, -1, 150", "1000, 999, 2", "1500, 1499, 3", "75000, -1, 3", "75000, 1500, 3"})
    void no_more_is_read_than_there_is_room_for(int items, int earlyAt, int expectedPolls) {
        startEarly(first);
        log(first, items, earlyAt);

        await(first);

        assertThat(polls).isEqualTo(expectedPolls);
        assertThat(first.unfinished()).isEqualTo(Math.min(items, MOST));
        assertThat(isUnconfirmed(first)).isEqualTo(earlyAt < 0 || earlyAt >= MOST);
    }

    @Test
    void a_partition_without_room_does_not_end_the_wait_of_the_others() {
        startEarly(first);
        startEarly(second);
        log(first, 75_000, -1);
        log(second, 300, 299);

        await(first, second);

        assertThat(isUnconfirmed(second)).isFalse();
        assertThat(first.unfinished() + second.unfinished()).isLessThanOrEqualTo(MOST + 300);
        assertThat(polls).as("the second one has room").isEqualTo(MOST_POLLS);
    }

    private void await(OwnedPartition... partitions) {
        new EarlyCommits(scene.core, Reader::new).await(
                List.of(partitions).stream().map(owned -> owned.partition).toList(), this::process);
    }

    /** As the poll thread does. */
    private void process(ConsumerRecords<byte[], byte[]> records, Consumer<byte[], byte[]> from) {
        List<OwnedPartition.Polled> polled = new ArrayList<>();
        records.nextOffsets().forEach((partition, next) -> polled.add(new OwnedPartition.Polled(
                scene.core.owned(partition).orElseThrow(), records.records(partition), next.offset())));
        scene.core.receive(polled);
        for (OwnedPartition.Polled batch : polled) {
            if (batch.partition().position() < batch.nextOffset()) {
                from.seek(batch.partition().partition, batch.partition().position());
            }
        }
    }

    private boolean isUnconfirmed(OwnedPartition owned) {
        return scene.core.stopEarly(List.of(owned.partition));
    }

    private void startEarly(OwnedPartition owned) {
        assertThat(scene.core.startEarly(owned.partition, () -> early(owned, -1))).hasSize(1);
        assertThat(owned.lane()).isEqualTo(Lane.HOT);
    }

    /** Fills the log of a partition; the commit of its early item is at an offset, or not there. */
    private void log(OwnedPartition owned, int items, int earlyAt) {
        logs.put(owned.partition, LongStream.range(0, items).mapToObj(offset -> offset == earlyAt
                ? early(owned, offset) : CoreScene.item(owned, offset, "tenant-" + offset % 100, 0)).toList());
    }

    private static ConsumerRecord<byte[], byte[]> early(OwnedPartition owned, long offset) {
        ConsumerRecord<byte[], byte[]> record = CoreScene.item(owned, offset, "early-" + owned, 0);
        record.headers().add(ItemHeaders.ORIGIN, ModelLedger.bytes("spillway.ingress-0-7" + owned));
        return record;
    }
}
