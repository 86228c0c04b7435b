package io.spillway.kafka.topics;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.kafka.advice.SuggestedCommands;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownMemberIdException;

/**
 * Progress of consumer groups in a queue, and purging of finished records. The caller closes the admin client. Every
 * method throws {@link KafkaFailure} if the cluster refuses or does not answer.
 */
public final class QueueAdmin {
    private static final Duration STABLE_RETRY_PAUSE = Duration.ofMillis(20);
    /** Ninety seconds in total, longer than any Spillway transaction may stay open. */
    private static final int MAX_STABLE_ATTEMPTS = 4_500;

    /** A reader that reads every second looks for added partitions once a minute. */
    private static final int MOST_USES = 60;

    private final Admin admin;
    private final SuggestedCommands commands;
    /** Bound: the topics of the queue. */
    private final Map<String, Partitions> known = new ConcurrentHashMap<>();

    private record Partitions(List<TopicPartition> all, AtomicInteger uses) {}

    /** Creates an administrator whose messages suggest these commands. */
    public QueueAdmin(Admin admin, SuggestedCommands commands) {
        this.admin = admin;
        this.commands = commands;
    }

    /** Creates an administrator that does not know the address of the cluster for its messages. */
    public QueueAdmin(Admin admin) {
        this(admin, new SuggestedCommands("", false, ""));
    }

    /** Returns the commands that messages about this cluster suggest. */
    public SuggestedCommands commands() {
        return commands;
    }

    /** Returns the partitions of a topic in ascending order, with the progress of a group in each. */
    public List<QueueProgress> read(String topic, String group) {
        return read(List.of(topic), group, false, unreadable -> {});
    }

    /** Returns the number of offsets of a topic that a group has not finished, with markers of transactions. */
    public long behind(String topic, String group) {
        return read(topic, group).stream().mapToLong(QueueProgress::behind).sum();
    }

    /**
     * Returns the partitions of a topic in ascending order, with the commits of a group that finishes records in any
     * order.
     *
     * @param settled whether to wait for open transactions that commit offsets of the group, as needed before
     *                processing continues from the result. If false, the result is the state before them
     * @throws KafkaFailure also if the group has committed beyond the end of the topic: the topic was recreated; and
     *     with settled if a later release has committed
     */
    public List<QueueProgress> readProgress(String topic, String group, boolean settled) {
        return readProgress(topic, group, settled, unreadable -> {});
    }

    /** Does the same, and passes on the partitions where the progress above the committed offset cannot be read. */
    public List<QueueProgress> readProgress(
            String topic, String group, boolean settled, Consumer<TopicPartition> unreadable) {
        return readProgress(List.of(topic), group, settled, unreadable);
    }

    /** Returns the partitions of each lane that workers work on, in ascending order, with the workers' progress. */
    public Map<Lane, List<QueueProgress>> readLanes(Topics topics) {
        Map<String, Lane> lanes = Lane.WORKED.stream().collect(Collectors.toMap(topics::lane, lane -> lane));
        return readProgress(List.copyOf(lanes.keySet()), topics.workerGroup(), false, unreadable -> {}).stream()
                .collect(Collectors.groupingBy(part -> lanes.get(part.partition().topic())));
    }

    private List<QueueProgress> readProgress(
            List<String> topics, String group, boolean settled, Consumer<TopicPartition> unreadable) {
        List<QueueProgress> parts = read(topics, group, settled, unreadable);
        for (QueueProgress part : parts) {
            long frontier = part.progress().frontier();
            if (part.isCommitted() && frontier > part.end()) {
                throw new KafkaFailure("cannot continue in " + part.partition() + ": group " + group
                        + " has committed offset " + frontier + ", but the partition ends at " + part.end()
                        + ". If the topic was recreated, delete the group with: "
                        + commands.kafka("kafka-consumer-groups.sh", "--delete --group " + group));
            }
        }
        return parts;
    }

    private List<QueueProgress> read(
            List<String> topics, String group, boolean settled, Consumer<TopicPartition> unreadable) {
        try {
            return readPartitions(
                    topics.stream().flatMap(topic -> partitions(topic).stream()).toList(), group, settled, unreadable);
        } catch (KafkaFailure e) {
            // A topic may have been recreated with fewer partitions.
            topics.forEach(known::remove);
            throw e;
        }
    }

