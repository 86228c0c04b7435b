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
 * Handler for processes under test that takes the milliseconds in the payload, and fails at the first attempt of every
 * tenth item. Each call writes its {@link Leases} to the topic of {@link EffectHandler}.
 */
public final class OrderHandler implements Handler {
    private final String topic = System.getProperty(EffectHandler.TOPIC);
    private final Producer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", System.getProperty(EffectHandler.BOOTSTRAP), "acks", "all"),
            new ByteArraySerializer(), new ByteArraySerializer());

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        Outcome done = Leases.last(delivery, Long.parseLong(new String(delivery.payload(), StandardCharsets.UTF_8)),
                line -> producer.send(new ProducerRecord<>(topic, line)).get());
        return failsFirst(delivery) && delivery.attempt() == 1 ? Outcome.retry("as requested") : done;
    }

    /** Returns whether the first attempt of an item fails. */
    public static boolean failsFirst(Delivery delivery) {
        return Math.floorMod(delivery.id().hashCode(), 10) == 0;
    }

    @Override
    public void close() {
        producer.close();
    }
}
