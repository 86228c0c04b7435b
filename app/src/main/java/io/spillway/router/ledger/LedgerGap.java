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

/** The entries of the ledger that a stage has read and committed before it was begun again, and not written into books. */
@FunctionalInterface
public interface LedgerGap {
    /** Receives an entry. */
    @FunctionalInterface
    interface Reader {
        /** Takes one. */
        void entry(long offset, byte[] value);
    }

    /**
     * Reads what lies from an offset on up to the router's commit.
     *
     * @throws org.apache.kafka.common.KafkaException when that cannot be done; the task is not begun then
     */
    void read(int partition, long from, Reader reader);

    /** From the ledger itself: a second's worth, or what came in while a burst was being written. */
    static LedgerGap inKafka(KafkaClients clients, Topics topics) {
        return (partition, from, reader) -> {
            TopicPartition place = new TopicPartition(topics.ledger(), partition);
            // A member of nothing: the group is named to learn what it has committed.
            try (KafkaConsumer<byte[], byte[]> consumer =
                    clients.consumer(Map.of(ConsumerConfig.GROUP_ID_CONFIG, topics.routerGroup()))) {
                OffsetAndMetadata committed = consumer.committed(Set.of(place)).get(place);
                if (committed == null || committed.offset() <= from) {
                    return;
                }
                consumer.assign(Set.of(place));
                consumer.seek(place, from);
                while (consumer.position(place) < committed.offset()) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100)).records(place)) {
                        if (record.offset() < committed.offset()) {
                            reader.entry(record.offset(), record.value());
                        }
                    }
                }
            }
        };
    }
}
