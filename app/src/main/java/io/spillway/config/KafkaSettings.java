package io.spillway.config;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * The cluster.
 *
 * @param bootstrapServers {@code HOST:PORT,…}; empty when none is configured
 * @param prefix           first part of every topic, group and application id
 * @param embeddedPort     port of the embedded Kafka, which runs when no address is configured; 0 for a free one
 * @param properties       passed to every Kafka client: security and tuning
 */
public record KafkaSettings(
        String bootstrapServers, String prefix, int embeddedPort, Map<String, String> properties) {
    /** Kafka allows 249 characters in a topic's name; ours add at most 12. */
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    public KafkaSettings {
        InvalidSettingException.requireRange("kafka.embeddedPort", embeddedPort, 0, 65_535);
        properties = Map.copyOf(properties);
        if (!PREFIX.matcher(prefix).matches()) {
            throw new InvalidSettingException("kafka.prefix", prefix, "must be 1 to 200 of A-Z a-z 0-9 . _ -");
        }
    }

    /** These settings with another address. */
    public KafkaSettings withBootstrapServers(String other) {
        return new KafkaSettings(other, prefix, embeddedPort, properties);
    }
}
