package io.spillway.bench.peers;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** Waits from outside until a group has its partitions; a queue that does not get them is closed. */
final class Assignments {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A group is settled when it looks so for this many looks in a row: rebalances come in steps. */
    private static final int SETTLED_LOOKS = 5;

    private Assignments() {}

    /** Waits for a consumer group that is stable and has all partitions of the topic. */
    static void awaitConsumerGroup(PeerSetup setup, QueueUnderTest queue) {
        await(setup, queue, () -> {
            ConsumerGroupDescription group = Answers.get(
                    setup.admin().describeConsumerGroups(List.of(setup.group())).describedGroups().get(setup.group()));
            return group.groupState() == GroupState.STABLE
                    && holdsAll(setup, group.members().stream()
                            .map(member -> member.assignment().topicPartitions()).toList());
        });
    }

    /** Waits for a share group of as many members, all with partitions, that have all of the topic between them. */
    static void awaitShareGroup(PeerSetup setup, int members, QueueUnderTest queue) {
        await(setup, queue, () -> {
            ShareGroupDescription group = Answers.get(
                    setup.admin().describeShareGroups(List.of(setup.group())).describedGroups().get(setup.group()));
            List<Set<TopicPartition>> assigned = group.members().stream()
                    .map(member -> member.assignment().topicPartitions()).toList();
            return group.groupState() == GroupState.STABLE
                    && assigned.size() == members
                    && assigned.stream().noneMatch(Set::isEmpty)
                    && holdsAll(setup, assigned);
        });
    }

    private static boolean holdsAll(PeerSetup setup, Collection<Set<TopicPartition>> assigned) {
        Set<TopicPartition> held = new HashSet<>();
        assigned.forEach(held::addAll);
        held.removeIf(partition -> !partition.topic().equals(setup.topic()));
        return held.size() == setup.partitions();
    }

    private static void await(PeerSetup setup, QueueUnderTest queue, BooleanSupplier settled) {
        try {
            await(setup, settled);
        } catch (RuntimeException e) {
            queue.close();
            throw e;
        }
    }

    private static void await(PeerSetup setup, BooleanSupplier settled) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        for (int looks = 0; looks < SETTLED_LOOKS; looks = isSettled(settled) ? looks + 1 : 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the group " + setup.group() + " has not got its partitions in 60 s");
            }
            LockSupport.parkNanos(PERIOD_NANOS);
        }
    }

    private static boolean isSettled(BooleanSupplier settled) {
        try {
            return settled.getAsBoolean();
        } catch (IllegalStateException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return false;
            }
            throw e;
        }
    }
}
