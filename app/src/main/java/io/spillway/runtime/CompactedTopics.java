package io.spillway.runtime;

import io.spillway.config.Configuration;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.ViewContent;
import io.spillway.operator.CompactedStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Access of one command or action to compacted topics. Owner of its producer. */
public final class CompactedTopics implements CompactedStore {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Configuration configuration;
    private final KafkaClients clients;
    private final InstantSource clock;
    private final Producer<byte[], byte[]> producer;

    public CompactedTopics(Configuration configuration, InstantSource clock) {
        this.configuration = configuration;
        this.clients = new KafkaClients(configuration.queue());
        this.clock = clock;
        this.producer = clients.producer();
    }

    @Override
    public <C extends ViewContent<?>> C read(String topic, C content) {
        try (CompactedView view = new CompactedView(
                clients, topic, content, configuration.router().maxTenants(), Optional.empty(), clock)) {
            view.start(TIMEOUT);
        }
        return content;
    }

    @Override
    public RecordMetadata write(String topic, Map<String, byte[]> values) {
        return KafkaClients.store(producer, values.entrySet().stream().map(entry -> new ProducerRecord<>(
                topic, entry.getKey().getBytes(StandardCharsets.UTF_8), entry.getValue())).toList());
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