    private List<QueueProgress> readPartitions(
            List<TopicPartition> partitions, String group, boolean settled, Consumer<TopicPartition> unreadable) {
        Map<TopicPartition, OffsetAndMetadata> committed = committed(partitions, group, settled);
        committed.forEach((partition, commit) -> {
            if (commit != null && settled) {
                refuseLaterFormat(partition, group, commit);
            }
            if (commit != null && !commit.metadata().isEmpty()
                    && ProgressCodec.tryDecode(commit.offset(), commit.metadata()).isEmpty()) {
                unreadable.accept(partition);
            }
        });
        Map<TopicPartition, ListOffsetsResultInfo> starts = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(partitions, OffsetSpec.latest());
        return partitions.stream()
                .map(partition -> QueueProgress.of(partition, starts.get(partition).offset(),
                        ends.get(partition).offset(), committed.get(partition)))
                .toList();
    }

    /** What continues from progress that it cannot read would process finished records again. */
    private static void refuseLaterFormat(TopicPartition partition, String group, OffsetAndMetadata commit) {
        ProgressCodec.laterVersion(commit.offset(), commit.metadata()).ifPresent(version -> {
            throw new KafkaFailure("cannot continue in " + partition + ": the progress of group " + group
                    + " has format " + version + " of a later release. Use that release");
        });
    }

    /**
     * Returns the members of a group with a client id: their hosts by {@code group.instance.id}, or by member id
     * without one. Empty if there is no such group.
     */
    public Map<String, String> members(String group, String clientId) {
        return members(group).stream().filter(member -> member.clientId().equals(clientId)).collect(Collectors.toMap(
                member -> member.groupInstanceId().orElseGet(member::consumerId), MemberDescription::host));
    }

    /**
     * Removes the members of a group with a client id whose processes have died, so that their partitions need not wait
     * for the end of the session. A member that lives after all loses its partitions and joins again.
     *
     * @return the number of members that can be removed: those with a {@code group.instance.id}
     */
    public int removeMembers(String group, String clientId) {
        Set<MemberToRemove> dead = members(group).stream()
                .filter(member -> member.clientId().equals(clientId))
                .flatMap(member -> member.groupInstanceId().stream())
                .map(MemberToRemove::new)
                .collect(Collectors.toSet());
        if (!dead.isEmpty()) {
            try {
                TopicAdmin.get(admin.removeMembersFromConsumerGroup(
                        group, new RemoveMembersFromConsumerGroupOptions(dead)).all(), "remove members of " + group);
            } catch (KafkaFailure e) {
                // Its session has ended meanwhile.
                if (!(e.getCause() instanceof UnknownMemberIdException)) {
                    throw e;
                }
            }
        }
        return dead.size();
    }

