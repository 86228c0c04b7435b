package io.spillway.kafka.view;

import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;

/**
 * Views of one running instance, which commits its progress in each topic for {@code tenants set --wait}. Owner of the
 * views. Thread-safe.
 */
public final class InstanceViews implements AutoCloseable {
    private static final int MAX_INSTANCES = 1_000;

    private final KafkaClients clients;
    private final String instance;
    private final int maxEntries;
    private final Duration patience;
    private final InstantSource clock;
    private final Deque<CompactedView> opened = new ConcurrentLinkedDeque<>();

    /**
     * Creates an instance without views.
     *
     * @param instance   name of the instance, the same after a restart
     * @param maxEntries limit of keys in each view
     * @param patience   as for {@link CompactedView#start}
     */
    public InstanceViews(
            KafkaClients clients, String instance, int maxEntries, Duration patience, InstantSource clock) {
        this.clients = clients;
        this.instance = instance;
        this.maxEntries = maxEntries;
        this.patience = patience;
        this.clock = clock;
    }

    /** Returns the group with which an instance commits its progress in a topic. */
    public static String groupOf(String topic, String instance) {
        return topic + ".view." + instance;
    }

    /**
     * Returns the newest mark of each instance that has a view of a topic, alive or not, by the name of the instance.
     *
     * @param groups all groups of the cluster
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    public static Map<String, ProgressMark> marks(Admin admin, Collection<String> groups, String topic) {
        String prefix = groupOf(topic, "");
        Map<String, ListConsumerGroupOffsetsSpec> asked = groups.stream().filter(group -> group.startsWith(prefix))
                .limit(MAX_INSTANCES)
                .collect(Collectors.toMap(group -> group, group -> new ListConsumerGroupOffsetsSpec()));
        Map<String, ProgressMark> marks = new HashMap<>();
        if (asked.isEmpty()) {
            return marks;
        }
        var answers = admin.listConsumerGroupOffsets(asked);
        asked.keySet().forEach(group -> TopicAdmin
                .get(answers.partitionsToOffsetAndMetadata(group), "read which instances run").values().stream()
                .filter(Objects::nonNull)
                .flatMap(offset -> ProgressMark.parse(offset.metadata()).stream())
                .max(Comparator.comparingLong(ProgressMark::atMillis))
                .ifPresent(mark -> marks.put(group.substring(prefix.length()), mark)));
        return marks;
    }

    /**
     * Reads the whole topic into the content, which then follows it, and returns the content.
     *
     * @throws io.spillway.kafka.topics.KafkaFailure if the topic cannot be read
     */
    public <C extends ViewContent<?>> C follow(String topic, C content) {
        CompactedView view = new CompactedView(
                clients, topic, content, maxEntries, Optional.of(groupOf(topic, instance)), clock);
        opened.push(view);
        view.start(patience);
        return content;
    }

    /** Closes the views, the last one first. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
