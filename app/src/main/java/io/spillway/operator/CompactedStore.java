package io.spillway.operator;

import io.spillway.kafka.view.ViewContent;
import java.util.Collections;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Reader and writer of compacted topics, and of the action log. Opened for one action. */
public interface CompactedStore extends AutoCloseable {
    /**
     * Reads the whole topic into the content and returns it.
     *
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    <C extends ViewContent<?>> C read(String topic, C content);

    /**
     * Writes one entry and returns when it is stored.
     *
     * @param value null deletes the key
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    default RecordMetadata write(String topic, String key, byte[] value) {
        return write(topic, Collections.singletonMap(key, value));
    }

    /**
     * Writes entries in the order of the map, and returns when all are stored; if it fails, the first ones may be.
     *
     * @param values one or more; null deletes a key
     * @return the last record
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    RecordMetadata write(String topic, Map<String, byte[]> values);

    @Override
    void close();
}
