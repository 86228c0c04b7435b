package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.LedgerWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class CommitThreadStartTest {
    private final CoreScene scene = new CoreScene(1 << 20);

    @Test
    void a_worker_whose_last_transaction_is_not_decided_ends_with_what_to_look_at() {
        WorkerTransactions transactions = new WorkerTransactions(() -> new ModelProducer(new ModelProducer.Cluster() {
            @Override
            public void called(String method) {
                throw new TimeoutException("Timeout expired after 60000ms while awaiting InitProducerId.");
            }

            @Override
            public void committed(
                    List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> progress) {
                throw new AssertionError("nothing is committed");
            }
        }), partitions -> Map.of(), new LedgerWriter(scene.topics), new SameName("w", Map::of),
                new Outage(Duration.ofMinutes(5), () -> 0), scene.limits);
        try (CommitThread committer = new CommitThread(scene.core, scene.runner(delivery -> Outcome.done()),
                scene.metrics, transactions, Duration.ofMillis(5), System::nanoTime, scene.failures::add)) {
            assertThatThrownBy(committer::start).isInstanceOf(WorkerException.class)
                    .hasMessageContainingAll("not decided", "__transaction_state", "InitProducerId");
        }
    }
}
