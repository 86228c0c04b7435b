package io.spillway.bench.support;

import io.spillway.bench.peers.Answers;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** Looks from outside how far a contender is. Seldom enough to cost nothing: ten small requests a second. */
public final class Progress {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A group is settled when it looks so for this many looks in a row: cooperative rebalances come in steps. */
    private static final int SETTLED_LOOKS = 5;

    private final Admin admin;

    public Progress(Admin admin) {
        this.admin = admin;
    }

    /** Waits until each thread has an equal share of the partitions of a scene as usual. */
    public void awaitBalanced(String group) {
        awaitBalanced(group, Scene.PARTITIONS);
    }

    /** Waits until each thread has an equal share of the partitions of each topic. */
    public void awaitBalanced(String group, int partitions) {
        int[] looks = {0};
        await("a balanced group " + group, () -> {
            looks[0] = isBalanced(group, partitions) ? looks[0] + 1 : 0;
            return looks[0] == SETTLED_LOOKS;
        });
    }

    /** Waits until the group has committed that the whole preload is done. */
    public void awaitDone(Scene scene, String group, Preload preload) {
        await("commits of " + group, () -> {
            Map<TopicPartition, OffsetAndMetadata> committed =
                    Answers.get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
            for (int partition = 0; partition < Scene.PARTITIONS; partition++) {
                OffsetAndMetadata offset = committed.get(new TopicPartition(scene.input(), partition));
                if (preload.end(partition) > 0 && (offset == null || offset.offset() < preload.end(partition))) {
                    return false;
                }
            }
            return true;
        });
    }

    /**
     * Waits until no transaction is open in the output: offsets can be visible a moment before the records they are of.
     */
    public void awaitSettled(Scene scene) {
        await("markers in " + scene.output(), () ->
                ends(scene, IsolationLevel.READ_COMMITTED).equals(ends(scene, IsolationLevel.READ_UNCOMMITTED)));
    }

    private Map<TopicPartition, Long> ends(Scene scene, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> request = Output.partitions(scene).stream()
                .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
        return Answers.get(admin.listOffsets(request, new ListOffsetsOptions(isolation)).all()).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }

    public static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited " + LIMIT.toSeconds() + " s for " + what);
            }
            LockSupport.parkNanos(PERIOD_NANOS);
        }
    }

    private boolean isBalanced(String group, int partitions) {
        ConsumerGroupDescription description;
        try {
            description = Answers.get(admin.describeConsumerGroups(List.of(group)).describedGroups().get(group));
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return false;
            }
            throw e;
        }
        Collection<MemberDescription> members = description.members();
        return description.groupState() == GroupState.STABLE
                && members.size() == Scene.THREADS
                && members.stream().allMatch(member -> hasItsShare(member.assignment().topicPartitions(), partitions));
    }

    /**
     * Of what the items come from. Kafka Streams divides the stages with a store, of the delay lane, the schedules and
     * the ledger, by their sum, so one thread may have more of the one and fewer of the other for good.
     */
    private static boolean hasItsShare(Collection<TopicPartition> assigned, int partitions) {
        Map<String, Long> byTopic =
                assigned.stream().collect(Collectors.groupingBy(TopicPartition::topic, Collectors.counting()));
        byTopic.keySet().removeIf(topic -> topic.endsWith(".ledger") || topic.endsWith(".delay")
                || topic.endsWith(".schedules"));
        int least = partitions / Scene.THREADS;
        int most = Math.ceilDiv(partitions, Scene.THREADS);
        return !byTopic.isEmpty() && byTopic.values().stream().allMatch(count -> count == least || count == most);
    }
}
