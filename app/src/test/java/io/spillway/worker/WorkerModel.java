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

/** Two workers without their threads and without Kafka: logs and commits are lists and maps. Owner of all; for one thread. */
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
            new TenantPolicies(configuration.defaults()), new Sweeps());
    private final WorkerMetrics metrics = new WorkerMetrics(new SimpleMeterRegistry(), 3, false, tenant -> 0.0);
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs = new LinkedHashMap<>();
    private final Map<TopicPartition, ProgressState> committed = new HashMap<>();
    private final List<ProducerRecord<byte[], byte[]>> delayed = new ArrayList<>();
    private final Set<String> dead = new HashSet<>();
    private final Set<String> handled = new HashSet<>();
    private final Map<TopicPartition, Sim> owners = new HashMap<>();
    private final List<Sim> workers = List.of(new Sim(), new Sim());
    private long nowMillis = 1_700_000_000_000L;
    private int sent;
    private int movesCommitted;
    private int deaths;
    private final ModelLedger books = new ModelLedger();

    WorkerModel(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                TopicPartition place = new TopicPartition(topics.lane(lane), partition);
                logs.put(place, new ArrayList<>());
                committed.put(place, ProgressState.fresh(0));
            }
        }
        workers.forEach(Sim::start);
        logs.keySet().forEach(place -> workers.get(random.nextInt(2)).take(place));
    }

    void step() {
        Sim worker = workers.get(random.nextInt(2));
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
            default -> worker.die();
        }
        worker.core.caughtUp(random.nextBoolean());
        if (random.nextInt(20) == 0) {
            check();
        }
    }

    /** Moves that were committed so far. */
    int movesCommitted() {
        return movesCommitted;
    }

    /** Workers that died so far. */
    int deaths() {
        return deaths;
    }

    void drain() {
        for (int round = 0; round < 3_000 && !isDrained(); round++) {
            nowMillis += 1_000;
            due();
            for (Sim worker : workers) {
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
        assertThat(isDrained()).as("seed %d: everything is finished in the end", seed).isTrue();
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
            append(new ProducerRecord<>(
                    topics.lane(Lane.HOT), random.nextInt(PARTITIONS), nowMillis, ModelLedger.bytes("k"), ModelLedger.bytes(id), headers));
            books.book(headers, ItemState.OUTSIDE, ItemState.HOT);
        }
    }

    /** What the router's delay stage does. */
    private void due() {
        for (int i = random.nextInt(8); i >= 0 && !delayed.isEmpty(); i--) {
            ProducerRecord<byte[], byte[]> item = delayed.remove(random.nextInt(delayed.size()));
            Lane to = random.nextInt(4) == 0 ? Lane.OVERFLOW : Lane.HOT;
            append(new ProducerRecord<>(topics.lane(to),
                    item.partition(), item.timestamp(), item.key(), item.value(), item.headers()));
            books.book(item.headers(), ItemState.DELAY, ItemState.of(to));
        }
    }

    private void append(ProducerRecord<byte[], byte[]> record) {
        List<ConsumerRecord<byte[], byte[]>> log = logs.get(new TopicPartition(record.topic(), record.partition()));
        log.add(new ConsumerRecord<>(record.topic(), record.partition(), log.size(), record.timestamp(),
                TimestampType.CREATE_TIME, record.key().length, record.value().length, record.key(), record.value(),
                record.headers(), Optional.empty()));
    }

    private void check() {
        books.check("seed " + seed, topics, logs, committed, delayed, dead.size());
        ModelLedger.checkPlaces("seed " + seed, logs, committed, delayed, dead, handled);
    }

    /** One worker's core with what its threads would know. */
    private final class Sim {
        private final List<Attempt> running = new ArrayList<>();
        private final Map<TopicPartition, Long> positions = new HashMap<>();
        private WorkerCore core;
        private Optional<CommitBatch> batch = Optional.empty();

        void start() {
            InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
            RetryBudgets budgets = new RetryBudgets(100, RetryBudget.Settings.DEFAULT);
            WorkerEffects effects = new WorkerEffects(
                    new LaneRecords(topics), metrics, clock, configuration.worker().leaseMax().toMillis());
            WorkerEngine<LaneItem, Attempt> engine = new WorkerEngine<>(
                    new DispatchSettings(6, 0.2, 0.05, 30, 1 << 20, 20, true), budgets,
                    configuration.worker().killerDeaths(), gate, effects);
            core = new WorkerCore(
                    gate, engine, effects, clock, () -> nowMillis * 1_000_000, new SplittableRandom(seed));
            core.seen(new MockConsumer<byte[], byte[]>("none").groupMetadata());
            running.clear();
            positions.clear();
            batch = Optional.empty();
        }

        void take(TopicPartition place) {
            ProgressState stored = committed.get(place);
            ProgressState state = ProgressCodec.decode(stored.frontier(), ProgressCodec.encode(stored));
            core.assign(List.of(new OwnedPartition(place, laneOf(place),
                    new PartitionProgress(state, logs.get(place).size(), PartitionProgress.DEFAULT_MAX_UNFINISHED))));
            positions.put(place, state.frontier());
            owners.put(place, this);
        }

        void poll() {
            Set<TopicPartition> paused = core.paused();
            List<Polled> polled = new ArrayList<>();
            for (TopicPartition place : positions.keySet()) {
                int from = positions.get(place).intValue();
                int to = Math.min(logs.get(place).size(), from + random.nextInt(30));
                if (to > from && !paused.contains(place)) {
                    polled.add(new Polled(core.owned(place).orElseThrow(), logs.get(place).subList(from, to), to));
                    positions.put(place, (long) to);
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
                result = new AttemptResult.Failed(OptionalLong.empty(), "told to");
            } else if (dice < 95) {
                result = new AttemptResult.TimedOut(5);
            } else {
                result = new AttemptResult.FailedForGood("told to");
            }
            run(core.ended(attempt, new AttemptEnd(result, 5_000_000)));
        }

        void beginCommit() {
            if (batch.isEmpty()) {
                CommitBatch next = core.batch();
                batch = next.isEmpty() ? Optional.empty() : Optional.of(next);
            }
        }

        /** The transaction ends: for good, when the cluster is willing and every partition in it is still ours. */
        void endCommit(boolean willing) {
            if (batch.isEmpty()) {
                return;
            }
            CommitBatch ended = batch.get();
            batch = Optional.empty();
            if (!willing || !ended.parts().keySet().stream().allMatch(this::isStillOurs)) {
                core.notCommitted(ended);
                return;
            }
            ended.parts().forEach((home, part) -> {
                committed.put(home.partition,
                        ProgressCodec.decode(part.state().frontier(), ProgressCodec.encode(part.state())));
                part.moves().forEach(this::produce);
                part.sums().forEach(LedgerDeltas.LineVisitor.of(books::book));
            });
            run(core.committed(ended));
        }

        /** A partition that went and came back has another epoch, and the cluster refuses commits of the one before. */
        private boolean isStillOurs(OwnedPartition home) {
            return owners.get(home.partition) == this && core.owned(home.partition).filter(now -> now == home).isPresent();
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

        /** One partition in good order to the other worker. */
        void handOver() {
            Optional<TopicPartition> some = positions.keySet().stream().findAny();
            if (some.isEmpty()) {
                return;
            }
            TopicPartition place = some.get();
            while (running.stream().anyMatch(attempt -> attempt.item.home().partition.equals(place))) {
                endOne(random.nextInt(100));
            }
            try {
                core.leave(List.of(place), 0);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            while (core.hasToCommit(List.of(place)) || batch.isPresent()) {
                endCommit(random.nextBoolean());
                beginCommit();
            }
            core.forget(List.of(place));
            positions.remove(place);
            other().take(place);
        }

        /** Partitions are gone before this worker knows: its commits fail, and its attempts go on for a while. */
        void loseSome() {
            List<TopicPartition> lost = positions.keySet().stream().filter(place -> random.nextBoolean()).toList();
            lost.forEach(other()::take);
            if (random.nextBoolean()) {
                beginCommit();
                endCommit(true);
            }
            core.forget(lost);
            positions.keySet().removeAll(lost);
        }

        void die() {
            deaths++;
            Set<TopicPartition> orphans = Set.copyOf(positions.keySet());
            start();
            orphans.forEach(place -> (random.nextBoolean() ? this : other()).take(place));
        }

        private void run(List<Attempt> attempts) {
            for (Attempt attempt : attempts) {
                assertThat(running).as("seed %d: a second attempt beside the first", seed).noneMatch(other ->
                        other.item.home().partition.equals(attempt.item.home().partition)
                                && other.item.offset() == attempt.item.offset());
                running.add(attempt);
            }
        }

        private Sim other() {
            return workers.get(workers.get(0) == this ? 1 : 0);
        }

        private static Lane laneOf(TopicPartition place) {
            return place.topic().endsWith("hot") ? Lane.HOT : place.topic().endsWith("overflow") ? Lane.OVERFLOW : Lane.AGED;
        }
    }
}
