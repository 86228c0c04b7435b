package io.spillway.campaign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Faults that Kafka itself is asked for, with a client that has no faulty network. Owner of its clients. */
final class ClusterFaults implements AutoCloseable {
    private static final int ANSWER_SECONDS = 5;
    private static final List<String> COORDINATED = List.of("__consumer_offsets", "__transaction_state");

    private final String bootstrapServers;
    private final String prefix;
    private final Admin admin;
    private final List<Producer<byte[], byte[]>> open = new ArrayList<>();

    ClusterFaults(String bootstrapServers, String prefix) {
        this.bootstrapServers = bootstrapServers;
        this.prefix = prefix;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** Returns the id of the broker that is the active controller; empty if nobody says. */
    OptionalInt controller() {
        return answer(admin.describeMetadataQuorum().quorumInfo())
                .map(quorum -> OptionalInt.of(quorum.leaderId())).orElse(OptionalInt.empty());
    }

    /** Returns whether each replica is in sync, so that one broker can lose what only its memory has. */
    boolean isInSync() {
        return answer(admin.listTopics(new ListTopicsOptions().listInternal(true)).names())
                .flatMap(names -> answer(admin.describeTopics(names).allTopicNames()))
                .map(topics -> topics.values().stream().flatMap(topic -> topic.partitions().stream())
                        .allMatch(partition -> partition.isr().size() == partition.replicas().size()))
                .orElse(false);
    }

    /** Removes all members from the group of the workers, or of the routers. */
    void removeMembers(boolean ofWorkers) {
        answer(admin.removeMembersFromConsumerGroup(
                prefix + (ofWorkers ? ".worker" : ".router"), new RemoveMembersFromConsumerGroupOptions()).all());
    }

    /** Makes the next replica of each partition of offsets and transactions its leader. */
    void moveCoordinators() {
        Map<TopicPartition, Optional<NewPartitionReassignment>> moves = new HashMap<>();
        answer(admin.describeTopics(COORDINATED).allTopicNames()).orElse(Map.of()).forEach((name, topic) ->
                topic.partitions().forEach(partition -> {
                    List<Integer> replicas = new ArrayList<>();
                    partition.replicas().forEach(replica -> replicas.add(replica.id()));
                    Collections.rotate(replicas, 1);
                    moves.put(new TopicPartition(name, partition.partition()),
                            Optional.of(new NewPartitionReassignment(replicas)));
                }));
        answer(admin.alterPartitionReassignments(moves).all());
        answer(admin.electLeaders(ElectionType.PREFERRED, moves.keySet()).all());
    }

    /** Sets quotas of a few kilobytes a second for every client, or removes them; returns whether Kafka did so. */
    boolean throttle(boolean begins) {
        List<ClientQuotaAlteration.Op> quotas = new ArrayList<>();
        Map.of("producer_byte_rate", 20_000.0, "consumer_byte_rate", 50_000.0, "request_percentage", 10.0)
                .forEach((name, value) -> quotas.add(new ClientQuotaAlteration.Op(name, begins ? value : null)));
        var everyone = new ClientQuotaEntity(Collections.singletonMap(ClientQuotaEntity.CLIENT_ID, null));
        KafkaFuture<Void> answer =
                admin.alterClientQuotas(List.of(new ClientQuotaAlteration(everyone, quotas))).all();
        answer(answer);
        return answer.isDone() && !answer.isCompletedExceptionally();
    }

    /** Opens a transaction with a record in ingress and in hot. */
    void openTransaction() {
        try {
            Producer<byte[], byte[]> producer = new KafkaProducer<>(Map.of(
                    "bootstrap.servers", bootstrapServers, "transactional.id", "somebody-" + UUID.randomUUID(),
                    "transaction.timeout.ms", "20000", "max.block.ms", ANSWER_SECONDS * 1000 + "",
                    "delivery.timeout.ms", "5000", "request.timeout.ms", "4000"),
                    new ByteArraySerializer(), new ByteArraySerializer());
            open.add(producer);
            producer.initTransactions();
            producer.beginTransaction();
            for (String topic : List.of("ingress", "hot")) {
                producer.send(new ProducerRecord<>(prefix + "." + topic, new byte[0], new byte[10]));
            }
            producer.flush();
        } catch (KafkaException e) {
            System.out.println("no transaction was opened: " + e.getMessage());
        }
    }

    /** Aborts the open transactions, or leaves them to their timeout of 20 s. */
    void endTransactions(boolean aborts) {
        for (Producer<byte[], byte[]> producer : open) {
            try {
                if (aborts) {
                    producer.abortTransaction();
                }
            } catch (KafkaException | IllegalStateException e) {
                // It was perhaps never begun.
                System.out.println("a transaction was not aborted: " + e.getMessage());
            } finally {
                producer.close(Duration.ZERO);
            }
        }
        open.clear();
    }

    private static <T> Optional<T> answer(KafkaFuture<T> future) {
        try {
            return Optional.ofNullable(future.get(ANSWER_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException e) {
            System.out.println("Kafka did not do it: " + e);
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        endTransactions(false);
        admin.close(Duration.ZERO);
    }
}
