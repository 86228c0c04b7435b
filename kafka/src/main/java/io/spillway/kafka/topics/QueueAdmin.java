package io.spillway.kafka.topics;

import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Looks at a queue from outside, and purges what is finished. Owns nothing: the admin client is the caller's. */
public final class QueueAdmin {
    private static final long SETTLING_PAUSE_MILLIS = 20;
    /** Ninety seconds, longer than any transaction of ours may be open. */
    private static final int MOST_SETTLING_TRIES = 4_500;

    private final Admin admin;

    public QueueAdmin(Admin admin) {
        this.admin = admin;
    }

    /**
     * The partitions of a topic, by number, and how far a group has come in them.
     *
     * @throws KafkaFailure when the cluster does not answer
     */
    public List<QueuePartition> read(String topic, String group) {
        List<TopicPartition> partitions = partitions(topic);
        Map<TopicPartition, ListOffsetsResultInfo> starts = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(partitions, OffsetSpec.latest());
        Map<TopicPartition, OffsetAndMetadata> committed = TopicAdmin.get(
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(), "read offsets of group " + group);
        return partitions.stream()
                .map(partition -> {
                    long start = starts.get(partition).offset();
                    long end = ends.get(partition).offset();
                    OffsetAndMetadata commit = committed.get(partition);
                    return commit == null
                            ? QueuePartition.untouched(partition, start, end)
                            : QueuePartition.of(partition, start, end, commit);
                })
                .toList();
    }

    /**
     * The partitions of a topic, by number, and what a group that finishes records in any order has committed of them.
     *
     * @param settled whether to wait until transactions that commit offsets of the group are decided: for whoever goes
     *                on from there. Otherwise it is what was committed before them
     * @throws KafkaFailure when the cluster does not answer, or the group has come further than the topic: then it is
     *                      not the topic that it was
     */
    public List<QueueProgress> readProgress(String topic, String group, boolean settled) {
        List<TopicPartition> partitions = partitions(topic);
        Map<TopicPartition, OffsetAndMetadata> committed = committed(partitions, group, settled);
        Map<TopicPartition, ListOffsetsResultInfo> starts = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, ListOffsetsResultInfo> ends = offsets(partitions, OffsetSpec.latest());
        return partitions.stream()
                .map(partition -> progressOf(
                        partition, starts.get(partition).offset(), ends.get(partition).offset(), committed.get(partition), group))
                .toList();
    }

    /** The offset behind the last record of a partition, of open transactions too. */
    public long end(TopicPartition partition) {
        return offsets(List.of(partition), OffsetSpec.latest()).get(partition).offset();
    }

    /**
     * How far partitions can be read now, in their order.
     *
     * @param parts read earlier: what counts as there is what was there then, so all of it that is decided by now can be read
     * @throws KafkaFailure when the cluster does not answer
     */
    public List<ReadableEnd> readableEnds(List<QueuePartition> parts) {
        Map<TopicPartition, ListOffsetsResultInfo> readable = TopicAdmin.get(
                admin.listOffsets(
                        parts.stream().collect(Collectors.toMap(QueuePartition::partition, part -> OffsetSpec.latest())),
                        new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)).all(),
                "list offsets");
        return parts.stream()
                .map(part -> {
                    long readableTo = readable.get(part.partition()).offset();
                    return new ReadableEnd(part.partition(), readableTo, Math.max(readableTo, part.end()));
                })
                .toList();
    }

    /**
     * The admin client leaves a partition out whose offsets are in an undecided transaction, and says null of one without a
     * commit: to take the one for the other would be to take all that is finished for unfinished.
     */
    private Map<TopicPartition, OffsetAndMetadata> committed(List<TopicPartition> partitions, String group, boolean settled) {
        var asked = Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(partitions));
        var options = new ListConsumerGroupOffsetsOptions().requireStable(settled);
        for (int attempt = 0; attempt < MOST_SETTLING_TRIES; attempt++) {
            Map<TopicPartition, OffsetAndMetadata> committed = TopicAdmin.get(
                    admin.listConsumerGroupOffsets(asked, options).partitionsToOffsetAndMetadata(group),
                    "read offsets of group " + group);
            if (committed.keySet().containsAll(partitions)) {
                return committed;
            }
            pause();
        }
        throw new KafkaFailure("cannot read offsets of group " + group, new KafkaException(
                "a transaction that commits some of them is not decided"));
    }

    private static void pause() {
        try {
            if (new CountDownLatch(1).await(SETTLING_PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("nobody counts this down");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaFailure("interrupted", e);
        }
    }

    private static QueueProgress progressOf(
            TopicPartition partition, long start, long end, OffsetAndMetadata committed, String group) {
        if (committed == null) {
            return new QueueProgress(partition, start, end, ProgressState.fresh(start));
        }
        if (committed.offset() > end) {
            throw new KafkaFailure("cannot go on in " + partition, new KafkaException("group " + group + " has come to "
                    + committed.offset() + " but the topic ends at " + end
                    + "; when the topic was made anew, delete the group with: kafka-consumer-groups.sh --delete --group " + group));
        }
        return new QueueProgress(partition, start, end, ProgressCodec.decode(committed.offset(), committed.metadata()));
    }

    /**
     * Commits the start of each partition for a group that has not begun yet.
     *
     * @throws KafkaFailure when the group is at work already, or the cluster does not answer
     */
    public void commitStart(String group, Collection<QueuePartition> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = partitions.stream()
                .collect(Collectors.toMap(QueuePartition::partition, p -> new OffsetAndMetadata(p.start())));
        TopicAdmin.get(admin.alterConsumerGroupOffsets(group, offsets).all(), "commit first offsets of group " + group);
    }

    /**
     * Deletes the records that a group has finished.
     *
     * @return partitions that had any
     * @throws KafkaFailure when the cluster does not answer
     */
    public int purgeFinished(String topic, String group) {
        return purgeFinished(read(topic, group));
    }

    /**
     * Deletes the records that had been finished when these partitions were read.
     *
     * @return partitions that had any
     * @throws KafkaFailure when the cluster does not answer
     */
    public int purgeFinished(List<QueuePartition> parts) {
        Map<TopicPartition, Long> finished = new HashMap<>();
        for (QueuePartition part : parts) {
            if (part.committed().isPresent() && part.committed().getAsLong() > part.start()) {
                finished.put(part.partition(), part.committed().getAsLong());
            }
        }
        if (!finished.isEmpty()) {
            purgeBelow(finished);
        }
        return finished.size();
    }

    /**
     * Deletes the records below an offset of each partition.
     *
     * @param below offsets that are in the partition, or its end
     * @throws KafkaFailure when the cluster does not answer or refuses
     */
    public void purgeBelow(Map<TopicPartition, Long> below) {
        Map<TopicPartition, RecordsToDelete> finished = new HashMap<>();
        below.forEach((partition, offset) -> finished.put(partition, RecordsToDelete.beforeOffset(offset)));
        TopicAdmin.get(admin.deleteRecords(finished).all(), "purge what is finished of " + below.keySet());
    }

    private List<TopicPartition> partitions(String topic) {
        return TopicAdmin.get(admin.describeTopics(List.of(topic)).topicNameValues().get(topic), "describe topic " + topic)
                .partitions().stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(List<TopicPartition> partitions, OffsetSpec spec) {
        return TopicAdmin.get(
                admin.listOffsets(partitions.stream().collect(Collectors.toMap(p -> p, p -> spec))).all(),
                "list offsets");
    }
}
