package io.spillway.worker.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Seed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SlotAssignorTest {
    private static final List<String> LANES = List.of("hot", "overflow", "aged");

    private final SortedMap<Integer, String> poolOfPartition = new TreeMap<>();
    private final WorkerPools pools = new WorkerPools("red", () -> new TreeMap<>(poolOfPartition));
    private final SlotAssignor assignor = new SlotAssignor();
    private final Map<String, Subscription> members = new HashMap<>();

    @BeforeEach
    void configure() {
        assignor.configure(Map.of(SlotAssignor.SLOTS, 50, SlotAssignor.POOLS, pools));
    }

    @Test
    void a_partition_that_moves_has_no_new_owner_until_its_owner_has_released_it() {
        member("a", 50, all(4));
        member("b", 50, List.of());
        Map<String, List<TopicPartition>> first = assign(4);
        assertThat(first.get("a")).hasSize(6);
        assertThat(first.get("b")).isEmpty();

        member("a", 50, first.get("a"));
        Map<String, List<TopicPartition>> second = assign(4);
        assertThat(second.get("a")).hasSameElementsAs(first.get("a"));
        assertThat(second.get("b")).hasSize(6).doesNotContainAnyElementsOf(first.get("a"));
    }

    @Test
    void members_get_partitions_in_proportion_to_the_slots_that_they_send() {
        assignor.configure(Map.of(SlotAssignor.SLOTS, 100, SlotAssignor.POOLS, pools));
        ByteBuffer sent = assignor.subscriptionUserData(Set.of());
        assertThat(SlotAssignor.pool(sent)).isEqualTo("red");
        member("a", encoded(SlotAssignor.slots(sent)), List.of(), 1);
        member("b", 50, List.of());
        assertThat(assign(12).get("a")).hasSize(24);
    }

    @Test
    void user_data_that_cannot_be_read_counts_as_one_slot() {
        assertThat(SlotAssignor.slots(encoded(50))).isEqualTo(50);
        assertThat(Stream.of(null, ByteBuffer.allocate(0), ByteBuffer.allocate(4), ByteBuffer.allocate(5),
                ByteBuffer.wrap(new byte[] {2, 0, 0, 0, 9}), encoded(-7))).allMatch(
                        data -> SlotAssignor.slots(data) == 1);
        assertThat(SlotAssignor.slots(encoded(Integer.MAX_VALUE))).isEqualTo(100_000);

        member("a", 3, List.of());
        member("b", ByteBuffer.wrap("someone else's".getBytes()), List.of(), 1);
        assertThat(assign(4).get("a")).hasSize(9);
    }

    @Test
    void of_two_members_that_claim_a_partition_the_one_with_the_later_generation_keeps_it() {
        member("a", encoded(50), all(2), 3);
        List<TopicPartition> later = all(2).stream().filter(partition -> partition.partition() == 1).toList();
        member("b", encoded(50), later, 4);
        Map<String, List<TopicPartition>> assigned = assign(2);
        assertThat(assigned.get("b")).hasSameElementsAs(later);
        assertThat(assigned.get("a")).hasSize(3).doesNotContainAnyElementsOf(later);
    }

    @Test
    void every_partition_has_an_owner_while_the_lanes_have_different_numbers_of_partitions() {
        member("a", 50, List.of());
        member("b", 50, List.of());
        Cluster cluster = cluster(Map.of("hot", 6, "overflow", 4));
        Map<String, List<TopicPartition>> assigned = assign(cluster);
        assertThat(Stream.concat(assigned.get("a").stream(), assigned.get("b").stream())).hasSize(10)
                .doesNotHaveDuplicates();
    }

    @Test
    void partitions_of_a_pool_go_to_its_workers_alone_and_to_nobody_without_one() {
        poolOfPartition.putAll(Map.of(1, "red", 3, "blue"));
        member("shared", 50, List.of());
        member("red", SlotAssignor.encode(50, "red"), List.of(), 1);
        member("spare", SlotAssignor.encode(50, "spare"), List.of(), 1);

        Map<String, List<TopicPartition>> assigned = assign(4);

        assertThat(numbers(assigned.get("shared"))).containsExactly(0, 2);
        assertThat(numbers(assigned.get("red"))).containsExactly(1);
        assertThat(assigned.get("spare")).isEmpty();
        assertThat(IntStream.range(0, 4).filter(pools::handles)).as("this worker is red").containsExactly(1);
    }

    @Test
    void a_partition_whose_pool_changes_moves_in_two_rounds_that_the_leader_asks_for_once() {
        member("a", 50, all(2));
        member("b", SlotAssignor.encode(50, "red"), List.of(), 1);
        assertThat(pools.takeChange()).as("before it leads").isFalse();
        assign(2);
        assignor.onAssignment(new Assignment(List.of()), null);
        assertThat(pools.takeChange()).isFalse();

        poolOfPartition.put(1, "red");
        assertThat(pools.takeChange()).isTrue();
        assertThat(pools.takeChange()).isFalse();
        Map<String, List<TopicPartition>> first = assign(2);
        assertThat(numbers(first.get("a"))).containsExactly(0);
        assertThat(first.get("b")).isEmpty();
        member("a", 50, first.get("a"));
        assertThat(numbers(assign(2).get("b"))).containsExactly(1);

        assignor.onAssignment(new Assignment(List.of()), null);
        assignor.onAssignment(new Assignment(List.of()), null);
        poolOfPartition.clear();
        assertThat(pools.takeChange()).as("another member leads").isFalse();
    }

    @Test
    void user_data_of_earlier_releases_and_names_that_are_none_count_for_the_shared_pool() {
        assertThat(SlotAssignor.pool(SlotAssignor.encode(50, "red"))).isEqualTo("red");
        assertThat(Stream.of(null, ByteBuffer.allocate(3), SlotAssignor.encode(50, ""), SlotAssignor.encode(1, "A b"),
                ByteBuffer.wrap(new byte[] {2, 0, 0, 0, 9, 'r'}))).allMatch(
                        data -> SlotAssignor.pool(data).equals("shared"));
    }

    /** The rules of Kafka: no partition has two owners, and none goes to a member while another one holds it. */
    @Test
    void any_change_of_the_members_ends_after_two_rounds_without_a_partition_in_two_hands() {
        Seed seed = new Seed();
        SplittableRandom random = seed.random();
        for (int change = 0; change < seed.rounds(500); change++) {
            if (members.isEmpty() || random.nextInt(3) > 0) {
                member("member-" + change, SlotAssignor.encode(
                        1 + random.nextInt(100), random.nextInt(3) > 0 ? "shared" : "red"), List.of(), 1);
            } else {
                members.remove(members.keySet().stream().sorted().toList().get(random.nextInt(members.size())));
            }
            if (members.isEmpty()) {
                continue;
            }
            if (random.nextInt(3) == 0) {
                poolOfPartition.put(random.nextInt(12), random.nextBoolean() ? "red" : "shared");
            }
            for (int round = 0; round < 2; round++) {
                Map<String, List<TopicPartition>> assigned = assign(12);
                Set<TopicPartition> seen = new HashSet<>();
                assigned.forEach((member, partitions) -> partitions.forEach(partition -> {
                    assertThat(seen.add(partition)).as("%s twice, %s", partition, seed).isTrue();
                    assertThat(members.entrySet().stream()
                            .filter(other -> other.getValue().ownedPartitions().contains(partition))
                            .map(Map.Entry::getKey)).as("%s held, %s", partition, seed).isSubsetOf(member);
                }));
                assigned.forEach((member, partitions) ->
                        member(member, members.get(member).userData(), partitions, 1));
            }
            assertThat(members.values().stream().mapToInt(member -> member.ownedPartitions().size()).sum())
                    .as("change %d, %s", change, seed).isEqualTo(ownable(12));
        }
    }

    /** Returns how many partitions of all lanes belong to a pool that has workers. */
    private int ownable(int partitions) {
        Set<String> staffed = members.values().stream().map(member -> SlotAssignor.pool(member.userData()))
                .collect(Collectors.toSet());
        return LANES.size() * (int) IntStream.range(0, partitions)
                .filter(number -> staffed.contains(poolOfPartition.getOrDefault(number, "shared"))).count();
    }

    private static Set<Integer> numbers(List<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).collect(Collectors.toCollection(TreeSet::new));
    }

    private static ByteBuffer encoded(int slots) {
        return SlotAssignor.encode(slots, "shared");
    }

    private Map<String, List<TopicPartition>> assign(int partitions) {
        return assign(cluster(Map.of("hot", partitions, "overflow", partitions, "aged", partitions)));
    }

    private Map<String, List<TopicPartition>> assign(Cluster cluster) {
        Map<String, List<TopicPartition>> assigned = new HashMap<>();
        Map<String, Assignment> all = assignor.assign(cluster, new GroupSubscription(members)).groupAssignment();
        all.forEach((member, assignment) -> assigned.put(member, assignment.partitions()));
        return assigned;
    }

    private void member(String id, int slots, List<TopicPartition> owned) {
        member(id, encoded(slots), owned, 1);
    }

    private void member(String id, ByteBuffer userData, List<TopicPartition> owned, int generation) {
        members.put(id, new Subscription(LANES, userData, owned, generation, Optional.empty()));
    }

    private static List<TopicPartition> all(int partitions) {
        return LANES.stream().flatMap(lane -> IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(lane, partition))).toList();
    }

    private static Cluster cluster(Map<String, Integer> sizes) {
        Node node = new Node(0, "host", 9092);
        List<PartitionInfo> partitions = new ArrayList<>();
        sizes.forEach((topic, size) -> IntStream.range(0, size).forEach(partition -> partitions.add(
                new PartitionInfo(topic, partition, node, new Node[] {node}, new Node[] {node}))));
        return new Cluster("cluster", List.of(node), partitions, Set.of(), Set.of());
    }
}
