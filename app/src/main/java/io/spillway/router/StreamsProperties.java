package io.spillway.router;

import io.spillway.config.Configuration;
import io.spillway.kafka.topics.ClientProperties;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.delay.TimerStoreMemory;
import io.spillway.router.ledger.CommitRequester;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** Properties of Kafka Streams: those that the router sets, and rules for the configured ones. */
final class StreamsProperties {
    /** A few seconds of a lane's writes in one request; the setting with the largest effect on throughput. */
    private static final int BATCH_BYTES = 256 * 1024;
    /** Limits how long a fetch of one partition, as in a flood of small items, delays the thread's others. */
    private static final int FETCH_BYTES = 256 * 1024;
    private static final List<String> CLIENT_PREFIXES = List.of(
            StreamsConfig.MAIN_CONSUMER_PREFIX, StreamsConfig.RESTORE_CONSUMER_PREFIX,
            StreamsConfig.GLOBAL_CONSUMER_PREFIX, StreamsConfig.CONSUMER_PREFIX, StreamsConfig.PRODUCER_PREFIX,
            StreamsConfig.ADMIN_CLIENT_PREFIX);
    private static final String HANDLER_REASON = "because a handler that continues would lose items";

    /** Properties that the router sets itself, with the reason or the setting to use. */
    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("application.id", "set kafka.prefix instead"),
            Map.entry("client.id", "because metrics are named by the instance"),
            Map.entry("commit.interval.ms", "set router.commitInterval instead"),
            Map.entry("num.stream.threads", "set router.threads instead"),
            Map.entry("replication.factor", "set topics.replication instead"),
            Map.entry("state.dir", "set router.stateDir instead"),
            Map.entry("state.cleanup.delay.ms", "because state that is kept for too long brings back fired timers"),
            Map.entry("default.client.supplier", "because Spillway's own clients write the ledger"),
            Map.entry("default.key.serde", "because records of Spillway are bytes"),
            Map.entry("default.value.serde", "because records of Spillway are bytes"),
            Map.entry("deserialization.exception.handler", HANDLER_REASON),
            Map.entry("default.deserialization.exception.handler", HANDLER_REASON),
            Map.entry("production.exception.handler", HANDLER_REASON),
            Map.entry("default.production.exception.handler", HANDLER_REASON),
            Map.entry("processing.exception.handler", HANDLER_REASON));

    private StreamsProperties() {}

    /** @throws io.spillway.core.settings.InvalidSettingException if one is unknown or breaks a guarantee */
    static void check(Configuration configuration) {
        rules("router.properties").check(configuration.router().properties());
        rules("kafka.plugins").checkForeign(configuration.kafka().plugins(), "router.properties");
    }

    /**
     * Returns the properties of a Kafka Streams client of a router.
     *
     * @param group its application id
     */
    static Map<String, Object> of(
            Configuration configuration, KafkaClients clients, Topics topics, String group, String instance,
            Path stateDirectory) {
        Map<String, Object> properties = new HashMap<>(clients.common());
        properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, configuration.router().threads());
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                CommitRequester.streamsMillis(configuration.router().commitInterval()));
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), BATCH_BYTES);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.RETRY_BACKOFF_MS_CONFIG), 5);
        // A task reads one partition, so there is no order to wait for. The check would allocate for each record.
        properties.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
        properties.put("processing.exception.handler.global.enabled", true);
        // Other routers take over from a killed one after 10 s instead of Kafka's default of 45 s.
        properties.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 10_000);
        properties.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG), FETCH_BYTES);
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, TimerStoreMemory.class);
        properties.putAll(configuration.router().properties());
        // Without a stable name each start would create new metric series.
        properties.put(StreamsConfig.CLIENT_ID_CONFIG, group + "-" + instance);
        // Required for the delivery guarantees, so configuration cannot override them.
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, group);
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, configuration.topics().replication());
        // A store that has moved elsewhere must be deleted before its changelog deletes tombstones; see LocalState.
        properties.put(StreamsConfig.STATE_CLEANUP_DELAY_MS_CONFIG, 600_000L);
        properties.put(
                StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                topics.deadLetterMaxBytes() + Topics.LANE_HEADROOM_BYTES);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "all");
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "none");
        return properties;
    }

    private static ClientProperties rules(String section) {
        return new ClientProperties(section)
                .knowing(StreamsConfig.configDef().names(), CLIENT_PREFIXES)
                .requiring(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2,
                        "because items would be lost or in two lanes")
                .refusing(REFUSED);
    }
}
