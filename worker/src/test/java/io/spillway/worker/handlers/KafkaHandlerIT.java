package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerException;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.worker.Deliveries;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(900) // Against a hang; nothing is measured.
class KafkaHandlerIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @Test
    void an_item_is_produced_with_its_key_and_value_and_the_headers_of_its_producer() throws Exception {
        String topic = kafka.createTopic("out", 1);
        Headers headers = new RecordHeaders()
                .add("traceparent", Deliveries.bytes("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
                .add(ItemHeaders.TENANT, Deliveries.bytes("acme"))
                .add("own", null)
                .add("own", Deliveries.bytes("twice"))
                .add(ItemHeaders.ATTEMPT, Deliveries.bytes("2"))
                .add(ItemHeaders.ORIGIN, Deliveries.bytes("ingress-0-7"))
                .add(ItemHeaders.MOVES, Deliveries.bytes("1"))
                .add(ItemHeaders.LANE_REASON, Deliveries.bytes("retry"))
                .add(ItemHeaders.FIRST_ATTEMPT_AT, Deliveries.bytes("1"));
        byte[] value = {0, 1, (byte) 0xff};
        Delivery with = Deliveries.of("text/plain", value, headers);
        Delivery withoutKey = Deliveries.withoutKey(value);

        try (Handler handler = handler(topic)) {
            assertThat(handler.handle(with)).isEqualTo(Outcome.done());
            assertThat(kafka.readAll(topic)).as("done means that Kafka has it").hasSize(1);
            assertThat(handler.handle(withoutKey)).isEqualTo(Outcome.done());
        }

        List<ConsumerRecord<byte[], byte[]>> produced = kafka.readAll(topic);
        assertThat(produced.getFirst().key()).isEqualTo(Deliveries.bytes("key"));
        assertThat(produced.getFirst().value()).isEqualTo(value);
        List<String> names = new ArrayList<>();
        produced.getFirst().headers().forEach(header -> names.add(header.key()));
        assertThat(names).containsExactly("traceparent", ItemHeaders.TENANT, "own", "own");
        assertThat(produced.getFirst().headers().lastHeader("own").value()).isEqualTo(Deliveries.bytes("twice"));
        assertThat(produced.getLast().key()).isNull();
    }

    @Test
    void what_the_topic_will_never_take_is_final() throws Exception {
        String small = kafka.createTopic("small", 1, Map.of("max.message.bytes", "1000"));
        try (Handler handler = handler(small)) {
            assertThat(handler.handle(Deliveries.of("x".repeat(5_000)))).isInstanceOfSatisfying(
                    Outcome.Dead.class, dead -> assertThat(dead.reason()).contains(small, "RecordTooLarge"));
            assertThat(handler.handle(Deliveries.of("x".repeat(50_000_000)))).as("refused by the client already")
                    .isInstanceOf(Outcome.Dead.class);
            assertThat(handler.handle(Deliveries.of("x"))).as("the next is not held up").isEqualTo(Outcome.done());
        }
        String compacted = kafka.createTopic("compacted", 1, Map.of("cleanup.policy", "compact"));
        try (Handler handler = handler(compacted)) {
            assertThat(handler.handle(Deliveries.withoutKey(Deliveries.bytes("x")))).isInstanceOf(Outcome.Dead.class);
        }
    }

    @Test
    void a_topic_that_goes_away_is_unavailable_and_no_fault_of_the_item() throws Exception {
        String topic = kafka.createTopic("goes", 1);
        try (Handler handler = handler(topic, Map.of(
                "kafka.properties.max.block.ms", "1000", "kafka.properties.request.timeout.ms", "500",
                "kafka.properties.delivery.timeout.ms", "1000"))) {
            kafka.admin().deleteTopics(List.of(topic)).all().get();
            Outcome outcome = handler.handle(Deliveries.of("x"));
            while (outcome instanceof Outcome.Done) {
                outcome = handler.handle(Deliveries.of("x"));
            }
            assertThat(outcome).isInstanceOfSatisfying(
                    Outcome.Unavailable.class, unavailable -> assertThat(unavailable.detail()).contains(topic));
        }
    }

    @Test
    void a_topic_that_is_missing_is_named_at_the_start_and_not_made_by_asking_for_it() throws Exception {
        String topic = kafka.prefix() + ".missing";

        assertThatThrownBy(() -> handler(topic))
                .isInstanceOf(HandlerException.class)
                .hasMessage("handler.kafka.topic = " + topic + ": is missing; create it first");
        assertThat(kafka.admin().listTopics().names().get()).doesNotContain(topic);
        assertThatThrownBy(() -> handler("no topic\n"))
                .isInstanceOf(HandlerException.class)
                .hasMessageContaining("handler.kafka.topic = no topic\\u000a")
                .message().doesNotContainPattern("\\p{Cc}");
    }

    private Handler handler(String topic) {
        return handler(topic, Map.of());
    }

    private Handler handler(String topic, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(more);
        settings.putAll(Map.of(
                "kafka.bootstrapServers", kafka.bootstrapServers(), "kafka.prefix", kafka.prefix(),
                "handler.type", "kafka", "handler.kafka.topic", topic));
        SettingsBinder binder = new SettingsBinder(settings);
        return binder.bind(HandlerSettings.class)
                .create(new QueueContext(binder.bind(QueueSettings.class), InstantSource.system()));
    }
}
