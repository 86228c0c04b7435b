package io.spillway.kafka.view;

import io.spillway.kafka.topics.KafkaClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Views of one running instance, which commits its progress in each topic for {@code tenants set --wait}. Owner of the
 * views. Thread-safe.
 */
public final class InstanceViews implements AutoCloseable {
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
