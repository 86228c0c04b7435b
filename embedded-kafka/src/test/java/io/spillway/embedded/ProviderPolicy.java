package io.spillway.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.server.policy.AlterConfigPolicy;
import org.apache.kafka.server.policy.CreateTopicPolicy;

/** What providers of Kafka allow as settings of topics, as far as their documentation tells (2026-11). */
public final class ProviderPolicy implements CreateTopicPolicy, AlterConfigPolicy {
    private static final String SETTING = "spillway.test.provider";

    private static final Set<String> SERVERLESS = Set.of("cleanup.policy", "compression.type", "max.message.bytes",
            "message.timestamp.type", "retention.bytes", "retention.ms");
    private static final Set<String> FIXED_IN_CONFLUENT_CLOUD = Set.of("compression.type",
            "unclean.leader.election.enable", "min.cleanable.dirty.ratio");

    private Provider provider;

    /** Provider whose rules a broker has. */
    public enum Provider {
        /** docs.confluent.io, "Configuration Reference for Topics in Confluent Cloud". */
        CONFLUENT_CLOUD((key, value) -> !FIXED_IN_CONFLUENT_CLOUD.contains(key)
                && (!key.equals("segment.bytes") || Long.parseLong(value) >= 52_428_800)
                && (!key.equals("segment.ms") || Long.parseLong(value) >= 600_000)
                && (!key.equals("max.message.bytes") || Long.parseLong(value) <= 8_388_608)),
        /** docs.aws.amazon.com: a provisioned cluster allows all settings of topics. */
        MSK((key, value) -> true),
        /** docs.aws.amazon.com, "Configuration properties for MSK Serverless clusters". */
        MSK_SERVERLESS((key, value) -> SERVERLESS.contains(key)
                && (!key.equals("max.message.bytes") || Long.parseLong(value) <= 8_388_608)),
        /** aiven.io: a topic has all settings of Kafka. */
        AIVEN((key, value) -> true),
        /** A provider that keeps nothing for more than seven days, as some do. */
        SEVEN_DAYS((key, value) -> !key.equals("retention.ms")
                || Long.parseLong(value) >= 0 && Long.parseLong(value) <= 604_800_000);

        private final BiPredicate<String, String> allows;

        Provider(BiPredicate<String, String> allows) {
            this.allows = allows;
        }

        /** Starts a broker with these rules, with its data in a directory. */
        public EmbeddedKafka start(Path directory) {
            return EmbeddedKafka.start(directory, 0, Map.of(
                    "create.topic.policy.class.name", ProviderPolicy.class.getName(),
                    "alter.config.policy.class.name", ProviderPolicy.class.getName(), SETTING, name()));
        }
    }

    @Override
    public void configure(Map<String, ?> settings) {
        provider = Provider.valueOf(settings.get(SETTING).toString());
    }

    @Override
    public void validate(CreateTopicPolicy.RequestMetadata request) {
        require(request.topic(), request.configs());
    }

    @Override
    public void validate(AlterConfigPolicy.RequestMetadata request) {
        require(request.resource().name(), request.configs());
    }

    private void require(String topic, Map<String, String> configs) {
        configs.forEach((key, value) -> {
            // Not of the brokers' own topics.
            if (value != null && !topic.startsWith("__") && !provider.allows.test(key, value)) {
                throw new PolicyViolationException("Config property '" + key + "' with value '" + value + "' is not"
                        + " allowed by " + provider);
            }
        });
    }

    @Override
    public void close() {}
}
