package io.spillway.spring;

import io.spillway.producer.ItemBuilder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import tools.jackson.databind.json.JsonMapper;

/** Sender of items to the ingress topic of the queue. Thread-safe. Owner of its producer, which it opens when used. */
public final class SpillwayTemplate implements AutoCloseable {
    private final Supplier<Producer<byte[], byte[]>> open;
    private final String ingress;
    private final JsonMapper json;
    private Producer<byte[], byte[]> producer;

    SpillwayTemplate(
            Supplier<Producer<byte[], byte[]>> open, String ingress, JsonMapper json) {
        this.open = open;
        this.ingress = ingress;
        this.json = json;
    }

    /** Sends an item. The future completes when every in-sync replica has it, or with Kafka's error. */
    public CompletableFuture<RecordMetadata> send(ItemBuilder item) {
        CompletableFuture<RecordMetadata> stored = new CompletableFuture<>();
        producer().send(item.toRecord(ingress), (metadata, failure) -> {
            if (failure == null) {
                stored.complete(metadata);
            } else {
                stored.completeExceptionally(failure);
            }
        });
        return stored;
    }

    /** Sends an item with this payload as JSON, and the media type {@code application/json}. */
    public CompletableFuture<RecordMetadata> sendJson(ItemBuilder item, Object payload) {
        return send(item.contentType("application/json").payload(json.writeValueAsBytes(payload)));
    }

    private synchronized Producer<byte[], byte[]> producer() {
        if (producer == null) {
            producer = open.get();
        }
        return producer;
    }

    /** Sends what is open, and closes the producer. */
    @Override
    public synchronized void close() {
        if (producer != null) {
            producer.close();
        }
    }
}
