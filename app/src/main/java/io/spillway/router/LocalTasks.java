package io.spillway.router;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;

/** Tasks of Kafka Streams that this process has now. */
record LocalTasks(KafkaStreams streams) {
    /** Returns the ids of the tasks whose state is here and current. */
    Set<String> ids() {
        return streams.metadataForLocalThreads().stream()
                .flatMap(thread -> Stream.concat(thread.activeTasks().stream(), thread.standbyTasks().stream()))
                .map(task -> task.taskId().toString())
                .collect(Collectors.toSet());
    }

    /** Returns whether the first partition of a topic is worked on here; that is so in one process at a time. */
    boolean hasFirst(String topic) {
        return streams.metadataForLocalThreads().stream().flatMap(thread -> thread.activeTasks().stream())
                .anyMatch(task -> task.topicPartitions().contains(new TopicPartition(topic, 0)));
    }
}
