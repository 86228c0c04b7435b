package io.spillway.worker;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.handler.Handler;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.tracing.Tracing;
import io.spillway.worker.group.WorkerPools;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Core of one worker with a read-ahead of 4,000 items, and what its threads need. */
final class CoreScene {
    static final long NOW_MILLIS = 1_700_000_000_000L;

    final PolicySettings defaults = PolicySettings.NONE_SET.with(PolicyField.ATTEMPTS, "4");
    final Topics topics;
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final WorkerMetrics metrics = new WorkerMetrics(
            registry, 3, tenant -> false, Duration.ofMinutes(5), InstantSource.system());
    final TenantPolicies policies;
    final Sweeps sweeps = new Sweeps();
    /** Limits of topics in the cluster that are lower than declared. */
    final Map<String, Integer> lowered = new HashMap<>();
    final LoweredLimits limits = new LoweredLimits(() -> lowered);
    final List<Throwable> failures = new ArrayList<>();
    final WorkerPools pools = new WorkerPools("shared", Collections::emptySortedMap);
    final WorkerCore core;
    long nowMillis = NOW_MILLIS;
    long nowNanos;
    /** Most attempts at one time, as a handler on demand sets it. */
    int limit = Integer.MAX_VALUE;
    /** Most items in a call. */
    int batchItems = 1;

    CoreScene(int readAheadBytes) {
        this(readAheadBytes, "none");
    }

    /** @param trail how long finished items are kept, or none */
    CoreScene(int readAheadBytes, String trail) {
        topics = new Topics(new SettingsBinder(Map.of("topics.trail", trail)).bind(QueueSettings.class));
        policies = new TenantPolicies(defaults);
        InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
        ItemGate gate = new ItemGate(new ItemReader(ItemSchemas.load(), 1 << 20),
                policies, sweeps, item -> false, () -> 0);
        Outbox outbox = new Outbox(Placements.records(topics, limits, topics.partitions(), policies),
                metrics, clock, "worker-1");
        WorkerEngine<LaneItem, Attempt> engine = new WorkerEngine<>(
                new DispatchSettings(50, 0.2, 0.05, 0.05, 4_000, readAheadBytes, 100, true),
                new DestinationHealth(100), 3, gate, Attempt.factory(clock, () -> nowNanos, Duration.ofMinutes(1)),
                first -> batchItems);
        core = new WorkerCore(gate, engine, outbox, () -> limit, clock, () -> nowNanos,
                new SplittableRandom(1));
        core.updateGroup(new MockConsumer<byte[], byte[]>("none").groupMetadata());
    }

    AttemptRunner runner(Handler handler) {
        return runner(handler, Tracing.OFF);
    }

    AttemptRunner runner(Handler handler, Tracing tracing) {
        return runner(handler, tracing, Drills.of(false, InstantSource.system()));
    }

    AttemptRunner runner(Handler handler, Tracing tracing, Drills drills) {
        return new AttemptRunner(handler, drills, metrics, new HandlingStats(0), core, tracing, topics.workerGroup(),
                () -> nowNanos, failures::add);
    }

    /** Takes over a partition of hot whose log ends at this offset. */
    OwnedPartition take(int number, ProgressState state, long end) {
        return take(Lane.HOT, number, state, end);
    }

    /** Takes over a partition of a lane whose log ends at this offset. */
    OwnedPartition take(Lane lane, int number, ProgressState state, long end) {
        TopicPartition partition = new TopicPartition(topics.lane(lane), number);
        core.assign(List.of(new OwnedPartition(partition, lane,
                new PartitionProgress(state, end, PartitionProgress.DEFAULT_MAX_UNFINISHED))));
        return core.owned(partition).orElseThrow();
    }

    /** Lets time pass in which the worker polls, and finds nothing. */
    void advance(long millis) {
        for (long leftMillis = millis; leftMillis > 0; leftMillis -= 1_000) {
            sleep(Math.min(leftMillis, 1_000));
            core.receive(List.of());
        }
    }

    /** Lets time pass in which the process is suspended. */
    void sleep(long millis) {
        nowMillis += millis;
        nowNanos += millis * 1_000_000;
    }

    /** Commits everything, without a producer. */
    void commit() {
        core.committed(core.batch());
    }

    boolean isPaused(OwnedPartition owned) {
        return core.paused().contains(owned.partition);
    }

    /** Polls records; returns the attempts that start. */
    List<Attempt> poll(OwnedPartition owned, List<ConsumerRecord<byte[], byte[]>> records) {
        return core.receive(List.of(new OwnedPartition.Polled(owned, records, records.getLast().offset() + 1)));
    }

    static ConsumerRecord<byte[], byte[]> item(OwnedPartition owned, long offset, String tenant, int headerBytes) {
        Headers headers = new RecordHeaders()
                .add(ItemHeaders.TENANT, ModelLedger.bytes(tenant))
                .add(ItemHeaders.ID, ModelLedger.bytes("item-" + offset))
                .add(ItemHeaders.ENQUEUED_AT, ModelLedger.bytes(Long.toString(NOW_MILLIS)))
                .add("note", new byte[headerBytes]);
        return record(owned, offset, headers);
    }

    /** Returns a record that contains no item. */
    static ConsumerRecord<byte[], byte[]> bad(OwnedPartition owned, long offset, int headerBytes) {
        return record(owned, offset, new RecordHeaders().add("note", new byte[headerBytes]));
    }

    private static ConsumerRecord<byte[], byte[]> record(OwnedPartition owned, long offset, Headers headers) {
        byte[] value = {1};
        return new ConsumerRecord<>(owned.partition.topic(), owned.partition.partition(), offset, NOW_MILLIS,
                TimestampType.CREATE_TIME, -1, value.length, null, value, headers, Optional.empty());
    }
}
