package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Model of two workers without threads and without Kafka: logs and commits are lists and maps. Not thread-safe. */
final class WorkerModel {
    static final int PARTITIONS = 2;
    private static final int TENANTS = 7;

    final long seed;
    final Random random;
    final PolicySettings defaults = PolicySettings.NONE_SET
            .with(PolicyField.CONCURRENCY, "3").with(PolicyField.ATTEMPTS, "4");
    final WorkerSettings settings = new SettingsBinder(Map.of()).bind(WorkerSettings.class);
    final Topics topics = new Topics(new SettingsBinder(Map.of()).bind(QueueSettings.class));
    final ItemGate gate = new ItemGate(new ItemReader(ItemSchemas.load(), 1 << 20),
            new TenantPolicies(defaults), new Sweeps(), item -> false, () -> 0);
    final WorkerMetrics metrics = new WorkerMetrics(
            new SimpleMeterRegistry(), 3, tenant -> false, Duration.ofMinutes(5), InstantSource.system());
    final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs = new LinkedHashMap<>();
    final Map<TopicPartition, ProgressState> committed = new HashMap<>();
    final List<ProducerRecord<byte[], byte[]>> delayed = new ArrayList<>();
    final Set<String> dead = new HashSet<>();
    final Set<String> handled = new HashSet<>();
    final Map<TopicPartition, ModelWorker> owners = new HashMap<>();
    final List<ModelWorker> workers = List.of(new ModelWorker(this), new ModelWorker(this));
    long nowMillis = 1_700_000_000_000L;
    private int sent;
    int movesCommitted;
    int crashes;
    int answersLost;
    int starts;
    int claimed;
    int refused;
    int expired;
    final ModelLedger ledger = new ModelLedger();

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
        nowMillis += random.nextInt(random.nextInt(12) == 0 ? 5_500 : 20);
        worker.endLeases();
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

    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        return partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> {
            ProgressState state = committed.get(partition);
            return new OffsetAndMetadata(state.frontier(), ProgressCodec.encode(state));
        }));
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
            workers.forEach(ModelWorker::endLeases);
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
        assertThat(isDrained()).as("seed %d: all items are finished at the end; %s", seed, open()).isTrue();
    }

    /** Returns what is not finished. */
    private String open() {
        List<String> open = new ArrayList<>();
        delayed.forEach(record -> open.add(ModelLedger.id(record.value()) + " in delay, claim " + claim(record)));
        logs.forEach((partition, log) -> {
            ProgressState state = committed.get(partition);
            log.stream().filter(record -> record.offset() >= state.readTo()
                            || state.unfinished().contains(record.offset()))
                    .forEach(record -> open.add(ModelLedger.id(record.value()) + " at " + partition + "-"
                            + record.offset() + " of " + workers.indexOf(owners.get(partition)) + ", " + state));
        });
        workers.forEach(worker -> open.add(worker.core.count(attempt -> true) + " attempts, "
                + worker.core.read(WorkerEngine::suspects) + " suspects, "
                + Lane.WORKED.stream().map(lane -> worker.core.read(engine -> engine.waiting(lane))).toList()
                + " waiting, paused " + worker.core.paused()));
        return String.join("; ", open);
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
            if (item.headers().lastHeader(ItemHeaders.CLAIM) != null) {
                if (ItemHeaders.number(item.headers(), ItemHeaders.DUE).orElseThrow() > nowMillis) {
                    delayed.add(item);
                    continue;
                }
                expired++;
                long losses = ItemHeaders.number(item.headers(), ItemHeaders.LOST).orElse(0) + 1;
                item.headers().remove(ItemHeaders.CLAIM).remove(ItemHeaders.LOST)
                        .add(ItemHeaders.LOST, ModelLedger.bytes(Long.toString(losses)));
            }
            Lane to = random.nextInt(4) == 0 ? Lane.OVERFLOW : Lane.HOT;
            append(new ProducerRecord<>(topics.lane(to),
                    item.partition(), item.timestamp(), item.key(), item.value(), item.headers()));
            ledger.add(item.headers(), ItemState.DELAY, ItemState.of(to));
        }
    }

    /** Takes a record of the delay lane: an item, or what becomes of a claimed one. */
    void delay(ProducerRecord<byte[], byte[]> record) {
        Optional<ClaimResult> result = ClaimResult.of(record.headers());
        if (result.isEmpty()) {
            claimed += record.headers().lastHeader(ItemHeaders.CLAIM) == null ? 0 : 1;
            delayed.add(record);
            return;
        }
        Optional<ProducerRecord<byte[], byte[]>> found = delayed.stream()
                .filter(item -> claim(item).isPresent() && claim(item).equals(claim(record))).findAny();
        if (found.isEmpty()) {
            refused++;
            return;
        }
        ProducerRecord<byte[], byte[]> item = found.get();
        boolean goesOnChanged = result.get() == ClaimResult.DELAYED || result.get() == ClaimResult.DEAD;
        Headers headers = new RecordHeaders(goesOnChanged ? record.headers() : item.headers());
        headers.remove(ItemHeaders.CLAIM_RESULT);
        delayed.remove(item);
        switch (result.get()) {
            case DONE -> ledger.add(headers, ItemState.DELAY, ItemState.DONE);
            case DEAD -> {
                ledger.addDead(headers, ItemState.DELAY);
                dead.add(ModelLedger.id(item.value()));
            }
            case DELAYED, RELEASED -> delayed.add(with(item, headers.remove(ItemHeaders.CLAIM)));
            case RENEWED -> delayed.add(with(item, headers.remove(ItemHeaders.DUE)
                    .add(record.headers().lastHeader(ItemHeaders.DUE))));
            case EXPIRED -> throw new AssertionError("workers do not write this");
        }
    }

    private static Optional<String> claim(ProducerRecord<byte[], byte[]> record) {
        return ItemHeaders.text(record.headers(), ItemHeaders.CLAIM);
    }

    private static ProducerRecord<byte[], byte[]> with(ProducerRecord<byte[], byte[]> item, Headers headers) {
        return new ProducerRecord<>(
                item.topic(), item.partition(), item.timestamp(), item.key(), item.value(), headers);
    }

    void append(ProducerRecord<byte[], byte[]> record) {
        List<ConsumerRecord<byte[], byte[]>> log = logs.get(new TopicPartition(record.topic(), record.partition()));
        log.add(new ConsumerRecord<>(record.topic(), record.partition(), log.size(), record.timestamp(),
                TimestampType.CREATE_TIME, record.key().length, record.value().length, record.key(), record.value(),
                record.headers(), Optional.empty()));
    }

    private void check() {
        ledger.check("seed " + seed, topics, logs, committed, delayed, dead.size());
        ModelLedger.checkLanes("seed " + seed, logs, committed, delayed, dead, handled);
    }
}
