package io.spillway.router;

import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.stage.LaneStage;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.Stores;

/** Topology of the router with a name for every node. All records are bytes, so no serializer can fail. */
final class RouterTopology {
    private static final String INGRESS = "ingress";
    private static final String SOURCE = "source";
    private static final String ROUTE = "route";
    private static final String DELAY = "delayed";
    private static final String DUE = "due";
    private static final String SHARD_REQUESTS = "shard-asked";
    private static final String SHARD = "shard";
    private static final String SHARDS = "shards";
    private static final String SCHEDULED = "scheduled";
    private static final String SCHEDULE = "schedule";
    private static final String FIRED = "fired";
    private static final String LEDGER = "ledger";
    private static final String FOLD = "fold";
    private static final String DEPTHS = "depths";

    /** Display names of the stages by their only processor. */
    static final Map<String, String> STAGES =
            Map.of(
            ROUTE, "route stage", DUE, "delay stage", FOLD, "ledger fold", SHARD, "shard stage",
            SCHEDULE, "schedule stage");

    private RouterTopology() {}

    /** Creators of the stages' processors, one for each partition that a stage reads. That of shards may be unused. */
    record Processors(
            ProcessorSupplier<byte[], byte[], byte[], PartitionedValue> route,
            ProcessorSupplier<byte[], byte[], byte[], PartitionedValue> delay,
            ProcessorSupplier<byte[], byte[], byte[], byte[]> fold,
            ProcessorSupplier<byte[], byte[], byte[], byte[]> shard,
            ProcessorSupplier<byte[], byte[], byte[], PartitionedValue> schedule) {}

    /**
     * Builds the topology, with the shard stage where shards are assigned.
     *
     * <p>The route and delay stages share no node. If they shared sinks, Kafka Streams would combine the ingress
     * partition and the delay partition of the same number into one task. It would read both in timestamp order and
     * route nothing while the timers are restored. For the same reason only the route stage, which every item passes,
     * requests shards.
     *
     * <p>The ledger is written outside the topology, see {@link io.spillway.router.ledger.LedgerRecorder}.
     */
    static Topology build(Topics topics, Processors processors) {
        return build(topics, processors, Stores::persistentKeyValueStore);
    }

    /** Builds the same topology with another kind of stores for timers and balances. */
    static Topology build(
            Topics topics, Processors processors, Function<String, KeyValueBytesStoreSupplier> stores) {
        Topology topology = new Topology();
        addStage(topology, INGRESS, topics.ingress(), ROUTE, processors.route());
        addRouteSinks(topology, topics);
        addStage(topology, DELAY, topics.lane(Lane.DELAY), DUE, processors.delay());
        // A window store does not fit: its segments expire by stream time.
        addStore(topology, stores.apply(Topics.TIMER_STORE), topics.timersChangelogConfigs(), DUE);
        for (Lane lane : Lane.values()) {
            addLaneSink(topology, LaneStage.DELAY, topics, lane, DUE);
        }
        if (topics.keepsTrail()) {
            addTrailSink(topology, LaneStage.DELAY, topics, DUE);
        }
        addStage(topology, LEDGER, topics.ledger(), FOLD, processors.fold());
        addStore(topology, stores.apply(Topics.BALANCE_STORE), topics.compactedConfigs(), FOLD);
        topology.addSink(DEPTHS, topics.depths(), new ByteArraySerializer(), new ByteArraySerializer(), FOLD);
        // Its items come back as those of any producer: the route stage reads them in another transaction.
        addStage(topology, SCHEDULED, topics.schedules(), SCHEDULE, processors.schedule());
        addStore(topology, stores.apply(Topics.SCHEDULE_STORE), topics.compactedConfigs(), SCHEDULE);
        topology.addSink(FIRED, topics.ingress(), new ByteArraySerializer(), PartitionedValue.serializer(),
                PartitionedValue.partitioner(topics.partitions()), SCHEDULE);
        if (topics.assignsShards()) {
            // One task, because this topic has one partition.
            addStage(topology, SHARD_REQUESTS, topics.shardRequests(), SHARD, processors.shard());
            addStore(
                    topology, Stores.inMemoryKeyValueStore(Topics.SHARD_STORE), topics.compactedConfigs(), SHARD);
            topology.addSink(SHARDS, topics.shards(), new ByteArraySerializer(), new ByteArraySerializer(), SHARD);
        }
        return topology;
    }

    /** Builds the topology of a source: its route stage alone, in front of the same lanes. */
    static Topology build(
            Topics topics, String source, ProcessorSupplier<byte[], byte[], byte[], PartitionedValue> route) {
        Topology topology = new Topology();
        addStage(topology, SOURCE, source, ROUTE, route);
        addRouteSinks(topology, topics);
        return topology;
    }

    private static void addRouteSinks(Topology topology, Topics topics) {
        for (Lane lane : Lane.values()) {
            addLaneSink(topology, LaneStage.ROUTE, topics, lane, ROUTE);
        }
        if (topics.keepsTrail()) {
            addTrailSink(topology, LaneStage.ROUTE, topics, ROUTE);
        }
        if (topics.assignsShards()) {
            topology.addSink(
                    RouteProcessor.SHARD_REQUEST, topics.shardRequests(), new ByteArraySerializer(),
                    PartitionedValue.serializer(), ROUTE);
        }
    }

    private static <V> void addStage(
            Topology topology, String source, String topic, String name,
            ProcessorSupplier<byte[], byte[], byte[], V> processors) {
        topology.addSource(
                AutoOffsetReset.none(),
                source,
                // Kafka Streams silently skips a negative timestamp; the routing rules handle implausible ones.
                (record, partitionTimeMillis) -> Math.max(0, record.timestamp()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer(),
                topic);
        topology.addProcessor(name, processors, source);
    }

    /** Without a cache, which saves only repeated writes between two commits; no store has many of them. */
    private static void addStore(
            Topology topology, KeyValueBytesStoreSupplier store, Map<String, String> changelog, String processor) {
        topology.addStateStore(
                Stores.keyValueStoreBuilder(store, Serdes.Bytes(), Serdes.ByteArray())
                        .withCachingDisabled()
                        .withLoggingEnabled(changelog),
                processor);
    }

    private static void addTrailSink(Topology topology, LaneStage stage, Topics topics, String processor) {
        topology.addSink(stage.trailSink(), topics.trail(), new ByteArraySerializer(), PartitionedValue.serializer(),
                processor);
    }

    private static void addLaneSink(Topology topology, LaneStage stage, Topics topics, Lane lane, String processor) {
        topology.addSink(
                stage.sink(lane), topics.lane(lane), new ByteArraySerializer(), PartitionedValue.serializer(),
                PartitionedValue.partitioner(topics.partitions()), processor);
    }
}
