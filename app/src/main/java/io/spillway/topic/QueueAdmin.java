package io.spillway.topic;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Looks at a queue from outside, and purges what is finished. Owns nothing: the admin client is the caller's. */
public final class QueueAdmin {
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
        List<TopicPartition> partitions =
                TopicAdmin.get(admin.describeTopics(List.of(topic)).topicNameValues().get(topic), "describe topic " + topic)
                        .partitions().stream()
                        .map(info -> new TopicPartition(topic, info.partition()))
                        .toList();
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
        Map<TopicPartition, RecordsToDelete> finished = new HashMap<>();
        for (QueuePartition queue : read(topic, group)) {
            if (queue.committed().isPresent() && queue.committed().getAsLong() > queue.start()) {
                finished.put(queue.partition(), RecordsToDelete.beforeOffset(queue.committed().getAsLong()));
            }
        }
        if (!finished.isEmpty()) {
            TopicAdmin.get(admin.deleteRecords(finished).all(), "purge topic " + topic);
        }
        return finished.size();
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(List<TopicPartition> partitions, OffsetSpec spec) {
        return TopicAdmin.get(
                admin.listOffsets(partitions.stream().collect(Collectors.toMap(p -> p, p -> spec))).all(),
                "list offsets");
    }
}
