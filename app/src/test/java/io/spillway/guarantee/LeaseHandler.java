package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Handler for processes under test that takes the milliseconds in the payload. Each call writes to the topic of
 * {@link EffectHandler} when it begins and when its lease ends, and then how it ends: {@code done} or {@code cut}.
 */
public final class LeaseHandler implements Handler {
    private final String topic = System.getProperty(EffectHandler.TOPIC);
    private final Producer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", System.getProperty(EffectHandler.BOOTSTRAP), "acks", "all"),
            new ByteArraySerializer(), new ByteArraySerializer());

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        String attempt = ProcessHandle.current().pid() + "/" + delivery.position() + "/" + UUID.randomUUID() + " ";
        write(delivery, attempt + "start " + delivery.lease().endsAt().toEpochMilli());
        try {
            Thread.sleep(Long.parseLong(new String(delivery.payload(), StandardCharsets.UTF_8)));
        } catch (InterruptedException e) {
            write(delivery, attempt + "cut");
            throw e;
        }
        write(delivery, attempt + "done");
        return Outcome.done();
    }

    private void write(Delivery delivery, String text) throws Exception {
        producer.send(new ProducerRecord<>(topic, delivery.id().getBytes(StandardCharsets.UTF_8),
                (System.currentTimeMillis() + " " + text).getBytes(StandardCharsets.UTF_8))).get();
    }

    @Override
    public void close() {
        producer.close();
    }
}
