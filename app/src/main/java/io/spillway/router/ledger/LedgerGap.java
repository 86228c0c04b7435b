package io.spillway.router.ledger;

import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
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

    /** Returns a reader of the ledger topic. The gap is about one second of entries, more during a burst. */
    static LedgerGap inKafka(KafkaClients clients, Topics topics) {
        return (partition, from, reader) -> {
            TopicPartition ledger = new TopicPartition(topics.ledger(), partition);
            // The consumer does not join the group; it only reads its commit.
            try (KafkaConsumer<byte[], byte[]> consumer =
                    clients.consumer(Map.of(ConsumerConfig.GROUP_ID_CONFIG, topics.routerGroup()))) {
                OffsetAndMetadata committed = consumer.committed(Set.of(ledger)).get(ledger);
                if (committed == null || committed.offset() <= from) {
                    return;
                }
                consumer.assign(Set.of(ledger));
                consumer.seek(ledger, from);
                while (consumer.position(ledger) < committed.offset()) {
                    for (ConsumerRecord<byte[], byte[]> record :
                            consumer.poll(Duration.ofMillis(100)).records(ledger)) {
                        if (record.offset() < committed.offset()) {
                            reader.entry(record.offset(), record.value());
                        }
                    }
                }
            }
        };
    }
}
