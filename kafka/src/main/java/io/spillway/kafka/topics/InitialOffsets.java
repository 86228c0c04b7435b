package io.spillway.kafka.topics;

import io.spillway.core.item.Lane;
import io.spillway.core.text.Printable;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Initial offsets of the router and worker groups: the start of each partition, committed before a member joins. A
 * group that had offsets and lost them is refused, because a silent reset would repeat or skip items, except where no
 * record is left.
 */
public final class InitialOffsets {
    private static final Logger LOG = LoggerFactory.getLogger(InitialOffsets.class);

    /**
     * Longest time from the check that a group has not begun until its first offsets are committed; later they are
     * checked again. A member that begins meanwhile gets its partitions only after the delay of Kafka's first rebalance
     * (3 s), and a dead one is a member for another 10 s, in which Kafka refuses the commit. So nobody's offsets are
     * replaced.
     */
    private static final long FRESH_MILLIS = 3_000;
    private static final int MOST_ATTEMPTS = 20;

    private static final String STOP_ALL =
            "Stop all members of the group, then start them with one version and one configuration.";

    private final KafkaClients clients;
    private final QueueAdmin admin;
    private final Topics topics;
    private final InstantSource clock;
    private final Function<String, RuntimeException> failure;

    /** Creates the initial offsets of one cluster; lost offsets throw this failure with a message for the operator. */
    public InitialOffsets(
            KafkaClients clients, QueueAdmin admin, Topics topics, InstantSource clock,
            Function<String, RuntimeException> failure) {
        this.clients = clients;
        this.admin = admin;
        this.topics = topics;
        this.clock = clock;
        this.failure = failure;
    }

    /** Commits the start of each partition without an offset in the lanes that workers read. */
    public void commitForWorkers() {
        Map<String, BooleanSupplier> lanes = new LinkedHashMap<>();
        // A lane that was read before has been purged, so the start of the partition shows it.
        Lane.WORKED.forEach(lane -> lanes.put(topics.lane(lane), () -> true));
        commit(topics.workerGroup(), lanes);
    }

    /** Commits the start of each partition without an offset in the topics that routers read. */
    public void commitForRouters() {
        Map<String, BooleanSupplier> inputs = new LinkedHashMap<>();
        inputs.put(topics.ingress(), () -> Stream.of(Lane.values()).map(topics::lane).allMatch(this::hadNoItem));
        // A stored timer leaves records in the changelog even after it has fired.
        inputs.put(topics.lane(Lane.DELAY), () -> isUnused(topics.timersChangelog()));
        if (topics.assignsShards()) {
            inputs.put(topics.shardRequests(), () -> isUnused(topics.shardsChangelog()));
        }
        inputs.put(topics.schedules(), () -> isUnused(topics.schedulesChangelog()));
        inputs.put(topics.ledger(), () -> isUnused(topics.balancesChangelog()));
        refuseOtherInputs(topics.routerGroup(), inputs.keySet());
        commit(topics.routerGroup(), inputs);
    }

    /**
     * Commits where a source begins that has no offset. A partition that was added later begins at its start.
     *
     * @param first           where a source begins of which no partition has one
     * @param notBeforeMillis when such a source begins at the earliest, epoch milliseconds
     * @return whether it can be read; false if it begins later
     */
    public boolean commitForSource(String group, String topic, OffsetSpec first, long notBeforeMillis) {
        refuseOtherInputs(group, Set.of(topic));
        List<QueueProgress> all = admin.read(topic, group);
        List<QueueProgress> without = all.stream().filter(part -> !part.isCommitted()).toList();
        if (without.isEmpty()) {
            return true;
        }
        boolean isNew = without.size() == all.size();
        if (isNew && clock.millis() < notBeforeMillis) {
            return false;
        }
        if (isNew || admin.members(group).isEmpty()) {
            Map<TopicPartition, OffsetAndMetadata> firsts =
                    admin.firsts(partitions(without), isNew ? first : OffsetSpec.earliest());
            commitFirst(group, without, (begun, withinMillis) -> admin.commitFirst(group,
                    partitions(begun).stream().collect(Collectors.toMap(each -> each, firsts::get)), withinMillis));
        }
        if (isNew) {
            LOG.info("Group {} begins to read {}", group, byTopic(partitions(without)));
        }
        return true;
    }

