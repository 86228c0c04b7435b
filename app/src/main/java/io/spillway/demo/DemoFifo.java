package io.spillway.demo;

import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.topics.KafkaClients;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Plain consumer of one partition for comparison. It hands items in order to as many threads as the worker has slots
 * and retries a failed item at once. It commits nothing, which makes it faster.
 *
 * <p>Owner of its consumer, used only by the thread of {@link #run}. Bound: the consumer's fetch, and the slots.
 */
final class DemoFifo {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaClients clients;
    private final TopicPartition partition;
    private final DemoDestination destination;
    private final DemoTally tally;
    private final Semaphore slots = new Semaphore(DemoPlan.SLOTS);
    private final ItemReader reader;
    private final ItemDecoder decoder = new ItemDecoder();

    DemoFifo(
            KafkaClients clients, TopicPartition partition, int maxBytes, DemoDestination destination,
            DemoTally tally) {
        this.clients = clients;
        this.partition = partition;
        this.reader = new ItemReader(ItemSchemas.load(), maxBytes);
        this.destination = destination;
        this.tally = tally;
    }

    /** Consumes items until its thread is interrupted. */
    void run() {
        try (Consumer<byte[], byte[]> consumer = clients.consumer(Map.of())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            try {
                while (true) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        slots.acquire();
                        Thread.ofVirtual().start(() -> handle(record));
                    }
                }
            } catch (InterruptedException e) {
                // The normal stop; the interrupt flag is cleared so that the consumer can close.
            } catch (InterruptException e) {
                Thread.interrupted();
            }
        }
    }

    private void handle(ConsumerRecord<byte[], byte[]> record) {
        try {
            if (reader.read(record.key(), record.value(), record.headers(), record.timestamp())
                    instanceof ParsedRecord.Item item) {
                String id = decoder.id(item, record.value(), record.headers(), "");
                boolean done = false;
                for (int attempt = 1; attempt <= DemoPlan.ATTEMPTS && !done; attempt++) {
                    done = attempt(item, id, attempt);
                }
                if (!done) {
                    tally.gaveUp(item.tenant());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            slots.release();
        }
    }

    private boolean attempt(ParsedRecord.Item item, String id, int attempt) throws InterruptedException {
        if (attempt > 1) {
            Thread.sleep(DemoPlan.BACKOFF_MILLIS);
        }
        try {
            destination.take(item.tenant(), id, item.enqueuedAtMillis(), attempt, tally);
            return true;
        } catch (IllegalStateException rejected) {
            return false;
        }
    }
}
