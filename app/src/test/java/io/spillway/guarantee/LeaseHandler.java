package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Handler for processes under test that takes the milliseconds in the payload. Each call writes its {@link Leases} to
 * the topic of {@link EffectHandler}. Items with an order key fail as {@link KeyOrder#failsFirst} says.
 */
public final class LeaseHandler implements Handler {
    private final String topic = System.getProperty(EffectHandler.TOPIC);
    private final Producer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", System.getProperty(EffectHandler.BOOTSTRAP), "acks", "all"),
            new ByteArraySerializer(), new ByteArraySerializer());

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        Outcome done = Leases.last(delivery, Long.parseLong(new String(delivery.payload(), StandardCharsets.UTF_8)),
                line -> producer.send(new ProducerRecord<>(topic, line)).get());
        return KeyOrder.failsFirst(delivery) ? Outcome.retry("as requested") : done;
    }

    @Override
    public void close() {
        producer.close();
    }
}
