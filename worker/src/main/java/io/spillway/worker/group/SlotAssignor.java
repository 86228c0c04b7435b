package io.spillway.worker.group;

import io.spillway.core.sharding.SlotAssignment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;

/**
 * Assignor of the workers' group, by {@link SlotAssignment}. Each member sends its slots as user data; the leader of
 * the group decides for all. A partition that is to move is given to another one a round later, when it is released.
 *
 * <p>Public, because Kafka's client creates it.
 */
public final class SlotAssignor implements ConsumerPartitionAssignor, Configurable {
    /** Property of the consumer with the slots of its worker, an Integer. */
    public static final String SLOTS = "spillway.worker.slots";

    private static final byte VERSION = 1;

    private int slots = 1;

    @Override
    public void configure(Map<String, ?> properties) {
        slots = (Integer) properties.get(SLOTS);
    }

    @Override
    public String name() {
        return "spillway-slots";
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return List.of(RebalanceProtocol.COOPERATIVE);
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        return encode(slots);
    }

    static ByteBuffer encode(int slots) {
        return ByteBuffer.allocate(Byte.BYTES + Integer.BYTES).put(VERSION).putInt(slots).flip();
    }

    /** Returns the slots in a member's user data; 1 if they cannot be read, so that a faulty member harms none. */
    static int decode(ByteBuffer userData) {
        if (userData == null || userData.remaining() < Byte.BYTES + Integer.BYTES
                || userData.get(userData.position()) != VERSION) {
            return 1;
        }
        return Math.clamp(userData.getInt(userData.position() + Byte.BYTES), 1,
                SlotAssignment.Worker.MAX_SLOTS);
    }

    @Override
    public GroupAssignment assign(Cluster cluster, GroupSubscription group) {
        Map<String, Subscription> members = group.groupSubscription();
        List<String> topics = members.values().stream().flatMap(member -> member.topics().stream())
                .distinct().sorted().toList();
        // Topics differ for as long as partitions are being added to one after the other.
        Map<String, Integer> sizes = topics.stream().collect(Collectors.toMap(Function.identity(),
                topic -> Optional.ofNullable(cluster.partitionCountForTopic(topic)).orElse(0)));
        int partitions = sizes.values().stream().max(Integer::compare).orElse(0);
        Map<TopicPartition, String> owners = owners(members);
        // A tenant's shard is a set of numbers: who has a number in one lane has it in all, so that the items of a
        // tenant stay with the same workers.
        String[] now = IntStream.range(0, partitions).mapToObj(partition -> topics.stream()
                .map(topic -> owners.get(new TopicPartition(topic, partition)))
                .filter(Objects::nonNull).findFirst().orElse(null)).toArray(String[]::new);
        String[] wanted = SlotAssignment.assign(
                members.entrySet().stream().map(member -> new SlotAssignment.Worker(
                        member.getKey(), decode(member.getValue().userData()))).toList(),
                now);

        Map<String, Set<TopicPartition>> held = members.entrySet().stream().collect(Collectors.toMap(
                Map.Entry::getKey, member -> new HashSet<>(member.getValue().ownedPartitions())));
        Map<String, List<TopicPartition>> assigned = new HashMap<>();
        members.keySet().forEach(member -> assigned.put(member, new ArrayList<>()));
        for (String topic : topics) {
            for (int partition = 0; partition < sizes.get(topic); partition++) {
                TopicPartition topicPartition = new TopicPartition(topic, partition);
                String owner = wanted[partition];
                if (held.get(owner).contains(topicPartition) || !owners.containsKey(topicPartition)) {
                    assigned.get(owner).add(topicPartition);
                }
            }
        }
        return new GroupAssignment(assigned.entrySet().stream().collect(Collectors.toMap(
                Map.Entry::getKey, member -> new Assignment(member.getValue()))));
    }

    /** Returns who owns each partition: of several members that claim it, the one with the latest generation. */
    private static Map<TopicPartition, String> owners(Map<String, Subscription> members) {
        Map<TopicPartition, String> owners = new HashMap<>();
        members.entrySet().stream().sorted(Map.Entry.<String, Subscription>comparingByValue(
                        (a, b) -> Integer.compare(generation(a), generation(b))).thenComparing(Map.Entry::getKey))
                .forEach(member -> member.getValue().ownedPartitions()
                        .forEach(partition -> owners.put(partition, member.getKey())));
        return owners;
    }

    private static int generation(Subscription member) {
        return member.generationId().orElse(-1);
    }
}
