package io.spillway.router.ledger;

import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader of the ledger entries that were committed before a fold task restarted and are not yet in the stored balances.
 */
@FunctionalInterface
public interface LedgerGap {
    /** Consumer of ledger entries. */
    @FunctionalInterface
    interface Reader {
        void entry(long offset, byte[] value);
    }

    /**
     * Reads the entries from an offset up to the router group's commit.
     *
     * @throws org.apache.kafka.common.KafkaException when they cannot be read; the task does not start then
     */
    void read(int partition, long from, Reader reader);

    /**
     * Returns a reader of the ledger topic. The gap is about one second of entries, more during a burst.
     *
     * @param nanoClock monotonic clock, which limits how long failing calls to Kafka are repeated
     */
    static LedgerGap inKafka(KafkaClients clients, Topics topics, LongSupplier nanoClock) {
        return (partition, from, reader) -> {
            // The consumer does not join the group; it only reads its commit.
            try (KafkaConsumer<byte[], byte[]> consumer =
                    clients.consumer(Map.of(ConsumerConfig.GROUP_ID_CONFIG, topics.routerGroup()))) {
                new LedgerGapReader(consumer, new TopicPartition(topics.ledger(), partition), nanoClock)
                        .read(from, reader);
            }
        };
    }
}