    /** Kafka Streams lets a member join that does not know a topic of the others, and does not say so. */
    private void refuseOtherInputs(String group, Set<String> inputs) {
        Set<String> others = admin.members(group).stream()
                .flatMap(member -> member.assignment().topicPartitions().stream())
                .map(TopicPartition::topic).filter(topic -> !inputs.contains(topic))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!others.isEmpty()) {
            throw failure.apply("Running members of group " + group + " read " + String.join(", ", others)
                    + ", which this one does not: it has another version, or other settings shards.* or router.sources.*. "
                    + STOP_ALL);
        }
    }

    private void commit(String group, Map<String, BooleanSupplier> neverReadByTopic) {
        List<QueueProgress> without = new ArrayList<>();
        neverReadByTopic.forEach((topic, neverRead) -> without.addAll(withoutOffset(group, topic, neverRead)));
        try {
            List<QueueProgress> initial = commitFirst(group, without,
                    (begun, withinMillis) -> admin.commitStart(group, begun, withinMillis));
            if (!initial.isEmpty()) {
                LOG.info("Group {} begins at the start of {}", group, byTopic(partitions(initial)));
            }
        } catch (KafkaFailure e) {
            refuseWhileOthersRun(group, neverReadByTopic.keySet(), e);
        }
    }

    /** Commits offsets of a group that has not begun, within a time. */
    private interface FirstCommit {
        void commit(List<QueueProgress> partitions, long withinMillis);
    }

    /** Returns the partitions of which it has committed the first offsets. */
    private List<QueueProgress> commitFirst(String group, List<QueueProgress> without, FirstCommit first) {
        for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
            long checkedMillis = clock.millis();
            List<QueueProgress> initial = stillWithout(group, without);
            if (initial.isEmpty()) {
                return initial;
            }
            long leftMillis = Math.min(FRESH_MILLIS, checkedMillis + FRESH_MILLIS - clock.millis());
            try {
                if (leftMillis > 0) {
                    first.commit(initial, leftMillis);
                    return initial;
                }
            } catch (KafkaFailure e) {
                if (!(e.getCause() instanceof TimeoutException)) {
                    throw e;
                }
            }
        }
        throw new KafkaFailure("cannot commit first offsets of group " + group, new TimeoutException(
                "Kafka did not confirm them within " + FRESH_MILLIS + " ms, " + MOST_ATTEMPTS + " times"));
    }

    private static List<TopicPartition> partitions(List<QueueProgress> queues) {
        return queues.stream().map(QueueProgress::partition).toList();
    }

    /** Returns the number of partitions of each topic, for people. */
    static String byTopic(List<TopicPartition> partitions) {
        Map<String, Long> counts = partitions.stream()
                .collect(Collectors.groupingBy(TopicPartition::topic, TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(topic -> Printable.count(topic.getValue(), "partition") + " of " + topic.getKey())
                .collect(Collectors.joining(", "));
    }

    /** Returns if another process that started at the same time has committed the offsets. */
    private void refuseWhileOthersRun(String group, Set<String> inputs, KafkaFailure refusal) {
        if (!(refusal.getCause() instanceof UnknownMemberIdException)) {
            throw refusal;
        }
        List<TopicPartition> without = inputs.stream().flatMap(topic -> admin.read(topic, group).stream())
                .filter(queue -> !queue.isCommitted()).map(QueueProgress::partition).toList();
        if (!without.isEmpty()) {
            throw failure.apply("Running members of group " + group + " do not read " + without.getFirst()
                    + (without.size() > 1 ? " and " + (without.size() - 1) + " more" : "")
                    + ", which this one does: it has another version, other settings shards.*, or more partitions. "
                    + STOP_ALL);
        }
    }

    private List<QueueProgress> withoutOffset(String group, String topic, BooleanSupplier neverRead) {
        List<QueueProgress> queues = admin.read(topic, group);
        List<QueueProgress> without = queues.stream().filter(queue -> !queue.isCommitted()).toList();
        if (without.isEmpty()) {
            return without;
        }
        boolean isNew = without.size() < queues.size() || neverRead.getAsBoolean();
        List<QueueProgress> lost = stillWithout(group,
                withRecords(without.stream().filter(queue -> !isNew || queue.start() > 0).toList()));
        if (!lost.isEmpty()) {
            throw failure.apply("Group " + group + " has lost its offsets for " + lost.getFirst().partition()
                    + (lost.size() > 1 ? " and " + (lost.size() - 1) + " more" : "")
                    + ". It does not start, because its position is unknown. Set the offsets with: "
                    + admin.commands().kafka("kafka-consumer-groups.sh", "--group " + group + " --topic " + topic + ":"
                            + lost.stream().map(queue -> String.valueOf(queue.partition().partition()))
                                    .collect(Collectors.joining(","))
                            + " --reset-offsets --to-earliest --execute")
                    + " (--to-earliest repeats the items that are still there, --to-latest skips them)");
        }
        return without;
    }

    /** Leaves out what another process has begun, and perhaps left again, while a check waited for a transaction. */
    private List<QueueProgress> stillWithout(String group, List<QueueProgress> queues) {
        if (queues.isEmpty()) {
            return queues;
        }
        Set<TopicPartition> begun =
                admin.committed(queues.stream().map(QueueProgress::partition).toList(), group).keySet();
        return queues.stream().filter(queue -> !begun.contains(queue.partition())).toList();
    }

    /** Returns those that have a committed record. What a purge leaves is often the marker of a transaction only. */
    private List<QueueProgress> withRecords(List<QueueProgress> queues) {
        if (queues.isEmpty()) {
            return queues;
        }
        List<QueueProgress> found = new ArrayList<>();
        try (Consumer<byte[], byte[]> consumer = clients.consumer(Map.of())) {
            PartitionReader reader = new PartitionReader(consumer, clock, admin.commands());
            for (QueueProgress queue : queues) {
                reader.seek(queue.partition(), queue.start(), queue.end());
                if (!reader.next().isEmpty()) {
                    found.add(queue);
                }
            }
        }
        return found;
    }

    /** An aborted transaction of somebody else leaves a lane as it was. No lane is compacted. */
    private boolean hadNoItem(String lane) {
        List<QueueProgress> used = admin.read(lane, topics.workerGroup()).stream()
                .filter(queue -> queue.end() > 0).toList();
        return used.stream().allMatch(queue -> queue.start() == 0) && withRecords(used).isEmpty();
    }

    private boolean isUnused(String topic) {
        return admin.read(topic, topics.workerGroup()).stream().allMatch(queue -> queue.end() == 0);
    }
}
