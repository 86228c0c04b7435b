package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The poll thread while calls to Kafka fail, as after the death of a broker. */
@Timeout(60) // Only against a hang.
class PollThreadTest {
    private final CoreScene scene = new CoreScene(1 << 26);
    private final TopicPartition partition = new TopicPartition(scene.topics.lane(Lane.HOT), 0);
    private final Queue<ApiException> ofCommitted = new ArrayDeque<>();
    private final Queue<ApiException> ofEnds = new ArrayDeque<>();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong end = new AtomicLong();
    private final Queue<KafkaException> refusalsOfJoins = new ArrayDeque<>();
    private boolean failsForEver;
    private String metadata = "";
    private volatile boolean isAssigned = true;
    /** Polls until the group accepts commits again. */
    private final AtomicInteger refusals = new AtomicInteger();
    private final Accepting cluster = new Accepting();
    private final TestConsumer consumer = new TestConsumer();
    private final List<TestConsumer> opened = new CopyOnWriteArrayList<>();

    private final class TestConsumer extends MockConsumer<byte[], byte[]> {
        TestConsumer() {
            super("none");
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
            if (failsForEver) {
                throw DisconnectException.INSTANCE;
            }
            fail(ofCommitted);
            return Map.of(partition, new OffsetAndMetadata(committed.get(), metadata));
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (!paused().isEmpty()) {
                refusals.updateAndGet(left -> Math.max(0, left - 1));
            }
            return super.poll(timeout);
        }

