package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.retry.AttemptResult;
import io.spillway.core.retry.RetryBudget;
import io.spillway.core.retry.RetryBudgets;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Model of two workers without threads and without Kafka: logs and commits are lists and maps. Not thread-safe. */
final class WorkerModel {
    private static final int PARTITIONS = 2;
    private static final int TENANTS = 7;

    private final long seed;
    private final Random random;
    private final Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
            "kafka.bootstrapServers", "127.0.0.1:1", "worker.slots", "6",
            "defaults.concurrency", "3", "defaults.attempts", "4"));
    private final Topics topics = new Topics(configuration.queue());
    private final ItemGate gate = new ItemGate(new ItemReader(ItemSchemas.load(), 1 << 20),
            new TenantPolicies(configuration.defaults()), new Sweeps(), () -> 0);
    private final WorkerMetrics metrics = new WorkerMetrics(new SimpleMeterRegistry(), 3, false, tenant -> 0.0);
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs = new LinkedHashMap<>();
    private final Map<TopicPartition, ProgressState> committed = new HashMap<>();
    private final List<ProducerRecord<byte[], byte[]>> delayed = new ArrayList<>();
    private final Set<String> dead = new HashSet<>();
    private final Set<String> handled = new HashSet<>();
    private final Map<TopicPartition, ModelWorker> owners = new HashMap<>();
    private final List<ModelWorker> workers = List.of(new ModelWorker(), new ModelWorker());
    private long nowMillis = 1_700_000_000_000L;
    private int sent;
    private int movesCommitted;
    private int crashes;
    private final ModelLedger ledger = new ModelLedger();

    WorkerModel(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED)) {
            for (int number = 0; number < PARTITIONS; number++) {
                TopicPartition partition = new TopicPartition(topics.lane(lane), number);
                logs.put(partition, new ArrayList<>());
                committed.put(partition, ProgressState.fresh(0));
            }
        }
        workers.forEach(ModelWorker::start);
        logs.keySet().forEach(partition -> workers.get(random.nextInt(2)).take(partition));
    }

    void step() {
        ModelWorker worker = workers.get(random.nextInt(2));
        nowMillis += random.nextInt(20);
        switch (random.nextInt(40)) {
            case 0, 1, 2 -> send();
            case 3, 4, 5, 6, 7, 8, 9 -> worker.poll();
            case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 -> worker.endOne(random.nextInt(100));
            case 24, 25, 26, 27, 28 -> worker.beginCommit();
            case 29, 30, 31, 32, 33, 34 -> worker.endCommit(random.nextInt(8) > 0);
            case 35, 36 -> due();
            case 37 -> worker.handOver();
            case 38 -> worker.loseSome();
            default -> worker.crash();
        }
        worker.core.caughtUp(random.nextBoolean());
        if (random.nextInt(20) == 0) {
            check();
        }
    }

    int movesCommitted() {
        return movesCommitted;
    }

    int crashes() {
        return crashes;
    }

    void drain() {
        for (int round = 0; round < 3_000 && !isDrained(); round++) {
            nowMillis += 1_000;
            due();
            for (ModelWorker worker : workers) {
                worker.poll();
                while (!worker.running.isEmpty()) {
                    worker.endOne(0);
                }
                worker.endCommit(true);
                worker.beginCommit();
                worker.endCommit(true);
                worker.core.caughtUp(true);
            }
        }
        check();
        assertThat(isDrained()).as("seed %d: all items are finished at the end", seed).isTrue();
    }

    private boolean isDrained() {
        return delayed.isEmpty() && logs.entrySet().stream()
                .allMatch(log -> committed.get(log.getKey()).frontier() == log.getValue().size());
    }

    private void send() {
        int burst = random.nextInt(4) == 0 ? 40 : 3;
        for (int i = random.nextInt(burst); i >= 0; i--) {
            String id = "item-" + sent++;
            Headers headers = new RecordHeaders()
                    .add(ItemHeaders.TENANT, ModelLedger.bytes("tenant-" + (burst == 40 ? 0 : random.nextInt(TENANTS))))
                    .add(ItemHeaders.ID, ModelLedger.bytes(id))
                    .add(ItemHeaders.ENQUEUED_AT, ModelLedger.bytes(Long.toString(nowMillis)));
            append(new ProducerRecord<>(topics.lane(Lane.HOT), random.nextInt(PARTITIONS), nowMillis,
                    ModelLedger.bytes("k"), ModelLedger.bytes(id), headers));
            ledger.add(headers, ItemState.OUTSIDE, ItemState.HOT);
        }
    }

    /** Does the work of the router's delay stage. */
    private void due() {
        for (int i = random.nextInt(8); i >= 0 && !delayed.isEmpty(); i--) {
            ProducerRecord<byte[], byte[]> item = delayed.remove(random.nextInt(delayed.size()));
            Lane to = random.nextInt(4) == 0 ? Lane.OVERFLOW : Lane.HOT;
            append(new ProducerRecord<>(topics.lane(to),
                    item.partition(), item.timestamp(), item.key(), item.value(), item.headers()));
            ledger.add(item.headers(), ItemState.DELAY, ItemState.of(to));
        }
    }

    private void append(ProducerRecord<byte[], byte[]> record) {
        List<ConsumerRecord<byte[], byte[]>> log = logs.get(new TopicPartition(record.topic(), record.partition()));
        log.add(new ConsumerRecord<>(record.topic(), record.partition(), log.size(), record.timestamp(),
                TimestampType.CREATE_TIME, record.key().length, record.value().length, record.key(), record.value(),
                record.headers(), Optional.empty()));
    }

    private void check() {
        ledger.check("seed " + seed, topics, logs, committed, delayed, dead.size());
        ModelLedger.checkLanes("seed " + seed, logs, committed, delayed, dead, handled);
    }

    /** Core of one worker, with the state of its threads. */
    private final class ModelWorker {
        private final List<Attempt> running = new ArrayList<>();
        private final Map<TopicPartition, Long> positions = new HashMap<>();
        private WorkerCore core;
        private Optional<CommitBatch> batch = Optional.empty();

        void start() {
            InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
            RetryBudgets budgets = new RetryBudgets(100, RetryBudget.Settings.DEFAULT);
            WorkerEffects effects = new WorkerEffects(new LaneRecords(topics), metrics, clock,
                    () -> nowMillis * 1_000_000, configuration.worker().leaseMax().toMillis());
            WorkerEngine<LaneItem, Attempt> engine = new WorkerEngine<>(
                    new DispatchSettings(6, 0.2, 0.05, 30, 1 << 20, 20, true), budgets,
                    configuration.worker().killerDeaths(), gate, effects);
            core = new WorkerCore(
                    gate, engine, effects, clock, () -> nowMillis * 1_000_000, new SplittableRandom(seed));
            core.updateGroup(new MockConsumer<byte[], byte[]>("none").groupMetadata());
            running.clear();
            positions.clear();
            batch = Optional.empty();
        }

        void take(TopicPartition partition) {
            ProgressState stored = committed.get(partition);
            ProgressState state = ProgressCodec.decode(stored.frontier(), ProgressCodec.encode(stored));
            core.assign(List.of(new OwnedPartition(partition, laneOf(partition),
                    new PartitionProgress(
                            state, logs.get(partition).size(), PartitionProgress.DEFAULT_MAX_UNFINISHED))));
            positions.put(partition, state.frontier());
            owners.put(partition, this);
        }

        void poll() {
            Set<TopicPartition> paused = core.paused();
            List<Polled> polled = new ArrayList<>();
            for (TopicPartition partition : positions.keySet()) {
                int from = positions.get(partition).intValue();
                int to = Math.min(logs.get(partition).size(), from + random.nextInt(30));
                if (to > from && !paused.contains(partition)) {
                    polled.add(new Polled(
                            core.owned(partition).orElseThrow(), logs.get(partition).subList(from, to), to));
                    positions.put(partition, (long) to);
                }
            }
            run(core.receive(polled));
        }

        void endOne(int dice) {
            if (running.isEmpty()) {
                return;
            }
            Attempt attempt = running.remove(random.nextInt(running.size()));
            Attempt.Interruption interruption = attempt.finish();
            AttemptResult result;
            if (interruption != Attempt.Interruption.NONE) {
                result = new AttemptResult.Interrupted();
            } else if (dice < 70) {
                result = new AttemptResult.Succeeded();
                handled.add(ModelLedger.id(attempt.item.record().value()));
            } else if (dice < 90) {
                result = new AttemptResult.Failed(OptionalLong.empty(), "as requested");
            } else if (dice < 95) {
                result = new AttemptResult.TimedOut(5);
            } else {
                result = new AttemptResult.PermanentFailure("as requested");
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
            if (!accepted || !ended.parts().keySet().stream().allMatch(this::isStillOwned)) {
                core.notCommitted(ended);
                return;
            }
            ended.parts().forEach((owned, part) -> {
                committed.put(owned.partition,
                        ProgressCodec.decode(part.state().frontier(), ProgressCodec.encode(part.state())));
                part.moves().forEach(this::produce);
                part.deltas().forEach(LedgerDeltas.LineVisitor.of(ledger::add));
            });
            run(core.committed(ended));
        }

        /** A partition that was lost and came back has a new epoch, and the cluster refuses commits of the old one. */
        private boolean isStillOwned(OwnedPartition owned) {
            return owners.get(owned.partition) == this
                    && core.owned(owned.partition).filter(now -> now == owned).isPresent();
        }

        private void produce(ProducerRecord<byte[], byte[]> move) {
            movesCommitted++;
            if (move.topic().equals(topics.lane(Lane.DELAY))) {
                delayed.add(move);
            } else if (move.topic().equals(topics.lane(Lane.DEAD_LETTER))) {
                dead.add(ModelLedger.id(move.value()));
            } else {
                append(move);
            }
        }

        /** Releases one partition in order to the other worker. */
        void handOver() {
            if (positions.isEmpty()) {
                return;
            }
            TopicPartition partition = positions.keySet().iterator().next();
            while (running.stream().anyMatch(attempt -> attempt.item.owned().partition.equals(partition))) {
                endOne(random.nextInt(100));
            }
            try {
                core.leave(List.of(partition), 0);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            while (core.hasToCommit(List.of(partition)) || batch.isPresent()) {
                endCommit(random.nextBoolean());
                beginCommit();
            }
            core.forget(List.of(partition));
            positions.remove(partition);
            other().take(partition);
        }

        /** Loses partitions without notice: the commits of this worker fail, and its attempts continue for a while. */
        void loseSome() {
            List<TopicPartition> lost = positions.keySet().stream().filter(partition -> random.nextBoolean()).toList();
            lost.forEach(other()::take);
            if (random.nextBoolean()) {
                beginCommit();
                endCommit(true);
            }
            core.forget(lost);
            positions.keySet().removeAll(lost);
        }

        void crash() {
            crashes++;
            Set<TopicPartition> orphans = Set.copyOf(positions.keySet());
            start();
            orphans.forEach(partition -> (random.nextBoolean() ? this : other()).take(partition));
        }

        private void run(List<Attempt> attempts) {
            for (Attempt attempt : attempts) {
                assertThat(running).as("seed %d: two attempts of one item at the same time", seed).noneMatch(other ->
                        other.item.owned().partition.equals(attempt.item.owned().partition)
                                && other.item.offset() == attempt.item.offset());
                running.add(attempt);
            }
        }

        private ModelWorker other() {
            return workers.get(workers.get(0) == this ? 1 : 0);
        }

        private static Lane laneOf(TopicPartition partition) {
            String topic = partition.topic();
            return topic.endsWith("hot") ? Lane.HOT : topic.endsWith("overflow") ? Lane.OVERFLOW : Lane.AGED;
        }
    }
}
