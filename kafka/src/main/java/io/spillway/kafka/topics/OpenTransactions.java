package io.spillway.kafka.topics;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;

/**
 * Transactions that are open in partitions, and their end. The caller closes the admin client. Every method throws
 * {@link KafkaFailure} if the cluster refuses or does not answer.
 */
public final class OpenTransactions {
    private static final Set<TransactionState> UNDECIDED = Set.of(
            TransactionState.ONGOING, TransactionState.PREPARE_ABORT, TransactionState.PREPARE_COMMIT);

    private final Admin admin;

    public OpenTransactions(Admin admin) {
        this.admin = admin;
    }

    /**
     * Open transaction in one partition.
     *
     * @param producer        state of its producer, with the first offset
     * @param transactionalId empty if its coordinator has forgotten it; then it never ends by itself
     */
    public record Open(TopicPartition partition, ProducerState producer, Optional<String> transactionalId) {
        /** Returns its first offset; readers of committed records stop there. */
        public long startOffset() {
            return producer.currentTransactionStartOffset().orElseThrow();
        }
    }

    /** Returns the open transactions in these topics, by topic, partition and offset. */
    public List<Open> in(Collection<String> topics) {
        Set<TopicPartition> partitions = TopicAdmin.get(
                        admin.describeTopics(topics).allTopicNames(), "describe topics").values().stream()
                .flatMap(topic -> topic.partitions().stream().map(
                        partition -> new TopicPartition(topic.name(), partition.partition())))
                .collect(Collectors.toSet());
        Map<TopicPartition, List<ProducerState>> open = new HashMap<>();
        TopicAdmin.get(admin.describeProducers(partitions).all(), "describe producers").forEach((partition, state) ->
                open.put(partition, state.activeProducers().stream()
                        .filter(producer -> producer.currentTransactionStartOffset().isPresent())
                        .toList()));
        Set<Long> producers = open.values().stream().flatMap(List::stream).map(ProducerState::producerId)
                .collect(Collectors.toSet());
        Map<Long, String> ids = producers.isEmpty() ? Map.of() : TopicAdmin.get(
                        admin.listTransactions(new ListTransactionsOptions().filterProducerIds(producers)).all(),
                        "list transactions").stream()
                .filter(transaction -> UNDECIDED.contains(transaction.state()))
                .collect(Collectors.toMap(TransactionListing::producerId, TransactionListing::transactionalId));
        return open.entrySet().stream()
                .flatMap(partition -> partition.getValue().stream().map(producer -> new Open(
                        partition.getKey(), producer, Optional.ofNullable(ids.get(producer.producerId())))))
                .sorted(Comparator.comparing((Open transaction) -> transaction.partition().topic())
                        .thenComparingInt(transaction -> transaction.partition().partition())
                        .thenComparingLong(Open::startOffset))
                .toList();
    }

    /**
     * Aborts a transaction. If its coordinator knows it, it ends in all its partitions and its producer is fenced;
     * otherwise in this partition.
     */
    public void abort(Open open) {
        if (open.transactionalId().isPresent()) {
            // The coordinator aborts it. A marker alone would leave it open in the other partitions.
            TopicAdmin.get(admin.fenceProducers(List.of(open.transactionalId().get())).all(), "fence the producer");
            return;
        }
        ProducerState producer = open.producer();
        TopicAdmin.get(admin.abortTransaction(new AbortTransactionSpec(
                        open.partition(), producer.producerId(), (short) producer.producerEpoch(),
                        Math.max(0, producer.coordinatorEpoch().orElse(0)))).all(), "abort the transaction");
    }
}
