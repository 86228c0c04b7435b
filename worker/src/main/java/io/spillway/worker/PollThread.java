package io.spillway.worker;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.PassedPositions;
import io.spillway.kafka.topics.Topics;
import io.spillway.worker.group.WorkerPools;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Poller of the three lanes. Owner of the consumer: other threads only wake it to stop. */
final class PollThread implements ConsumerRebalanceListener, AutoCloseable {
    /** Most records of one poll. Each partition keeps room for so many, see {@link PartitionProgress#isFull}. */
    static final int MAX_RECORDS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(PollThread.class);
    /** Short, because items that wait can start as time passes. */
    private static final Duration POLL = Duration.ofMillis(20);
    private static final long PAUSED_POLL_MILLIS = 2;
    private static final long PAUSE_AFTER_FAILURE_MILLIS = 50;
    private static final long PAUSE_AFTER_REFUSAL_MILLIS = 100;
    /** Longest pause: 6.4 s. */
    private static final int MAX_DOUBLINGS = 6;
    /** Longest time for which attempts can end before they are claimed; the whole group waits for it. */
    private static final long MOST_LEAVE_GRACE_MILLIS = 1_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final WorkerCore core;
    private final AttemptRunner runner;
    private final CommitThread committer;
    private final WorkerMetrics metrics;
    private final Topics topics;
    private final long leaveGraceMillis;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final WorkerPools pools;
    private final EarlyCommits earlyCommits;
    private final Outage outage;
    private final java.util.function.Consumer<Throwable> onFailure;
    private final Map<String, Lane> laneOfTopic;
    private long assignments;
    private volatile Consumer<byte[], byte[]> consumer;
    private boolean isMember;
    /** Joins in a row that the group has refused. */
    private int refusals;
    private final CountDownLatch joined = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("worker-poll").unstarted(this::run);

    PollThread(
            WorkerCore core, AttemptRunner runner, CommitThread committer, WorkerMetrics metrics, Topics topics,
            Duration drainGrace, Supplier<Consumer<byte[], byte[]>> consumers,
            WorkerPools pools, EarlyCommits earlyCommits, Outage outage,
            java.util.function.Consumer<Throwable> onFailure) {
        this.core = core;
        this.runner = runner;
        this.committer = committer;
        this.metrics = metrics;
        this.topics = topics;
        this.leaveGraceMillis = Math.min(drainGrace.toMillis(), MOST_LEAVE_GRACE_MILLIS);
        this.consumers = consumers;
        this.pools = pools;
        this.earlyCommits = earlyCommits;
        this.consumer = consumers.get();
        this.outage = outage;
        this.onFailure = onFailure;
        this.laneOfTopic = Lane.WORKED.stream()
                .collect(Collectors.toUnmodifiableMap(topics::lane, Function.identity()));
    }

    void start() {
        thread.start();
    }

