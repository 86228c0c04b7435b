package io.spillway.worker.handlers;

import io.spillway.core.item.Printable;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerException;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Produces each item to a topic: key, value and the producer's headers as they came. Waits until Kafka has it. */
final class KafkaHandler implements Handler {
    /**
     * Together no more than an attempt has by default (30 s). What is interrupted stays in the client's buffer and may
     * arrive beside its own retry; what the client has given up does not.
     */
    private static final Map<String, Object> TIMES = Map.of(
            ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000,
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 19_000);

    private final Producer<byte[], byte[]> producer;
    private final String topic;

    /**
     * Makes a handler that is used as soon as it exists.
     *
     * @param producer closed with the handler
     * @param topic    where to; it exists
     */
    KafkaHandler(Producer<byte[], byte[]> producer, String topic) {
        this.producer = producer;
        this.topic = topic;
    }

    /**
     * Connects.
     *
     * @throws HandlerException when the topic is missing or the cluster does not tell
     */
    static KafkaHandler open(KafkaClients clients, String topic) {
        requireTopic(clients, topic);
        Map<String, Object> times = new HashMap<>(TIMES);
        // What is configured for every client has its reason.
        times.keySet().removeAll(clients.common().keySet());
        Producer<byte[], byte[]> producer = clients.producer(times);
        try {
            // Opens connections before traffic comes.
            producer.partitionsFor(topic);
            return new KafkaHandler(producer, topic);
        } catch (KafkaException e) {
            producer.close();
            throw failure(topic, "cannot be written to: " + Printable.of(e.toString()), e);
        }
    }

    @Override
    public Outcome handle(Delivery delivery) throws InterruptedException {
        List<Header> headers = new ArrayList<>();
        for (Delivery.Header header : delivery.headers()) {
            if (!ItemHeaders.isInternal(header.name())) {
                headers.add(new RecordHeader(header.name(), header.value()));
            }
        }
        byte[] key = delivery.key().length == 0 ? null : delivery.key();
        try {
            producer.send(new ProducerRecord<>(topic, null, null, key, delivery.value(), headers)).get();
            return Outcome.done();
        } catch (ExecutionException e) {
            String detail = "topic " + topic + ": " + e.getCause();
            return isFinal(e.getCause()) ? Outcome.dead(detail) : Outcome.retry(detail);
        }
    }

    @Override
    public boolean leavesThreadClean() {
        return true;
    }

    @Override
    public void close() {
        producer.close();
    }

    /** The record itself is refused: too large, or without the key that a compacted topic needs. */
    private static boolean isFinal(Throwable cause) {
        return cause instanceof RecordTooLargeException || cause instanceof InvalidRecordException;
    }

    /** Asking the producer could make the topic, with the cluster's defaults. */
    private static void requireTopic(KafkaClients clients, String topic) {
        try (Admin admin = clients.admin()) {
            admin.describeTopics(List.of(topic)).topicNameValues().get(topic).get();
        } catch (ExecutionException e) {
            boolean missing = e.getCause() instanceof UnknownTopicOrPartitionException;
            throw failure(topic, missing ? "is missing; create it first" : Printable.of(e.getCause().toString()), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(topic, "interrupted while it was looked for", e);
        }
    }

    private static HandlerException failure(String topic, String problem, Throwable cause) {
        return new HandlerException("handler.kafka.topic = " + Printable.of(topic) + ": " + problem, cause);
    }
}
