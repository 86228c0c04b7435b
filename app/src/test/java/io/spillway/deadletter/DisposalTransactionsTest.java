package io.spillway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Transactions of replay and discard when Kafka does not report the result of a commit. */
class DisposalTransactionsTest {
    private static final TopicPartition PARTITION = new TopicPartition("dead", 0);

    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    private int timeouts;
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                private boolean isUndecided;

                @Override
                public void commitTransaction() {
                    isUndecided = timeouts-- > 0;
                    if (isUndecided) {
                        throw new TimeoutException("no answer");
                    }
                    super.commitTransaction();
                }

                @Override
                public void abortTransaction() {
                    if (isUndecided) {
                        throw new IllegalStateException("the previous call to commitTransaction timed out");
                    }
                    super.abortTransaction();
                }
            };
    private final DisposalTransactions transactions = new DisposalTransactions(producer,
            new MockConsumer<byte[], byte[]>("none").groupMetadata(), new LedgerWriter(topics),
            () -> Instant.ofEpochMilli(1_795_248_000_000L));

    @Test
    void a_commit_that_times_out_is_repeated_until_its_result_is_known() {
        timeouts = 2;
        dispose();
        assertThat(producer.transactionCommitted()).isTrue();
        assertThat(producer.history()).as("the record and its ledger entries").hasSize(3);
    }

    @Test
    void a_result_that_stays_unknown_is_said_and_not_taken_for_an_abort() {
        timeouts = 100;
        assertThatThrownBy(this::dispose).isInstanceOf(KafkaFailure.class)
                .hasMessageContaining("The result of the last transaction is unknown after 7 dead letters")
                .hasMessageContaining("Run the command again")
                .hasMessageContaining("no answer");
        assertThat(producer.transactionAborted()).isFalse();
    }

    @Test
    void a_dead_letter_whose_tenant_was_not_allowed_leaves_the_balance_of_no_tenant_when_it_is_replayed() {
        DeadLetter letter = DeadLetterSamples.letter(0, 7, "org:42", "a-1", 1_000, new byte[0]);
        letter.record().headers().remove(ItemHeaders.DEAD_REASON).add(
                ItemHeaders.DEAD_REASON, DeadReason.BAD_TENANT.label().getBytes(StandardCharsets.US_ASCII));
        assertThat(letter.owner()).isEqualTo(LedgerOwner.NONE);
        producer.initTransactions();
        transactions.recordMove(letter, ItemState.DELAY);
        transactions.recordMove(letter, ItemState.DROPPED);
        transactions.commit(PARTITION, ProgressState.fresh(1), 2);

        Map<String, Long> moves = new HashMap<>();
        producer.history().forEach(entry -> LedgerCodec.read(entry.value(), (tenant, from, counts) -> {
            for (ItemState to : ItemState.values()) {
                moves.merge(tenant + "/" + from + "/" + to, counts[to.ordinal()], Long::sum);
            }
        }));
        moves.values().removeIf(count -> count == 0);
        assertThat(moves).isEqualTo(Map.of(
                "(none)/DEAD_LETTER/DROPPED", 2L, "org:42/OUTSIDE/DELAY", 1L,
                "(dead:bad-tenant)/DEAD_LETTER/DELAY", 1L, "(dead:bad-tenant)/DEAD_LETTER/DROPPED", 1L));
    }

    private void dispose() {
        producer.initTransactions();
        transactions.send(new ProducerRecord<>("out", new byte[0]), 7);
        transactions.recordMove(DeadLetterSamples.letter(0, 7, "acme", "a-1", 1_000, new byte[0]), ItemState.DELAY);
        transactions.commit(PARTITION, ProgressState.fresh(1), 7);
    }
}
