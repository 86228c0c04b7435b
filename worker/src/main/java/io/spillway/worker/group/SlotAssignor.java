package io.spillway.worker.group;

import io.spillway.core.item.PoolName;
import io.spillway.core.sharding.SlotAssignment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;

/**
 * Assignor of the workers' group, by {@link SlotAssignment} among the workers of each pool. Each member sends its slots
 * and its pool as user data; the leader of the group decides for all. A partition that is to move is given to another
 * one a round later, when it is released. Partitions of a pool without workers have no owner.
 *
 * <p>Public, because Kafka's client creates it.
 */
public final class SlotAssignor implements ConsumerPartitionAssignor, Configurable {
    /** Property of the consumer with the slots of its worker, an Integer. */
    public static final String SLOTS = "spillway.worker.slots";

    /** Property of the consumer with the {@link WorkerPools} of its worker. */
    public static final String POOLS = "spillway.worker.pools";

    private static final byte VERSION = 1;
    private static final int POOL_AT = Byte.BYTES + Integer.BYTES;

    private int slots = 1;
    private WorkerPools pools;

    @Override
    public void configure(Map<String, ?> properties) {
        slots = (Integer) properties.get(SLOTS);
        pools = (WorkerPools) properties.get(POOLS);
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
        return encode(slots, pools.own());
    }

    /** The pool is behind what earlier releases send and read. */
    static ByteBuffer encode(int slots, String pool) {
        byte[] name = pool.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(POOL_AT + name.length).put(VERSION).putInt(slots).put(name).flip();
    }

    /** Returns the slots in a member's user data; 1 if they cannot be read, so that a faulty member harms none. */
    static int slots(ByteBuffer userData) {
        return isReadable(userData)
                ? Math.clamp(userData.getInt(userData.position() + Byte.BYTES), 1, SlotAssignment.Worker.MAX_SLOTS) : 1;
    }

    /** Returns the pool in a member's user data; the shared one if there is none, or it cannot be read. */
    static String pool(ByteBuffer userData) {
        if (!isReadable(userData)) {
            return PoolName.SHARED;
        }
        byte[] name = new byte[userData.remaining() - POOL_AT];
        userData.get(userData.position() + POOL_AT, name);
        String pool = new String(name, StandardCharsets.US_ASCII);
        return PoolName.isValid(pool) ? pool : PoolName.SHARED;
    }

    private static boolean isReadable(ByteBuffer userData) {
        return userData != null && userData.remaining() >= POOL_AT && userData.get(userData.position()) == VERSION;
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        pools.assigned();
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
        String[] wanted = wanted(members, now, pools.assign());

        Map<String, Set<TopicPartition>> held = members.entrySet().stream().collect(Collectors.toMap(
                Map.Entry::getKey, member -> new HashSet<>(member.getValue().ownedPartitions())));
        Map<String, List<TopicPartition>> assigned = new HashMap<>();
        members.keySet().forEach(member -> assigned.put(member, new ArrayList<>()));
        for (String topic : topics) {
            for (int partition = 0; partition < sizes.get(topic); partition++) {
                TopicPartition topicPartition = new TopicPartition(topic, partition);
                String owner = wanted[partition];
                if (owner != null
                        && (held.get(owner).contains(topicPartition) || !owners.containsKey(topicPartition))) {
                    assigned.get(owner).add(topicPartition);
                }
            }
        }
        return new GroupAssignment(assigned.entrySet().stream().collect(Collectors.toMap(
                Map.Entry::getKey, member -> new Assignment(member.getValue()))));
    }

    /**
     * Returns who is to own each partition, null for those of a pool without workers.
     *
     * @param now who owns each partition now, null for nobody
     */
    private static String[] wanted(
            Map<String, Subscription> members, String[] now, SortedMap<Integer, String> poolOfPartition) {
        Map<String, List<SlotAssignment.Worker>> workers = new HashMap<>();
        members.forEach((name, member) -> workers
                .computeIfAbsent(pool(member.userData()), absent -> new ArrayList<>())
                .add(new SlotAssignment.Worker(name, slots(member.userData()))));
        String[] wanted = new String[now.length];
        workers.forEach((pool, ofPool) -> {
            int[] numbers = IntStream.range(0, now.length).filter(partition -> poolOfPartition
                    .getOrDefault(partition, PoolName.SHARED).equals(pool)).toArray();
            String[] given = SlotAssignment.assign(
                    ofPool, Arrays.stream(numbers).mapToObj(number -> now[number]).toArray(String[]::new));
            for (int i = 0; i < numbers.length; i++) {
                wanted[numbers[i]] = given[i];
            }
        });
        return wanted;
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
