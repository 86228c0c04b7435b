package io.spillway.worker;

import io.spillway.core.item.Lane;
import io.spillway.core.item.Printable;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the three lanes. Owner of the consumer: nobody else touches it, but for the wake-up that ends it. */
final class PollThread implements ConsumerRebalanceListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PollThread.class);
    private static final Lane[] LANES = {Lane.HOT, Lane.OVERFLOW, Lane.AGED};
    /** Short, so that a partition is read again soon after its lane has room. */
    private static final Duration POLL = Duration.ofMillis(20);
    private static final long PAUSED_POLL_MILLIS = 2;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final WorkerCore core;
    private final AttemptRunner runner;
    private final CommitThread committer;
    private final WorkerMetrics metrics;
    private final Topics topics;
    private final long drainGraceMillis;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final LongSupplier nanoClock;
    private final Consumer<Throwable> onDeath;
    private final Map<String, Lane> laneOfTopic;
    private final CountDownLatch joined = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("worker-poll").unstarted(this::run);

    PollThread(
            WorkerCore core,
            AttemptRunner runner,
            CommitThread committer,
            WorkerMetrics metrics,
            Topics topics,
            Duration drainGrace,
            Supplier<KafkaConsumer<byte[], byte[]>> consumers,
            LongSupplier nanoClock,
            Consumer<Throwable> onDeath) {
        this.core = core;
        this.runner = runner;
        this.committer = committer;
        this.metrics = metrics;
        this.topics = topics;
        this.drainGraceMillis = drainGrace.toMillis();
        this.consumer = consumers.get();
        this.nanoClock = nanoClock;
        this.onDeath = onDeath;
        this.laneOfTopic = laneOfTopic(topics);
    }

    void start() {
        thread.start();
    }

    /** Whether it is a member of the group within this time. */
    boolean awaitJoined(Duration timeout) throws InterruptedException {
        return joined.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        stopped.countDown();
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            consumer.subscribe(laneOfTopic.keySet(), this);
            while (stopped.getCount() > 0) {
                pollUnlessWoken();
            }
            giveUp(consumer.assignment());
        } catch (RuntimeException | Error e) {
            LOG.error("The worker's poll thread died: {}", Printable.of(e.toString()), e);
            core.broken();
            core.forget(core.partitions());
            onDeath.accept(e);
        } finally {
            joined.countDown();
            consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
        }
    }

    private void pollUnlessWoken() {
        try {
            adjustPauses();
            take(poll());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (WakeupException e) {
            LOG.debug("Woken to stop");
        }
    }

    /** With partitions paused the client's poll does not wait but spins (KAFKA-21084), so the wait is ours. */
    private ConsumerRecords<byte[], byte[]> poll() throws InterruptedException {
        if (consumer.paused().isEmpty()) {
            return consumer.poll(POLL);
        }
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ZERO);
        if (records.nextOffsets().isEmpty()) {
            stopped.await(PAUSED_POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
        return records;
    }

    private void take(ConsumerRecords<byte[], byte[]> records) {
        ConsumerGroupMetadata group = consumer.groupMetadata();
        if (group.generationId() >= 0) {
            core.seen(group);
        }
        if (!consumer.assignment().isEmpty()) {
            joined.countDown();
        }
        Set<Lane> withRecords = EnumSet.noneOf(Lane.class);
        for (TopicPartition partition : records.partitions()) {
            withRecords.add(laneOfTopic.get(partition.topic()));
        }
        for (Lane lane : LANES) {
            metrics.polled(lane, !withRecords.contains(lane));
        }
        List<Polled> polled = new ArrayList<>();
        records.nextOffsets().forEach((partition, next) -> core.owned(partition).ifPresent(
                home -> polled.add(new Polled(home, records.records(partition), next.offset()))));
        runner.run(core.receive(polled));
    }

    /**
     * The client takes partitions away on a thread of its own and tells us only in the next poll: what is asked for
     * them until then it answers with this exception.
     */
    private static void unlessLost(Runnable action) {
        try {
            action.run();
        } catch (IllegalStateException e) {
            LOG.debug("A partition went while it was asked for: {}", Printable.of(e.getMessage()));
        }
    }

    private void adjustPauses() {
        Set<TopicPartition> wanted = new HashSet<>(core.paused());
        wanted.retainAll(consumer.assignment());
        Set<TopicPartition> paused = consumer.paused();
        Set<TopicPartition> resume = new HashSet<>(paused);
        resume.removeAll(wanted);
        wanted.removeAll(paused);
        unlessLost(() -> consumer.pause(wanted));
        unlessLost(() -> consumer.resume(resume));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(new HashSet<>(partitions));
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        List<OwnedPartition> owned = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata offset = committed.get(partition);
            if (offset == null) {
                throw new WorkerException("group " + topics.workerGroup() + " has no offset for " + partition);
            }
            ProgressState state = ProgressCodec.decode(offset.offset(), offset.metadata());
            if (!state.clean()) {
                LOG.info("{} was left by a worker that died: {} items may have been in its hands", partition,
                        Math.min(state.horizon(), ends.get(partition)) - state.frontier());
            }
            owned.add(new OwnedPartition(partition, laneOfTopic.get(partition.topic()),
                    new PartitionProgress(state, ends.get(partition), PartitionProgress.DEFAULT_MAX_UNFINISHED)));
        }
        core.assign(owned);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        giveUp(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        LOG.warn("{} partitions were taken away without notice; what runs of them may run elsewhere as well", partitions.size());
        core.forget(partitions);
    }

    /** Lets what runs end, commits what came of it, and forgets the partitions. */
    private void giveUp(Collection<TopicPartition> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        try {
            core.leave(partitions, drainGraceMillis);
            commitAll(partitions);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("The last commit of {} partitions is not confirmed: their latest items may come again", partitions.size());
        }
        core.forget(partitions);
    }

    private void commitAll(Collection<TopicPartition> partitions)
            throws InterruptedException, ExecutionException, TimeoutException {
        long deadlineNanos = nanoClock.getAsLong() + FLUSH_NANOS;
        while (core.hasToCommit(partitions)) {
            long leftNanos = deadlineNanos - nanoClock.getAsLong();
            committer.flush().get(Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
        }
    }

    private static Map<String, Lane> laneOfTopic(Topics topics) {
        Map<Lane, String> names = new EnumMap<>(Lane.class);
        for (Lane lane : LANES) {
            names.put(lane, topics.lane(lane));
        }
        return Map.of(
                names.get(Lane.HOT), Lane.HOT, names.get(Lane.OVERFLOW), Lane.OVERFLOW, names.get(Lane.AGED), Lane.AGED);
    }
}
