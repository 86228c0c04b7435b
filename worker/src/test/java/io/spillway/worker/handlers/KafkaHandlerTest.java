package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.QueueSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class KafkaHandlerTest {
    static Stream<Arguments> errors() {
        return Stream.of(
                Arguments.of(new TimeoutException("no broker"), Outcome.Unavailable.class),
                Arguments.of(new DisconnectException("gone"), Outcome.Unavailable.class),
                Arguments.of(new NotEnoughReplicasException("1 of 2"), Outcome.Unavailable.class),
                Arguments.of(new UnknownTopicOrPartitionException("gone"), Outcome.Unavailable.class),
                Arguments.of(new TopicAuthorizationException("not allowed"), Outcome.Retry.class),
                Arguments.of(new UnknownServerException("what"), Outcome.Retry.class),
                Arguments.of(new RecordTooLargeException("too large"), Outcome.Dead.class),
                Arguments.of(new InvalidRecordException("no key"), Outcome.Dead.class));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void an_error_concerns_the_cluster_the_record_or_either(RuntimeException error, Class<? extends Outcome> expected)
            throws Exception {
        try (KafkaHandler handler = new KafkaHandler(failing(error), "out")) {
            Outcome outcome = handler.handle(DeliveryBuilder.of("acme", "order-17").build());

            assertThat(outcome).isInstanceOf(expected);
            assertThat(outcome.toString()).contains("topic out: " + error);
        }
    }

    @Test
    void an_empty_key_and_no_key_are_two_things_and_headers_keep_their_order_and_their_nulls() throws Exception {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        try (KafkaHandler handler = new KafkaHandler(producer, "out")) {
            handler.handle(DeliveryBuilder.of("acme", "1").key(new byte[0])
                    .header("dup", "1").header(new Delivery.Header("nul", null)).header("dup", "").build());
            handler.handle(DeliveryBuilder.of("acme", "2").withoutKey().build());
        }
        ProducerRecord<byte[], byte[]> empty = producer.history().getFirst();
        assertThat(empty.key()).isEmpty();
        assertThat(empty.headers().toArray()).containsExactly(
                new RecordHeader("dup", new byte[] {'1'}), new RecordHeader("nul", (byte[]) null),
                new RecordHeader("dup", new byte[0]));
        assertThat(producer.history().getLast().key()).isNull();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "linger.ms,           0,      19000",
        "request.timeout.ms,  18996, 19001",
        "request.timeout.ms,  30000, 30005",
        "delivery.timeout.ms, 25000, 25000",
    })
    void a_record_expires_after_its_request_whatever_timeouts_the_clients_have(
            String name, String value, String expiresAfter) {
        Map<String, Object> properties = KafkaHandler.producing(new QueueContext(new SettingsBinder(Map.of(
                "kafka.bootstrapServers", "127.0.0.1:1", "kafka.properties." + name, value))
                .bind(QueueSettings.class), InstantSource.system()));

        assertThat(properties.get("delivery.timeout.ms")).hasToString(expiresAfter);
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()).close(Duration.ZERO);
    }

    private static MockProducer<byte[], byte[]> failing(RuntimeException error) {
        return new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public synchronized Future<RecordMetadata> send(
                    ProducerRecord<byte[], byte[]> record, Callback callback) {
                Future<RecordMetadata> sent = super.send(record, callback);
                errorNext(error);
                return sent;
            }
        };
    }
}
