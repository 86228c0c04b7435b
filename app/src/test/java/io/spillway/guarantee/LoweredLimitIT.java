package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Somebody lowers {@code max.message.bytes} of lanes while router and worker run on a real Kafka. */
@Timeout(900) // Only against a hang.
class LoweredLimitIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    @Test
    void items_that_a_lane_does_not_take_any_more_are_dead_letters_and_all_others_are_done() throws Exception {
        RecordingHandler handler = new RecordingHandler(delivery ->
                delivery.payload().length < 10_000 ? Outcome.done() : Outcome.retry(Duration.ofSeconds(1), "too hard"));
        try (DeliveryScene scene = new DeliveryScene(
                kafka.bootstrapServers(), kafka.prefix(), directory, Map.of()).withRouter()) {
            scene.startWorker("worker-1", handler);
            handler.awaitDone(scene.send("before", 10, i -> "small"));
            for (Lane lane : List.of(Lane.DELAY, Lane.HOT)) {
                lower(scene.topics.lane(lane));
                scene.send("large-" + lane.label(), 20, i -> "y".repeat(20_000));
                handler.awaitDone(scene.send("with-" + lane.label(), 200, i -> "small"));
            }
            handler.awaitDone(scene.send("after", 200, i -> "small"));

            List<ConsumerRecord<byte[], byte[]>> dead = List.of();
            for (; dead.size() < 40; LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100))) {
                dead = kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER));
            }
            assertThat(dead).hasSize(40).allSatisfy(each -> {
                assertThat(text(each, "spillway-dead-reason")).isEqualTo("too-large");
                assertThat(text(each, "spillway-dead-detail")).contains("max.message.bytes was lowered to 4096");
            });
            assertThat(dead).extracting(each -> text(each, "spillway-dead-detail"))
                    .anyMatch(detail -> detail.contains(scene.topics.lane(Lane.DELAY) + ","))
                    .anyMatch(detail -> detail.contains(scene.topics.lane(Lane.HOT) + ","));
        }
    }

    /** Returns when the broker refuses larger records: it takes a new limit over after the controller has it. */
    private void lower(String topic) throws Exception {
        kafka.admin().incrementalAlterConfigs(Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(new AlterConfigOp(
                        new ConfigEntry("max.message.bytes", "4096"), AlterConfigOp.OpType.SET)))).all().get();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "transactional.id", kafka.prefix() + "-limit");
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            while (takesLargeRecord(producer, topic)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    /** Leaves nothing that anybody reads: the record is of a transaction that is aborted. */
    private static boolean takesLargeRecord(KafkaProducer<byte[], byte[]> producer, String topic)
            throws InterruptedException {
        producer.beginTransaction();
        try {
            producer.send(new ProducerRecord<>(topic, 0, null, new byte[20_000])).get();
            return true;
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(RecordTooLargeException.class);
            return false;
        } finally {
            producer.abortTransaction();
        }
    }

    private static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        return new String(record.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
    }
}
