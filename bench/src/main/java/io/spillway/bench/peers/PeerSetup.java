package io.spillway.bench.peers;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What every peer gets.
 *
 * @param admin            of the cluster; stays the caller's
 * @param bootstrapServers of the cluster
 * @param topic            to read, fresh
 * @param partitions       of the topic, 1 or more
 * @param group            its consumer group, fresh
 * @param slots            handlers at one time, 1 or more
 * @param handler          of the items
 */
public record PeerSetup(
        Admin admin,
        String bootstrapServers,
        String topic,
        int partitions,
        String group,
        int slots,
        ItemHandler handler) {

    /** A consumer of bytes with Kafka's defaults, but for what is read: all that is committed, from the first on. */
    Map<String, Object> consumer() {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return settings;
    }
}
