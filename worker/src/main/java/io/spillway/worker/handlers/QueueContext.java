package io.spillway.worker.handlers;

import io.spillway.handler.HandlerContext;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Context of handlers for the items of one queue. */
public record QueueContext(QueueSettings queue, InstantSource clock) implements HandlerContext {
    @Override
    public Map<String, Object> kafka() {
        return new KafkaClients(queue).common();
    }

    @Override
    public Map<String, Object> producer() {
        return new KafkaClients(queue).producing(Map.of());
    }

    @Override
    public Set<String> ownTopics() {
        return new Topics(queue).all().stream().map(TopicSpec::name).collect(Collectors.toSet());
    }
}
