package io.spillway.router;

import io.spillway.config.Configuration;
import io.spillway.kafka.topics.ClientProperties;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;

/** Rules for the configured properties of Kafka Streams. */
final class StreamsProperties {
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

    private static ClientProperties rules(String section) {
        return new ClientProperties(section)
                .knowing(StreamsConfig.configDef().names(), CLIENT_PREFIXES)
                .requiring(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2,
                        "because items would be lost or in two lanes")
                .refusing(REFUSED);
    }
}
