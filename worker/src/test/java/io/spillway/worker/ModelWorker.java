package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.view.LoweredLimits;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Core of one worker, with the state of its threads. */
final class ModelWorker implements ModelProducer.Cluster {
    private final WorkerModel model;
    final List<Attempt> running = new ArrayList<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    WorkerCore core;
    private WorkerTransactions transactions;
    private int callsUntilFailure;
    private boolean losesAnswer;
    private boolean isRefused;
    private Optional<CommitBatch> batch = Optional.empty();

    ModelWorker(WorkerModel model) {
        this.model = model;
    }

    void start() {
        InstantSource clock = () -> Instant.ofEpochMilli(model.nowMillis);
        DestinationHealth health = new DestinationHealth(100);
        LongSupplier nanoClock = () -> model.nowMillis * 1_000_000;
        Outbox outbox = new Outbox(Placements.records(model.topics, WorkerModel.PARTITIONS), model.metrics, clock,
                "worker-" + ++model.starts);
        WorkerEngine<LaneItem, Attempt> engine = new WorkerEngine<>(
                new DispatchSettings(6, 0.2, 0.05, 0.05, 30, 1 << 20, 20, true), health,
                model.settings.killerDeaths(), model.gate,
                Attempt.factory(clock, nanoClock, model.settings.leaseMax()));
        core = new WorkerCore(
                model.gate, engine, outbox, () -> Integer.MAX_VALUE, clock, nanoClock,
                new SplittableRandom(model.seed));
        core.updateGroup(new MockConsumer<byte[], byte[]>("none").groupMetadata());
        transactions = new WorkerTransactions(
                () -> new ModelProducer(this), model::committed, new LedgerWriter(model.topics),
                new SameName("model", Map::of), new Outage(Duration.ofHours(1), () -> 0),
                new LoweredLimits(Map::of));
        running.clear();
        positions.clear();
        batch = Optional.empty();
    }

    void take(TopicPartition partition) {
        ProgressState stored = model.committed.get(partition);
        ProgressState state = ProgressCodec.decode(stored.frontier(), ProgressCodec.encode(stored));
        core.assign(List.of(new OwnedPartition(partition, laneOf(partition),
                new PartitionProgress(
                        state, model.logs.get(partition).size(), PartitionProgress.DEFAULT_MAX_UNFINISHED))));
        positions.put(partition, state.frontier());
        model.owners.put(partition, this);
    }

    void poll() {
        Set<TopicPartition> paused = core.paused();
        List<OwnedPartition.Polled> polled = new ArrayList<>();
        for (TopicPartition partition : positions.keySet()) {
            int from = positions.get(partition).intValue();
            int to = Math.min(model.logs.get(partition).size(), from + model.random.nextInt(30));
            if (to > from && !paused.contains(partition)) {
                polled.add(new OwnedPartition.Polled(
                        core.owned(partition).orElseThrow(), model.logs.get(partition).subList(from, to), to));
                positions.put(partition, (long) to);
            }
        }
        run(core.receive(polled));
        polled.forEach(each -> positions.put(each.partition().partition, each.partition().position()));
    }

    void endOne(int dice) {
        if (running.isEmpty()) {
            return;
        }
        Attempt attempt = running.remove(model.random.nextInt(running.size()));
        Attempt.Interruption interruption = attempt.finish();
        Outcome result;
        if (interruption == Attempt.Interruption.LEASE_ENDED) {
            result = new Outcome.TimedOut(Duration.ofSeconds(30));
        } else if (interruption == Attempt.Interruption.PARTITION_LEFT) {
            result = new Outcome.Interrupted();
        } else if (dice < 70) {
            result = Outcome.done();
            model.handled.add(ModelLedger.id(attempt.item.record().value()));
        } else if (dice < 90) {
            result = Outcome.retry("as requested");
        } else if (dice < 95) {
            result = new Outcome.TimedOut(Duration.ofMillis(5));
        } else {
            result = Outcome.dead("as requested");
        }
        run(core.ended(attempt, result));
    }

    void beginCommit() {
        if (batch.isEmpty()) {
            CommitBatch next = core.batch();
            batch = next.isEmpty() ? Optional.empty() : Optional.of(next);
        }
    }

