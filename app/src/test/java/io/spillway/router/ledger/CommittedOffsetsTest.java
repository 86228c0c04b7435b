package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.IngressAccount.Range;
import io.spillway.kafka.codec.CommittedOffsetsCodec;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class CommittedOffsetsTest {
    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    private final LedgerRecorder recorder = new LedgerRecorder(topics);
    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final LedgerProducer producer = new LedgerProducer(
            kafka, recorder, () -> Instant.ofEpochMilli(1), new StuckTransactionDetector(() -> 0),
            new CommitRequester(Duration.ofMillis(100), () -> 0));

    @Test
    void each_transaction_names_where_it_begins_and_ends_in_ingress() {
        recorder.began(committed(ingress(2), 40, ingress(5), null, delay(), 3));
        producer.initTransactions();
        commit(ingress(2), 50, ingress(5), 8, delay(), 4);
        commit(ingress(2), 51);
        commit(ingress(5), 9);
        assertThat(kafka.history()).extracting(record -> CommittedOffsetsCodec.decode(record.value())).containsExactly(
                List.of(new Range(2, 40, 50), new Range(5, IngressAccount.UNKNOWN, 8)),
                List.of(new Range(2, 50, 51)), List.of(new Range(5, 8, 9)));
        assertThat(kafka.history()).extracting(ProducerRecord::topic).containsOnly(topics.ledger());
        assertThat(kafka.history()).extracting(ProducerRecord::partition)
                .containsOnly(Topics.ledgerPartition(LedgerOwner.INGRESS));
    }

    @Test
    void a_task_that_starts_again_begins_at_the_last_commit() {
        recorder.began(committed(ingress(2), 40));
        producer.initTransactions();
        commit(ingress(2), 50);
        recorder.began(committed(ingress(2), 45));
        commit(ingress(2), 47);
        assertThat(kafka.history()).extracting(record -> CommittedOffsetsCodec.decode(record.value()))
                .containsExactly(List.of(new Range(2, 40, 50)), List.of(new Range(2, 45, 47)));
    }

    @Test
    void a_transaction_of_other_stages_names_none() {
        producer.initTransactions();
        commit(delay(), 4);
        assertThat(kafka.history()).isEmpty();
        assertThat(recorder.open(ItemState.DELAY).record("a", ItemState.HOT)).isFalse();
        commit(delay(), 5);
        assertThat(kafka.history()).hasSize(1);
    }

    private void commit(Object... offsets) {
        producer.beginTransaction();
        producer.flush();
        producer.sendOffsetsToTransaction(committed(offsets), new MockConsumer<byte[], byte[]>("none").groupMetadata());
        producer.commitTransaction();
    }

    private TopicPartition ingress(int partition) {
        return new TopicPartition(topics.ingress(), partition);
    }

    private TopicPartition delay() {
        return new TopicPartition(topics.lane(Lane.DELAY), 0);
    }

    private static Map<TopicPartition, OffsetAndMetadata> committed(Object... offsets) {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        for (int i = 0; i < offsets.length; i += 2) {
            committed.put((TopicPartition) offsets[i],
                    offsets[i + 1] == null ? null : new OffsetAndMetadata(((Integer) offsets[i + 1]).longValue()));
        }
        return committed;
    }
}
