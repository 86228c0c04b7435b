package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.guarantee.KafkaUnderTest;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(900) // Against a hang; nothing is measured.
class CompressionBombIT {
    private static final int BOMB_BYTES = 50 * 1024 * 1024;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @Test
    void fifty_megabytes_of_zeros_that_compress_to_a_few_kilobytes_are_refused_where_they_come_in() {
        QueueSettings queue = new SettingsBinder(Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix(),
                "topics.partitions", "1", "topics.replication", "1")).bind(QueueSettings.class);
        Topics topics = new Topics(queue);
        new TopicAdmin(kafka.admin()).createMissing(topics.all());

        try (Producer<byte[], byte[]> producer = new KafkaClients(queue).producer(Map.of(
                "compression.type", "zstd", "max.request.size", 2 * BOMB_BYTES, "buffer.memory", 4 * BOMB_BYTES))) {
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(topics.ingress(), new byte[BOMB_BYTES])).get())
                    .hasRootCauseInstanceOf(RecordTooLargeException.class);
        }

        assertThat(kafka.readAll(topics.ingress())).isEmpty();
    }
}
