package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.core.text.Printable;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerException;
import io.spillway.handler.HandlerType;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Handler that produces each item to a topic, with its key, value and external headers, and waits for the result. An
 * error that Kafka calls retriable, such as a broker that does not answer, concerns the cluster and not the item.
 */
final class KafkaHandler implements Handler {
    /**
     * With {@link #DELIVERY_MILLIS} below the default timeout of an attempt (30 s): a record of an interrupted attempt
     * stays in the client's buffer and may be stored in addition to its retry, but an expired record is not.
     */
    private static final Map<String, Object> TIMEOUTS = Map.of(
            ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
    private static final long DELIVERY_MILLIS = 19_000;
    private static final ConfigDef TYPES = new ConfigDef()
            .define(ProducerConfig.LINGER_MS_CONFIG, ConfigDef.Type.LONG, ConfigDef.Importance.LOW, "")
            .define(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, ConfigDef.Type.INT, ConfigDef.Importance.LOW, "");

    private final Producer<byte[], byte[]> producer;
    private final String topic;

    /** Handler type {@code kafka}. */
    public static final class Type implements HandlerType<Type.Settings> {
        /** Destination. */
        record Settings(
                @Setting(key = "handler.kafka.topic",
                        doc = "Topic that each item is produced to, for type kafka. It must exist, except in the"
                                + " embedded Kafka, and must not be one of Spillway's topics.") String topic) {
            Settings {
                if (topic.isEmpty()) {
                    throw new InvalidSettingException("handler.kafka.topic", topic, "must be a topic");
                }
            }
        }

        @Override
        public String name() {
            return "kafka";
        }

        @Override
        public Class<Settings> settings() {
            return Settings.class;
        }

        @Override
        public void check(Settings settings, HandlerContext context) {
            if (context.ownTopics().contains(settings.topic())) {
                throw new InvalidSettingException(
                        "handler.kafka.topic", settings.topic(), "must not be one of Spillway's topics");
            }
        }

        @Override
        public Set<String> topics(Settings settings) {
            return Set.of(settings.topic());
        }

        @Override
        public Handler create(Settings settings, HandlerContext context) {
            return open(context, settings.topic());
        }
    }

    /** Creates a handler for an existing topic; it closes the producer. */
    KafkaHandler(Producer<byte[], byte[]> producer, String topic) {
        this.producer = producer;
        this.topic = topic;
    }

    /**
     * Creates a handler and connects it.
     *
     * @throws HandlerException when the topic is missing or the cluster does not respond
     */
    private static KafkaHandler open(HandlerContext context, String topic) {
        requireTopic(context, topic);
        Producer<byte[], byte[]> producer =
                new KafkaProducer<>(producing(context), new ByteArraySerializer(), new ByteArraySerializer());
        try {
            // Opens connections in advance.
            producer.partitionsFor(topic);
            return new KafkaHandler(producer, topic);
        } catch (KafkaException e) {
            producer.close();
            throw failure(topic, "cannot be written to: " + Printable.of(e.toString()), e);
        }
    }

    static Map<String, Object> producing(HandlerContext context) {
        Map<String, Object> properties = new HashMap<>(context.producer());
        properties.putAll(TIMEOUTS);
        // Settings for all clients take precedence.
        properties.putAll(context.kafka());
        if (!context.kafka().containsKey(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG)) {
            AbstractConfig set = new AbstractConfig(TYPES, properties, false);
            // Kafka refuses less.
            properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) Math.min(Integer.MAX_VALUE, Math.max(
                    DELIVERY_MILLIS, set.getLong(ProducerConfig.LINGER_MS_CONFIG)
                            + set.getInt(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG))));
        }
        return properties;
    }

    @Override
    public Outcome handle(Delivery delivery) throws InterruptedException {
        List<Header> headers = delivery.headers().stream().filter(header -> !ItemHeaders.isInternal(header.name()))
                .<Header>map(header -> new RecordHeader(header.name(), header.value())).toList();
        byte[] key = delivery.hasKey() ? delivery.key() : null;
        try {
            producer.send(new ProducerRecord<>(topic, null, null, key, delivery.value(), headers)).get();
            return Outcome.done();
        } catch (ExecutionException e) {
            String detail = "topic " + topic + ": " + e.getCause();
            return isFinal(e.getCause()) ? Outcome.dead(detail)
                    : e.getCause() instanceof RetriableException ? Outcome.unavailable(detail) : Outcome.retry(detail);
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

    /** Returns whether Kafka refuses the record itself: too large, or without a key for a compacted topic. */
    private static boolean isFinal(Throwable cause) {
        return cause instanceof RecordTooLargeException || cause instanceof InvalidRecordException;
    }

    /** Uses an admin client, because a producer could create the topic with the cluster's defaults. */
    private static void requireTopic(HandlerContext context, String topic) {
        try (Admin admin = Admin.create(KafkaClients.withTimeouts(context.kafka(), 30_000, 10_000))) {
            admin.describeTopics(List.of(topic)).topicNameValues().get(topic).get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            boolean missing = cause instanceof UnknownTopicOrPartitionException;
            throw failure(topic, missing ? "is missing; create it first" : Printable.of(cause.toString()), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(topic, "interrupted while its topic was described", e);
        }
    }

    private static HandlerException failure(String topic, String problem, Throwable cause) {
        return new HandlerException("handler.kafka.topic = " + Printable.of(topic) + ": " + problem, cause);
    }
}
