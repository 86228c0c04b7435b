package io.spillway.kafka.topics;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.kafka.advice.SuggestedCommands;
import java.util.Map;
import java.util.regex.Pattern;

/** Address of the Kafka cluster, name prefix and client properties. */
public record KafkaSettings(
        @Setting(key = "kafka.bootstrapServers", defaultNote = "the embedded Kafka",
                allowed = "HOST:PORT,HOST:PORT,...",
                doc = "Addresses of the Kafka cluster.") String bootstrapServers,
        @Setting(key = "kafka.prefix", defaultValue = "spillway", allowed = "1 to 200 of A-Z a-z 0-9 . _ -",
                doc = "First part of every topic name, consumer group and application id.") String prefix,
        @Setting(key = "kafka.embeddedPort", defaultValue = "19092", allowed = "0 to 65535",
                doc = "Port of the embedded Kafka, which runs when no address is set; 0 selects a free one.")
                int embeddedPort,
        @Setting(key = "kafka.properties",
                allowed = "properties of Kafka's admin, consumer and producer clients, except those that break a"
                        + " guarantee",
                doc = "Properties passed to every Kafka client: security and tuning.") Map<String, String> properties,
        @Setting(key = "kafka.plugins", allowed = "properties that Kafka's clients do not know",
                doc = "Properties that plug-ins of Kafka's clients read, such as metric reporters and login callbacks."
                        + " Passed to every client too.") Map<String, String> plugins) {
    /** Kafka allows 249 characters in a topic name; Spillway adds at most 24. */
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    public KafkaSettings {
        properties = Map.copyOf(properties);
        plugins = Map.copyOf(plugins);
        AllowedRange.check(KafkaSettings.class, bootstrapServers, prefix, embeddedPort, properties, plugins);
        if (!PREFIX.matcher(prefix).matches()) {
            throw new InvalidSettingException("kafka.prefix", prefix, "must be 1 to 200 of A-Z a-z 0-9 . _ -");
        }
        // The names take a while to load, and most configurations have no properties.
        if (!properties.isEmpty()) {
            new ClientProperties("kafka.properties").check(properties);
        }
        if (!plugins.isEmpty()) {
            new ClientProperties("kafka.plugins").checkForeign(plugins, "kafka.properties");
        }
    }

    /** Returns the commands that messages about this cluster suggest, for a process started with these options. */
    public SuggestedCommands commands(String options) {
        return new SuggestedCommands(bootstrapServers, properties.keySet(), options);
    }

    /** Returns these settings with another address. */
    public KafkaSettings withBootstrapServers(String other) {
        return new KafkaSettings(other, prefix, embeddedPort, properties, plugins);
    }
}