    /** Returns the members of a group. Empty if there is no such group. */
    public Collection<MemberDescription> members(String group) {
        try {
            return TopicAdmin.get(admin.describeConsumerGroups(List.of(group)).describedGroups().get(group),
                    "describe group " + group).members();
        } catch (KafkaFailure e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return List.of();
            }
            throw e;
        }
    }

    /** Returns the offset after the last record of a partition, including open transactions. */
    public long end(TopicPartition partition) {
        return offsets(List.of(partition), OffsetSpec.latest()).get(partition).offset();
    }

    /** Returns how far partitions read earlier can be read now, in their order; the ends are not below theirs. */
    public List<ReadableEnd> readableEnds(List<QueueProgress> parts) {
        Map<TopicPartition, ListOffsetsResultInfo> readable = offsets(
                parts.stream().map(QueueProgress::partition).toList(), OffsetSpec.latest(),
                IsolationLevel.READ_COMMITTED);
        return parts.stream().map(part -> {
            long readableTo = readable.get(part.partition()).offset();
            return new ReadableEnd(part.partition(), readableTo, Math.max(readableTo, part.end()));
        }).toList();
    }

    /**
     * Returns what a group has committed for each of these partitions, when no transaction that commits some of it is
     * open any more. Partitions without a commit are missing.
     */
    public Map<TopicPartition, OffsetAndMetadata> committed(Collection<TopicPartition> partitions, String group) {
        Map<TopicPartition, OffsetAndMetadata> committed =
                new HashMap<>(committed(List.copyOf(partitions), group, true));
        committed.values().removeIf(Objects::isNull);
        return committed;
    }

    /** The client omits a partition whose offsets are in an open transaction, and returns null without a commit. */
    private Map<TopicPartition, OffsetAndMetadata> committed(
            List<TopicPartition> partitions, String group, boolean settled) {
        var asked = Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(partitions));
        var options = new ListConsumerGroupOffsetsOptions().requireStable(settled);
        for (int attempt = 0; attempt < MAX_STABLE_ATTEMPTS; attempt++) {
            Map<TopicPartition, OffsetAndMetadata> committed = TopicAdmin.get(
                    admin.listConsumerGroupOffsets(asked, options).partitionsToOffsetAndMetadata(group),
                    "read offsets of group " + group);
            if (committed.keySet().containsAll(partitions)) {
                return committed;
            }
            TopicAdmin.pause(STABLE_RETRY_PAUSE, "read offsets of group " + group);
        }
        throw new KafkaFailure("cannot read offsets of group " + group, new KafkaException(
                "a transaction that commits some of them is still open. Try again later"));
    }

    /**
     * Commits the start of each partition for a group that has not begun yet. Fails if the group is already active.
     *
     * @param withinMillis time in which it tries, 1 or more
     */
    public void commitStart(String group, Collection<QueueProgress> partitions, long withinMillis) {
        commitFirst(group, partitions.stream().collect(Collectors.toMap(
                QueueProgress::partition, p -> new OffsetAndMetadata(p.start()))), withinMillis);
    }

    /**
     * Returns the offset of the earliest or the latest record of each partition, or of the first one with a time, which
     * is the end if there is none.
     */
    public Map<TopicPartition, OffsetAndMetadata> firsts(Collection<TopicPartition> partitions, OffsetSpec first) {
        List<TopicPartition> all = List.copyOf(partitions);
        Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(all, OffsetSpec.latest());
        Map<TopicPartition, ListOffsetsResultInfo> firsts = offsets(all, first);
        return all.stream().collect(Collectors.toMap(partition -> partition, partition -> {
            long offset = firsts.get(partition).offset();
            return new OffsetAndMetadata(offset >= 0 ? offset : ends.get(partition).offset());
        }));
    }

    /** As {@link #commitStart}, of any offsets. */
    public void commitFirst(String group, Map<TopicPartition, OffsetAndMetadata> offsets, long withinMillis) {
        if (offsets.isEmpty()) {
            return;
        }
        var options = new AlterConsumerGroupOffsetsOptions().timeoutMs((int) withinMillis);
        TopicAdmin.get(admin.alterConsumerGroupOffsets(group, offsets, options).all(),
                "commit first offsets of group " + group);
    }

    /** Deletes the records that a group has finished, and returns the number of partitions that had any. */
    public int purgeFinished(String topic, String group) {
        return purgeFinished(read(topic, group));
    }

    /** Deletes records that were finished in these partitions, and returns how many partitions had any. */
    public int purgeFinished(List<QueueProgress> parts) {
        return purge(parts, part -> part.progress().frontier());
    }

    /**
     * Deletes records below an offset of each of these partitions, but never the last one of a partition.
     *
     * @param finishedTo gives the offset below which the records of a partition are not needed any more
     * @return how many partitions had any
     */
    public int purge(List<QueueProgress> parts, ToLongFunction<QueueProgress> finishedTo) {
        Map<TopicPartition, RecordsToDelete> below = new HashMap<>();
        for (QueueProgress part : parts) {
            long purgeableTo = part.purgeableTo(finishedTo.applyAsLong(part));
            if (purgeableTo > part.start()) {
                below.put(part.partition(), RecordsToDelete.beforeOffset(purgeableTo));
            }
        }
        if (!below.isEmpty()) {
            TopicAdmin.get(admin.deleteRecords(below).all(), "purge finished records of " + below.keySet());
        }
        return below.size();
    }

    private List<TopicPartition> partitions(String topic) {
        Partitions last = known.get(topic);
        if (last != null && last.uses().incrementAndGet() < MOST_USES) {
            return last.all();
        }
        List<TopicPartition> partitions = TopicAdmin.get(
                        admin.describeTopics(List.of(topic)).topicNameValues().get(topic), "describe topic " + topic)
                .partitions().stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
        known.put(topic, new Partitions(partitions, new AtomicInteger()));
        return partitions;
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(List<TopicPartition> partitions, OffsetSpec spec) {
        return offsets(partitions, spec, IsolationLevel.READ_UNCOMMITTED);
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(
            List<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> request = partitions.stream().collect(Collectors.toMap(p -> p, p -> spec));
        return TopicAdmin.get(admin.listOffsets(request, new ListOffsetsOptions(isolation)).all(), "list offsets");
    }
}
