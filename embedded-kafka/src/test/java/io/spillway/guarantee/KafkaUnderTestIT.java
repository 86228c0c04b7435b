package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(900) // Only against a hang.
class KafkaUnderTestIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @Test
    void reads_every_record_of_a_topic_by_partition_and_offset() throws Exception {
        String topic = kafka.createTopic("items", 3);
        try (var producer = producer()) {
            for (int i = 0; i < 30; i++) {
                producer.send(new ProducerRecord<>(topic, i % 3, null, "v" + i));
            }
        }

        assertThat(kafka.readAll(topic))
                .extracting(record -> new String(record.value(), StandardCharsets.UTF_8))
                .startsWith("v0", "v3")
                .endsWith("v26", "v29")
                .hasSize(30);
    }

    @Test
    void reads_nothing_from_an_empty_topic() throws Exception {
        assertThat(kafka.readAll(kafka.createTopic("empty", 2))).isEmpty();
    }

    @Test
    void a_prefix_is_unique_to_its_test() throws Exception {
        String topic = kafka.createTopic("mine", 1, Map.of("retention.ms", "-1"));

        assertThat(kafka.admin().listTopics().names().get())
                .filteredOn(name -> name.startsWith(kafka.prefix()))
                .containsExactly(topic);
    }

    private KafkaProducer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()), new StringSerializer(), new StringSerializer());
    }
}