    /** Waits until the worker has joined its group, with partitions or without; returns whether it has in time. */
    boolean awaitJoined(Duration timeout) throws InterruptedException {
        return joined.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        stopped.countDown();
        if (thread.getState() == Thread.State.NEW) {
            consumer.close(CloseOptions.timeout(Duration.ZERO));
            return;
        }
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
            releaseAll();
        } catch (RuntimeException | Error e) {
            core.stopCommits();
            core.forget(core.partitions());
            // The client wraps what a callback of a rebalance throws.
            onFailure.accept(e.getCause() instanceof WorkerException cause ? cause : e);
        } finally {
            joined.countDown();
            leave();
        }
    }

    private void leave() {
        // A member with a group.instance.id otherwise keeps its partitions for a restart.
        consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }

    private void pollUnlessWoken() {
        try {
            adjustPauses();
            if (pools.takeChange()) {
                consumer.enforceRebalance("the pools of partitions have changed");
            }
            process(repeated("poll", this::pollUnlessPassed), consumer);
        } catch (WakeupException e) {
            LOG.debug("Woken to stop");
        } catch (KafkaException e) {
            if (!KafkaFailure.isRefusal(e)) {
                throw e;
            }
            joinAgain(e);
        }
    }

    /** Joins as another member, because a client whose join was refused for good does not recover. */
    private void joinAgain(KafkaException refusal) {
        isMember = false;
        core.forget(core.partitions());
        for (Optional<KafkaException> failure = Optional.of(refusal); failure.isPresent(); failure = open()) {
            outage.failed("join its group", failure.get());
            if (pause(PAUSE_AFTER_REFUSAL_MILLIS << Math.min(refusals++, MAX_DOUBLINGS))) {
                return;
            }
        }
    }

    private Optional<KafkaException> open() {
        try {
            leave();
            consumer = consumers.get();
            consumer.subscribe(laneOfTopic.keySet(), this);
            return Optional.empty();
        } catch (KafkaException e) {
            return Optional.of(e);
        }
    }

    private ConsumerRecords<byte[], byte[]> pollUnlessPassed() {
        try {
            return poll();
        } catch (OffsetOutOfRangeException e) {
            outage.begins();
            PassedPositions.confirm(consumer, e);
            throw new RebalanceInProgressException("another worker has finished what this one would read");
        }
    }

    /** Polls; waits itself while partitions are paused, because the client would spin (KAFKA-21084). */
    private ConsumerRecords<byte[], byte[]> poll() {
        if (consumer.paused().isEmpty()) {
            return consumer.poll(POLL);
        }
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ZERO);
        if (records.nextOffsets().isEmpty()) {
            pause(PAUSED_POLL_MILLIS);
        }
        return records;
    }

    private <T> T repeated(String action, Supplier<T> call) {
        T result = outage.repeat(action, call, () -> pause(PAUSE_AFTER_FAILURE_MILLIS));
        // A refused member polls in vain before it joins.
        if (isMember) {
            outage.ended();
        }
        return result;
    }

    /** Waits, and returns at once with true when the worker stops. */
    private boolean pause(long millis) {
        try {
            return stopped.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private void process(ConsumerRecords<byte[], byte[]> records, Consumer<byte[], byte[]> from) {
        Set<Lane> withRecords = EnumSet.noneOf(Lane.class);
        records.partitions().forEach(partition -> withRecords.add(laneOfTopic.get(partition.topic())));
        Lane.WORKED.forEach(lane -> metrics.polled(lane, !withRecords.contains(lane)));
        List<OwnedPartition.Polled> polled = new ArrayList<>();
        records.nextOffsets().forEach((partition, next) -> core.owned(partition).ifPresent(
                owned -> polled.add(new OwnedPartition.Polled(owned, records.records(partition), next.offset()))));
        runner.run(core.receive(polled));
        core.takeNotes().forEach(LOG::warn);
        for (OwnedPartition.Polled batch : polled) {
            // This thread is the only one that changes a position.
            long position = batch.partition().position();
            if (position < batch.nextOffset()) {
                unlessLost(() -> from.seek(batch.partition().partition, position));
            }
        }
    }

    /** Runs an action on partitions that the client may have lost already; its callback comes in the next poll. */
    private static void unlessLost(Runnable action) {
        try {
            action.run();
        } catch (IllegalStateException e) {
            LOG.debug("A partition was lost before the next poll: {}", Printable.of(e.getMessage()));
        }
    }

    private void adjustPauses() {
        Set<TopicPartition> full = core.paused();
        Set<TopicPartition> pause = new HashSet<>(consumer.assignment());
        // Until it leaves, a partition of another pool is not read here.
        pause.removeIf(partition -> !full.contains(partition) && pools.handles(partition.partition()));
        Set<TopicPartition> paused = consumer.paused();
        Set<TopicPartition> resume = new HashSet<>(paused);
        resume.removeAll(pause);
        pause.removeAll(paused);
        unlessLost(() -> consumer.pause(pause));
        unlessLost(() -> consumer.resume(resume));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        isMember = true;
        refusals = 0;
        core.updateGroup(consumer.groupMetadata());
        if (!partitions.isEmpty()) {
            takeOver(partitions);
        }
        joined.countDown();
    }

    private void takeOver(Collection<TopicPartition> partitions) {
        outage.begins();
        Map<TopicPartition, OffsetAndMetadata> committed = repeated(
                "read the committed offsets of new partitions", () -> consumer.committed(new HashSet<>(partitions)));
        outage.begins();
        Map<TopicPartition, Long> ends = repeated(
                "read the end offsets of new partitions", () -> consumer.endOffsets(partitions));
        Takeover takeover = new Takeover();
        List<OwnedPartition> owned = partitions.stream().map(partition -> new OwnedPartition(
                partition, laneOfTopic.get(partition.topic()), takeover.progress(
                        partition, Optional.ofNullable(committed.get(partition)), ends.get(partition)))).toList();
        takeover.describe().ifPresent(LOG::info);
        assignments++;
        owned.forEach(partition -> partition.assignment = assignments);
        core.assign(owned);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        LOG.warn("{} partitions were lost without a revocation; their running items may run on another worker as well",
                partitions.size());
        core.forget(partitions);
    }

    /**
     * Waits for the running attempts within the grace, claims the items of those that go on, commits, and forgets the
     * partitions. This member has joined the generation that takes them away, but nobody gets them before it returns
     * and joins the next one.
     */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        core.updateGroup(consumer.groupMetadata());
        release(partitions, () -> {});
    }

    private void releaseAll() {
        // More than once if partitions were assigned meanwhile.
        for (Set<TopicPartition> left = core.partitions(); !left.isEmpty(); left = core.partitions()) {
            release(left, this::endRebalance);
        }
    }

    /**
     * Polls without reading. If this member has joined a generation and does not know its assignment yet, commits are
     * refused until it does.
     */
    private void endRebalance() {
        try {
            consumer.pause(consumer.assignment());
            consumer.poll(POLL);
        } catch (WakeupException e) {
            LOG.debug("Woken to stop");
        }
    }

    private void release(Collection<TopicPartition> partitions, Runnable whenRefused) {
        if (partitions.isEmpty()) {
            return;
        }
        try {
            earlyCommits.await(partitions, this::process);
            core.leave(partitions, leaveGraceMillis);
            core.takeNotes().forEach(LOG::warn);
            committer.commitWhile(() -> core.hasToCommit(partitions), whenRefused);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("The last commit of {} partitions is not confirmed; their latest items may be delivered again",
                    partitions.size());
        }
        core.forget(partitions);
    }
}
