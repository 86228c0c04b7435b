package io.spillway.worker;

import io.spillway.topic.ItemHeaders;
import io.spillway.topic.KafkaClients;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;

/** Produces each item to a topic, value and the producer's headers as they came, and waits until Kafka has it. */
final class KafkaHandler implements Handler {
    private final Producer<byte[], byte[]> producer;
    private final String topic;

    KafkaHandler(KafkaClients clients, String topic) {
        this.producer = clients.producer();
        this.topic = topic;
    }

    @Override
    public Outcome handle(Delivery delivery) throws InterruptedException {
        List<Header> headers = new ArrayList<>();
        for (Header header : delivery.headers().toArray()) {
            if (!ItemHeaders.isInternal(header.key())) {
                headers.add(header);
            }
        }
        byte[] key = delivery.key().length == 0 ? null : delivery.key();
        try {
            producer.send(new ProducerRecord<>(topic, null, null, key, delivery.value(), headers)).get();
            return Outcome.done();
        } catch (ExecutionException e) {
            String detail = "topic " + topic + ": " + e.getCause();
            return e.getCause() instanceof RecordTooLargeException ? Outcome.dead(detail) : Outcome.retry(detail);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
