package io.spillway.kafka.topics;

import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.ConnectionFault;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.tls.CurrentKeyStores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Factory of plain Kafka clients with the configured address, {@code kafka.properties} and durability settings.
 * Each throws {@link KafkaFailure} if the files, the login or the address that it is configured with cannot be used.
 */
public final class KafkaClients {
    private static final List<String> STORES =
            List.of(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG);

    private final QueueSettings settings;

    public KafkaClients(QueueSettings settings) {
        this.settings = settings;
    }

    /** Returns the address and the configured properties, for any client. */
    public Map<String, Object> common() {
        Map<String, Object> properties = new HashMap<>(settings.kafka().plugins());
        properties.putAll(settings.kafka().properties());
        properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, settings.kafka().bootstrapServers());
        if (STORES.stream().anyMatch(properties::containsKey)) {
            properties.putIfAbsent(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, CurrentKeyStores.class);
        }
        return properties;
    }

    /** Returns the key store of the clients; empty if they have none in a file. */
    public Optional<CurrentKeyStores> keyStore() {
        if (!settings.kafka().properties().containsKey(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG)) {
            return Optional.empty();
        }
        CurrentKeyStores stores = new CurrentKeyStores();
        // Its values are those that Kafka hands to its clients: typed, and with what configuration providers supply.
        stores.configure(new AdminClientConfig(common()).values());
        return Optional.of(stores);
    }

    /** Returns the commands that messages about this cluster suggest. */
    public SuggestedCommands commands() {
        return settings.kafka().commands("");
    }

    /** Creates an admin client; the caller closes it. */
    public Admin admin() {
        return admin(30_000);
    }

    /** Creates an admin client whose calls end after a time, unless {@code kafka.properties} has another. */
    public Admin admin(int apiTimeoutMillis) {
        return create(() -> Admin.create(withTimeouts(common(), apiTimeoutMillis, 10_000)));
    }

    /**
     * Returns the properties of an admin client with its timeouts. Kafka refuses a timeout of a call below that of a
     * request, so one that is not among the properties fits the one that is.
     *
     * @param apiMillis     timeout of a call if the properties have none
     * @param requestMillis timeout of a request if the properties have none
     */
    public static Map<String, Object> withTimeouts(Map<String, Object> properties, int apiMillis, int requestMillis) {
        String api = CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG;
        String request = CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG;
        AdminClientConfig set = new AdminClientConfig(properties);
        Map<String, Object> all = new HashMap<>(properties);
        all.putIfAbsent(
                request, properties.containsKey(api) ? Math.min(requestMillis, set.getInt(api)) : requestMillis);
        all.putIfAbsent(api, properties.containsKey(request) ? Math.max(apiMillis, set.getInt(request)) : apiMillis);
        return all;
    }

    /**
     * Creates a consumer for manual assignment that reads committed records and never resets its offset. The caller
     * closes it; further settings take precedence.
     */
    public KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> more) {
        return create(() -> new KafkaConsumer<>(
                reading(more), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    private Map<String, Object> reading(Map<String, Object> more) {
        Map<String, Object> properties = common();
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        // Otherwise asking for a missing topic would create it with the cluster's defaults.
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        // Who reads one partition after another asks for the next one only after the answer for the one before, which
        // has nothing new: with Kafka's default that took half a second for each partition.
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 20);
        properties.putAll(more);
        return properties;
    }

    /**
     * Creates a consumer as {@link #consumer} does, that follows a topic: without news it asks every five seconds. Its
     * close does not wait for the answer.
     */
    public KafkaConsumer<byte[], byte[]> follower(Map<String, Object> more) {
        Map<String, Object> properties = reading(more);
        properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 5_000);
        return create(() -> new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()) {
            @Override
            public void close() {
                close(CloseOptions.timeout(Duration.ZERO));
            }
        });
    }

    /** Creates an idempotent producer that waits for all in-sync replicas; the caller closes it. */
    public KafkaProducer<byte[], byte[]> producer() {
        return producer(Map.of());
    }

    /** Creates a producer as {@link #producer()} does, with further settings, which take precedence. */
    public KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        return create(() -> new KafkaProducer<>(
                producing(more), new ByteArraySerializer(), new ByteArraySerializer()));
    }

    /**
     * Sends records, one or more, and waits until all are stored; returns where the last one is.
     *
     * @throws KafkaFailure if one cannot be stored, or this thread is interrupted
     */
    public static RecordMetadata store(
            Producer<byte[], byte[]> producer, List<ProducerRecord<byte[], byte[]>> records) {
        String topic = records.getLast().topic();
        try {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            records.forEach(record -> sent.add(producer.send(record)));
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
            return sent.getLast().get();
        } catch (ExecutionException e) {
            throw new KafkaFailure("Cannot write to topic " + topic, e.getCause());
        } catch (KafkaException e) {
            // Thrown by send itself once the producer knows that it will not be permitted.
            throw new KafkaFailure("Cannot write to topic " + topic, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaFailure("Interrupted while writing to topic " + topic, e);
        }
    }

    /** Returns the properties of such a producer, without serializers. */
    public Map<String, Object> producing(Map<String, Object> more) {
        Map<String, Object> properties = common();
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        int maxRequestBytes = new Topics(settings).deadLetterMaxBytes() + Topics.LANE_HEADROOM_BYTES;
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxRequestBytes);
        properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "5");
        properties.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, "65536");
        properties.putAll(more);
        return properties;
    }

    /** Creates a producer that gives up a record after two seconds, for what is of use at once or never. */
    public KafkaProducer<byte[], byte[]> bestEffortProducer() {
        return producer(Map.of(
                ProducerConfig.LINGER_MS_CONFIG, "0",
                ProducerConfig.MAX_BLOCK_MS_CONFIG, "1000",
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "2000",
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "2000"));
    }

    /** Turns a fault of the address, TLS or login into a failure that names its cause. */
    private <C> C create(Supplier<C> client) {
        STORES.forEach(this::requireReadable);
        try {
            return client.get();
        } catch (KafkaException e) {
            if (ConnectionFault.describe(e).isEmpty()) {
                throw e;
            }
            throw new KafkaFailure("cannot connect to Kafka at " + settings.kafka().bootstrapServers(), e);
        }
    }

    /** Kafka's clients would log a trace for each missing file, and not say whose it is. */
    private void requireReadable(String property) {
        String file = settings.kafka().properties().getOrDefault(property, "");
        // A variable of a configuration provider is resolved by the client.
        if (!file.isEmpty() && !file.contains("${")
                && (!Files.isReadable(Path.of(file)) || Files.isDirectory(Path.of(file)))) {
            throw new KafkaFailure("cannot connect to Kafka at " + settings.kafka().bootstrapServers()
                    + ": kafka.properties." + property + " = " + Printable.of(file) + " must be a readable file");
        }
    }
}
