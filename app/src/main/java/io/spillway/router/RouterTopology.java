package io.spillway.router;

import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.delay.DelayProcessor;
import io.spillway.router.ledger.FoldProcessor;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.shards.ShardProcessor;
import io.spillway.router.stage.SinkNames;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.Stores;

/** Topology of the router with a name for every node. All records are bytes, so no serializer can fail. */
final class RouterTopology {
    private static final String INGRESS = "ingress";
    private static final String ROUTE = "route";
    private static final String DELAY = "delay";
    private static final String DUE = "due";
    private static final String SHARD_REQUESTS = "shard-asked";
    private static final String SHARD = "shard";
    private static final String SHARDS = "shards";
    private static final String LEDGER = "ledger";
    private static final String FOLD = "fold";
    private static final String DEPTHS = "depths";
    private static final Lane[] LANES = {Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER};

    private RouterTopology() {}

    /**
     * Builds the route and delay stages, which share no node. If they shared sinks, Kafka Streams would combine the
     * ingress partition and the delay partition of the same number into one task. It would read both in timestamp order
     * and route nothing while the timers are restored.
     *
     * @param topics names of the topics
     * @param routes creates a processor for each partition of ingress
     * @param delays creates a processor for each partition of the delay lane
     */
    static Topology build(Topics topics, Supplier<RouteProcessor> routes, Supplier<DelayProcessor> delays) {
        // A window store does not fit: its segments expire by stream time.
        return build(topics, routes, delays, Stores.persistentKeyValueStore(Topics.TIMER_STORE));
    }

    /** Builds the same stages with another kind of timer store. */
    static Topology build(
            Topics topics, Supplier<RouteProcessor> routes, Supplier<DelayProcessor> delays,
            KeyValueBytesStoreSupplier timers) {
        Topology topology = new Topology();
        addSource(topology, INGRESS, topics.ingress());
        topology.addProcessor(ROUTE, routes::get, INGRESS);
        addSource(topology, DELAY, topics.lane(Lane.DELAY));
        topology.addProcessor(DUE, delays::get, DELAY);
        topology.addStateStore(
                Stores.keyValueStoreBuilder(timers, Serdes.Bytes(), Serdes.ByteArray())
                        // A cache saves only repeated writes between two commits; few timers are that short.
                        .withCachingDisabled()
                        .withLoggingEnabled(topics.timersChangelogConfigs()),
                DUE);
        for (Lane lane : LANES) {
            addSink(topology, SinkNames.ofRoute(lane), topics, lane, ROUTE);
            addSink(topology, SinkNames.ofDelay(lane), topics, lane, DUE);
        }
        return topology;
    }

    /**
     * Adds the stage that assigns shards: one task, because its source has one partition. Only the route stage sends
     * requests. Every item passes it, and a sink shared with the delay stage would combine the two.
     *
     * @param shards creates its processor
     */
    static Topology withShards(Topology topology, Topics topics, Supplier<ShardProcessor> shards) {
        topology.addSink(
                SinkNames.SHARD_REQUEST, topics.shardRequests(), new ByteArraySerializer(),
                PartitionedValue.serializer(), ROUTE);
        addSource(topology, SHARD_REQUESTS, topics.shardRequests());
        topology.addProcessor(SHARD, shards::get, SHARD_REQUESTS);
        topology.addStateStore(
                Stores.keyValueStoreBuilder(
                                Stores.inMemoryKeyValueStore(Topics.SHARD_STORE), Serdes.Bytes(), Serdes.ByteArray())
                        .withCachingDisabled()
                        .withLoggingEnabled(topics.compactedConfigs()),
                SHARD);
        topology.addSink(SHARDS, topics.shards(), new ByteArraySerializer(), new ByteArraySerializer(), SHARD);
        return topology;
    }

    /**
     * Adds the stage that folds the ledger into tenants' balances. The ledger is written outside the topology, see
     * {@link LedgerRecorder}.
     *
     * @param folds creates a processor for each partition of the ledger
     */
    static Topology withLedger(Topology topology, Topics topics, Supplier<FoldProcessor> folds) {
        return withLedger(topology, topics, folds, Stores.persistentKeyValueStore(Topics.BALANCE_STORE));
    }

    /** Adds the same stage with another kind of store. */
    static Topology withLedger(
            Topology topology, Topics topics, Supplier<FoldProcessor> folds, KeyValueBytesStoreSupplier balances) {
        addSource(topology, LEDGER, topics.ledger());
        topology.addProcessor(FOLD, folds::get, LEDGER);
        topology.addStateStore(
                Stores.keyValueStoreBuilder(balances, Serdes.Bytes(), Serdes.ByteArray())
                        // A key is written at most once a second, so a cache saves nothing.
                        .withCachingDisabled()
                        .withLoggingEnabled(topics.compactedConfigs()),
                FOLD);
        topology.addSink(DEPTHS, topics.depths(), new ByteArraySerializer(), new ByteArraySerializer(), FOLD);
        return topology;
    }

    private static void addSource(Topology topology, String name, String topic) {
        topology.addSource(
                AutoOffsetReset.none(),
                name,
                // Kafka Streams silently skips a negative timestamp; the routing rules handle implausible ones.
                (record, partitionTimeMillis) -> Math.max(0, record.timestamp()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer(),
                topic);
    }

    private static void addSink(Topology topology, String name, Topics topics, Lane lane, String parent) {
        topology.addSink(
                name, topics.lane(lane), new ByteArraySerializer(), PartitionedValue.serializer(),
                PartitionedValue.partitioner(topics.partitions()), parent);
    }

    /** Returns the display name of the stage with this processor. */
    static String stageOf(String processor) {
        return switch (processor) {
            case ROUTE -> "route stage";
            case DUE -> "delay stage";
            case FOLD -> "ledger fold";
            case SHARD -> "shard stage";
            default -> throw new IllegalArgumentException("No stage has a processor " + processor);
        };
    }
}
