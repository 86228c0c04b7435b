package io.spillway.router;

import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.delay.DelayProcessor;
import io.spillway.router.ledger.FoldProcessor;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.shards.ShardProcessor;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.Stores;

/** The shape of the router, every node named. Everything travels as bytes: there is nothing to fail in a serializer. */
public final class RouterTopology {
    private static final String INGRESS = "ingress";
    private static final String ROUTE = "route";
    private static final String DELAY = "delay";
    private static final String DUE = "due";
    /** Name of the node that asks the book of shards. */
    public static final String SHARD_REQUEST = "shard-request";
    private static final String SHARD_ASKED = "shard-asked";
    private static final String SHARD = "shard";
    private static final String SHARDS = "shards";
    private static final String LEDGER = "ledger";
    private static final String FOLD = "fold";
    private static final String DEPTHS = "depths";
    private static final Lane[] LANES = {Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER};

    private RouterTopology() {}

    /**
     * Builds it: two parts that share no node. Each lane has a sink in both, for with shared sinks Kafka Streams would
     * make one task of an ingress partition and the delay partition of the same number: it would read the two in the
     * order of their timestamps, and route nothing of ingress while the timers are being restored.
     *
     * @param topics names of the topics
     * @param routes makes one processor for each partition of ingress
     * @param delays makes one processor for each partition of the delay lane
     */
    static Topology build(Topics topics, Supplier<RouteProcessor> routes, Supplier<DelayProcessor> delays) {
        // Not a window store: its segments would expire by stream time.
        return build(topics, routes, delays, Stores.persistentKeyValueStore(Topics.TIMER_STORE));
    }

    /** As above with another kind of store. */
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
                        // A cache saves what is written twice between two commits; few timers are so short.
                        .withCachingDisabled()
                        .withLoggingEnabled(topics.timersChangelogConfigs()),
                DUE);
        for (Lane lane : LANES) {
            addSink(topology, sinkOf(lane), topics, lane, ROUTE);
            addSink(topology, dueSinkOf(lane), topics, lane, DUE);
        }
        return topology;
    }

    /**
     * Adds the part that assigns shards: a stage of one task, for what it reads has one partition. Only the part that reads
     * ingress asks it: every item has passed there, and a sink that the delay stage shared would join the two.
     *
     * @param shards makes its processor
     */
    static Topology withShards(Topology topology, Topics topics, Supplier<ShardProcessor> shards) {
        topology.addSink(
                SHARD_REQUEST, topics.shardRequests(), new ByteArraySerializer(), PartitionedValue.serializer(), ROUTE);
        addSource(topology, SHARD_ASKED, topics.shardRequests());
        topology.addProcessor(SHARD, shards::get, SHARD_ASKED);
        topology.addStateStore(
                Stores.keyValueStoreBuilder(
                                Stores.inMemoryKeyValueStore(Topics.SHARD_STORE), Serdes.Bytes(), Serdes.ByteArray())
                        .withCachingDisabled()
                        .withLoggingEnabled(topics.shardsChangelogConfigs()),
                SHARD);
        topology.addSink(SHARDS, topics.shards(), new ByteArraySerializer(), new ByteArraySerializer(), SHARD);
        return topology;
    }

    /**
     * Adds the part that folds the ledger into tenants' books. The ledger is written past the topology, see {@link LedgerRecorder}.
     *
     * @param folds makes one processor for each partition of the ledger
     */
    static Topology withBooks(Topology topology, Topics topics, Supplier<FoldProcessor> folds) {
        return withBooks(topology, topics, folds, Stores.persistentKeyValueStore(Topics.BOOKS_STORE));
    }

    /** As above with another kind of store. */
    static Topology withBooks(
            Topology topology, Topics topics, Supplier<FoldProcessor> folds, KeyValueBytesStoreSupplier books) {
        addSource(topology, LEDGER, topics.ledger());
        topology.addProcessor(FOLD, folds::get, LEDGER);
        topology.addStateStore(
                Stores.keyValueStoreBuilder(books, Serdes.Bytes(), Serdes.ByteArray())
                        // What is written is written once a second at the most.
                        .withCachingDisabled()
                        .withLoggingEnabled(topics.booksChangelogConfigs()),
                FOLD);
        topology.addSink(DEPTHS, topics.depths(), new ByteArraySerializer(), new ByteArraySerializer(), FOLD);
        return topology;
    }

    private static void addSource(Topology topology, String name, String topic) {
        topology.addSource(
                AutoOffsetReset.none(),
                name,
                // A negative timestamp would be passed over in silence; an absurd one is ours to judge.
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

    /** Returns the name of the stage, for people, whose processor has this name. */
    static String stageOf(String processor) {
        return switch (processor) {
            case ROUTE -> "route stage";
            case DUE -> "delay stage";
            case FOLD -> "ledger fold";
            case SHARD -> "shard stage";
            default -> throw new IllegalArgumentException("no stage has a processor " + processor);
        };
    }

    /** Name of the node that writes to a lane what comes from ingress. */
    public static String sinkOf(Lane lane) {
        return lane.label();
    }

    /** Name of the node that writes to a lane what comes from the delay lane. */
    public static String dueSinkOf(Lane lane) {
        return switch (lane) {
            // Not joined anew for each item.
            case HOT -> "due-hot";
            case OVERFLOW -> "due-overflow";
            case AGED -> "due-aged";
            case DELAY -> "due-delay";
            case DEAD_LETTER -> "due-dead-letter";
        };
    }
}