    /** Ends the transaction: it is committed when the cluster accepts it and all its partitions are still owned. */
    void endCommit(boolean accepted) {
        if (batch.isEmpty()) {
            return;
        }
        CommitBatch ended = batch.get();
        batch = Optional.empty();
        callsUntilFailure = accepted ? Integer.MAX_VALUE : model.random.nextInt(12);
        losesAnswer = model.random.nextInt(10) == 0;
        isRefused = !ended.parts().keySet().stream().allMatch(this::isStillOwned);
        try {
            if (transactions.commit(ended, owned -> true, () -> false)) {
                run(core.committed(ended));
            } else {
                core.notCommitted(ended);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void called(String method) {
        if (isRefused && method.equals("sendOffsetsToTransaction")) {
            throw new CommitFailedException("the partition has another owner");
        }
        if (--callsUntilFailure == 0) {
            // The abort may fail too, and then the producer is replaced.
            callsUntilFailure = 1 + model.random.nextInt(2);
            throw new KafkaException(method + " fails");
        }
    }

    @Override
    public void committed(
            List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, progress) ->
                model.committed.put(partition, ProgressCodec.decode(progress.offset(), progress.metadata())));
        records.forEach(this::produce);
    }

    @Override
    public void answered() {
        if (losesAnswer) {
            model.answersLost++;
            losesAnswer = false;
            // The abort fails: the producer is in its error state.
            callsUntilFailure = 1;
            throw new KafkaException("the result of the commit is unknown");
        }
    }

    /** A partition that was lost and came back has a new epoch, and the cluster refuses commits of the old one. */
    private boolean isStillOwned(OwnedPartition owned) {
        return model.owners.get(owned.partition) == this
                && core.owned(owned.partition).filter(now -> now == owned).isPresent();
    }

    private void produce(ProducerRecord<byte[], byte[]> move) {
        if (move.topic().equals(model.topics.ledger())) {
            LedgerCodec.read(move.value(), model.ledger::add);
            return;
        }
        model.movesCommitted++;
        if (move.topic().equals(model.topics.lane(Lane.DELAY))) {
            model.delay(move);
        } else if (move.topic().equals(model.topics.lane(Lane.DEAD_LETTER))) {
            model.dead.add(ModelLedger.id(move.value()));
        } else {
            model.append(move);
        }
    }

    /** Releases one partition in order to the other worker. */
    void handOver() {
        if (positions.isEmpty()) {
            return;
        }
        TopicPartition partition = positions.keySet().iterator().next();
        boolean endsAll = model.random.nextBoolean();
        while (endsAll && running.stream().anyMatch(attempt -> attempt.item.owned().partition.equals(partition))) {
            endOne(model.random.nextInt(100));
        }
        try {
            core.leave(List.of(partition), 0);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        while (core.hasToCommit(List.of(partition))) {
            endCommit(model.random.nextBoolean());
            beginCommit();
        }
        core.forget(List.of(partition));
        positions.remove(partition);
        other().take(partition);
    }

    /** Loses partitions without notice: the commits of this worker fail, and its attempts continue for a while. */
    void loseSome() {
        List<TopicPartition> lost =
                positions.keySet().stream().filter(partition -> model.random.nextBoolean()).toList();
        lost.forEach(other()::take);
        if (model.random.nextBoolean()) {
            beginCommit();
            endCommit(true);
        }
        core.forget(lost);
        positions.keySet().removeAll(lost);
    }

    void crash() {
        model.crashes++;
        Set<TopicPartition> orphans = Set.copyOf(positions.keySet());
        start();
        orphans.forEach(partition -> (model.random.nextBoolean() ? this : other()).take(partition));
    }

    private void run(List<Attempt> attempts) {
        for (Attempt attempt : attempts) {
            assertThat(running).as("seed %d: two attempts of one item at the same time", model.seed).noneMatch(other ->
                    other.item.owned().partition.equals(attempt.item.owned().partition)
                            && other.item.offset() == attempt.item.offset());
            String id = ModelLedger.id(attempt.item.record().value());
            assertThat(model.workers.stream().flatMap(worker -> worker.running.stream())
                    .filter(other -> ModelLedger.id(other.item.record().value()).equals(id)))
                    .as("seed %d: %s starts while an attempt of it has a lease", model.seed, id)
                    .noneMatch(other -> other.isClaimHeld() && !other.isInterrupted()
                            && other.endsAt().toEpochMilli() > model.nowMillis);
            running.add(attempt);
        }
    }

    /** Ends leases as the worker does every few milliseconds. */
    void endLeases() {
        core.count(attempt -> attempt.interruptIfOverdue(model.nowMillis * 1_000_000));
    }

    private ModelWorker other() {
        return model.workers.get(model.workers.get(0) == this ? 1 : 0);
    }

    private static Lane laneOf(TopicPartition partition) {
        String topic = partition.topic();
        return topic.endsWith("hot") ? Lane.HOT : topic.endsWith("overflow") ? Lane.OVERFLOW : Lane.AGED;
    }
}