        @Override
        public synchronized Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
            fail(ofEnds);
            return Map.of(partition, end.get());
        }
    }

    @BeforeEach
    void captureLog() {
        log.start();
        ((Logger) LoggerFactory.getLogger("io.spillway.worker")).addAppender(log);
    }

    @AfterEach
    void releaseLog() {
        ((Logger) LoggerFactory.getLogger("io.spillway.worker")).detachAppender(log);
    }

    @Test
    void a_broker_that_dies_while_partitions_are_taken_over_delays_the_worker_only() throws Exception {
        ofCommitted.addAll(List.of(DisconnectException.INSTANCE, new TimeoutException("no answer")));
        ofEnds.addAll(List.of(new CoordinatorNotAvailableException("moving"), DisconnectException.INSTANCE));
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            assertThat(scene.core.partitions()).containsExactly(partition);
            assertThat(failure).isNotDone();
        }
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.contains("read the committed offsets") && line.contains("worker.kafkaTimeout"));
    }

    @Test
    void a_worker_that_joins_its_group_without_a_partition_has_joined() throws Exception {
        isAssigned = false;
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            assertThat(scene.core.partitions()).isEmpty();
            assertThat(failure).isNotDone();
        }
    }

    @Test
    void a_worker_that_its_group_refuses_joins_again_as_another_member() throws Exception {
        refusalsOfJoins.addAll(List.of(new UnreleasedInstanceIdException("owned by the same member"),
                new FencedInstanceIdException("replaced"), new GroupMaxSizeReachedException("full"),
                new KafkaException("Unexpected error in join group response")));
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            assertThat(failure).isNotDone();
            assertThat(scene.core.partitions()).containsExactly(partition);
            assertThat(opened).hasSize(5);
            assertThat(opened.subList(0, 4)).allMatch(MockConsumer::closed);
        }
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).filteredOn(
                line -> line.contains("cannot join its group") && line.contains("owned by the same member")).hasSize(1);
        assertThat(consumer.closed()).isTrue();
    }

    @Test
    void a_worker_that_its_group_refuses_later_gives_up_its_partitions_and_joins_again() throws Exception {
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            consumer.schedulePollTask(() -> {
                isAssigned = false;
                throw new FencedInstanceIdException("replaced");
            });
            while (opened.size() < 2 || !scene.core.partitions().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(failure).isNotDone();
        }
    }

    @Test
    void a_worker_that_its_group_refuses_for_longer_than_the_timeout_ends_with_the_reason() throws Exception {
        for (int i = 0; i < 100; i++) {
            refusalsOfJoins.add(new GroupMaxSizeReachedException("full"));
        }
        AtomicLong seconds = new AtomicLong();
        try (PollThread poller = start(() -> TimeUnit.SECONDS.toNanos(seconds.addAndGet(15)))) {
            assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(WorkerException.class)
                    .hasMessageContaining("cannot join its group since").hasMessageContaining("full");
            assertThat(poller).isNotNull();
        }
    }

    /** The group may begin another generation just before, whose assignment only a poll brings. */
    @Test
    void a_worker_whose_last_commit_is_refused_polls_until_it_is_accepted() throws Exception {
        PollThread poller = start(() -> 0);
        assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
        refusals.set(3);
        poller.close();
        assertThat(refusals).hasValue(0);
        assertThat(cluster.offsets).containsKey(partition);
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains("is not confirmed"));
    }

    @Test
    void a_poll_that_fails_for_a_passing_reason_is_repeated() throws Exception {
        consumer.setPollException(new TimeoutException("no answer"));
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            assertThat(failure).isNotDone();
        }
    }

    @Test
    void a_position_that_another_worker_has_passed_and_purged_is_polled_again_until_the_partition_is_lost()
            throws Exception {
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            committed.set(5);
            end.set(5);
            consumer.setPollException(new OffsetOutOfRangeException(Map.of(partition, 3L)));
            CountDownLatch lost = new CountDownLatch(1);
            // One task in a poll: the second runs after the poll that failed.
            consumer.schedulePollTask(() -> { });
            consumer.schedulePollTask(() -> {
                poller.onPartitionsLost(List.of(partition));
                lost.countDown();
            });
            assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(failure).isNotDone();
        }
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.contains("another worker has finished what this one would read"));
    }

    @Test
    void items_that_something_else_deleted_end_the_worker_with_the_reason() throws Exception {
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            consumer.setPollException(new OffsetOutOfRangeException(Map.of(partition, 0L)));
            assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(KafkaFailure.class)
                    .hasMessageContaining("no record at offset 0 of " + partition)
                    .hasMessageContaining("something else than Spillway");
        }
    }

    @Test
    void records_that_kafka_has_lost_end_the_worker_with_the_offset_to_go_on_from() throws Exception {
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
            committed.set(90);
            end.set(35);
            consumer.setPollException(new OffsetOutOfRangeException(Map.of(partition, 83L)));
            assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(KafkaFailure.class)
                    .hasMessageContaining("Kafka has lost records of " + partition + ": it ends at offset 35")
                    .hasMessageContaining("read it up to offset 83")
                    .hasMessageContaining("set its offset of this partition to 35");
        }
    }

    @Test
    void the_worker_ends_with_the_reason_after_the_timeout() throws Exception {
        failsForEver = true;
        AtomicLong seconds = new AtomicLong();
        try (PollThread poller = start(() -> TimeUnit.SECONDS.toNanos(seconds.incrementAndGet()))) {
            assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(WorkerException.class)
                    .hasMessageContaining("cannot read the committed offsets of new partitions since 31 s")
                    .hasMessageContaining("worker.kafkaTimeout").hasMessageContaining("DisconnectException");
            assertThat(poller).isNotNull();
        }
        assertThat(log.list).as("one line in 10 s, the first after 1 s").hasSize(3);
    }

    @Test
    void progress_of_a_later_release_is_refused() throws Exception {
        byte[] bytes = Base64.getUrlDecoder().decode(ProgressCodec.encode(ProgressState.fresh(0)));
        bytes[0] = 2;
        metadata = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        try (PollThread poller = start(() -> 0)) {
            assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(WorkerException.class)
                    .hasMessageContaining(partition + " has format 2 of a later release")
                    .hasMessageContaining("Start workers of that release");
            assertThat(scene.core.partitions()).isEmpty();
            assertThat(poller).isNotNull();
        }
    }

    @Test
    void progress_that_cannot_be_read_is_logged() throws Exception {
        metadata = "of another tool";
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).anyMatch(line ->
                line.contains("The progress of " + partition) && line.contains("of another tool"));
    }

    @Test
    void an_offset_without_metadata_is_no_reason_to_warn() throws Exception {
        try (PollThread poller = start(() -> 0)) {
            assertThat(poller.awaitJoined(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(log.list).isEmpty();
    }

    private PollThread start(LongSupplier nanoClock) {
        AttemptRunner runner = scene.runner(delivery -> Outcome.done());
        Outage outage = new Outage(Duration.ofSeconds(30), nanoClock);
        CommitThread committer = new CommitThread(scene.core, runner, scene.metrics,
                new WorkerTransactions(() -> new ModelProducer(cluster), partitions -> Map.of(),
                        new LedgerWriter(scene.topics), new SameName("w", Map::of),
                        new Outage(Duration.ofSeconds(30), () -> 0), scene.limits),
                Duration.ofMillis(5), System::nanoTime, failure::complete);
        committer.start();
        PollThread poller = new PollThread(scene.core, runner, committer, scene.metrics, scene.topics,
                Duration.ofSeconds(1), this::nextConsumer,
                scene.pools, new EarlyCommits(scene.core, this::nextConsumer), outage, failure::complete);
        poller.start();
        return poller;
    }

    /** Returns the first consumer, and then others, each of which joins the group or is refused. */
    private TestConsumer nextConsumer() {
        TestConsumer next = opened.isEmpty() ? consumer : new TestConsumer();
        opened.add(next);
        KafkaException refusal = refusalsOfJoins.poll();
        next.schedulePollTask(() -> {
            if (refusal != null) {
                throw refusal;
            }
            next.rebalance(isAssigned ? List.of(partition) : List.of());
            if (isAssigned) {
                next.updateBeginningOffsets(Map.of(partition, 0L));
                next.seek(partition, 0);
            }
        });
        return next;
    }

    private static void fail(Queue<ApiException> failures) {
        if (!failures.isEmpty()) {
            throw failures.remove();
        }
    }

    private final class Accepting implements ModelProducer.Cluster {
        private final Map<TopicPartition, OffsetAndMetadata> offsets = new ConcurrentHashMap<>();

        @Override
        public void called(String method) {
            if (method.equals("sendOffsetsToTransaction") && refusals.get() > 0) {
                throw new CommitFailedException();
            }
        }

        @Override
        public void committed(
                List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> progress) {
            offsets.putAll(progress);
        }
    }
}
