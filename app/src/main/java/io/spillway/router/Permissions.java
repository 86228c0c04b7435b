package io.spillway.router;

import io.spillway.config.SourceSettings;
import io.spillway.kafka.topics.Permission;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.InstanceViews;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.streams.TopologyDescription.Node;
import org.apache.kafka.streams.TopologyDescription.Processor;
import org.apache.kafka.streams.TopologyDescription.Sink;
import org.apache.kafka.streams.TopologyDescription.Source;

/**
 * Permissions that each role needs in Kafka, derived from the declared topics, the topology that runs and the clients
 * outside it. No role needs a permission on the cluster.
 */
public final class Permissions {
    private final Topics topics;
    /** By type and name, so that a table is in this order. */
    private final Map<ResourceType, Map<String, Set<AclOperation>>> literal = new TreeMap<>();
    private final Map<ResourceType, Map<String, Set<AclOperation>>> prefixed = new TreeMap<>();

    private Permissions(Topics topics) {
        this.topics = topics;
    }

    /**
     * Returns the permissions of a role by type and name.
     *
     * @param sources by name
     */
    public static List<Permission> of(Topics topics, Map<String, SourceSettings> sources, AccessRole role) {
        Permissions needed = new Permissions(topics);
        switch (role) {
            case ROUTER -> {
                needed.router();
                sources.forEach((name, source) -> needed.source(name, source, AclOperation.READ));
            }
            case WORKER -> needed.worker();
            case GATEWAY -> {
                needed.process(TopicUser.gateway(topics));
                sources.forEach((name, source) -> needed.source(name, source, AclOperation.DESCRIBE));
            }
            case OPERATOR -> {
                needed.operator();
                sources.forEach((name, source) -> needed.source(name, source, AclOperation.DESCRIBE));
            }
            case PRODUCER -> needed.topics(List.of(topics.ingress()), AclOperation.WRITE);
        }
        return needed.list();
    }

    private void router() {
        process(TopicUser.router(topics));
        TopologyDrawing.describe(topics).subtopologies().forEach(stage -> stage.nodes().forEach(this::node));
        group(topics.routerGroup(), AclOperation.READ);
        // It reads the progress of the workers, to purge, to measure and to tell an unused queue.
        group(topics.workerGroup(), AclOperation.DESCRIBE);
        // Kafka Streams appends the id of the process and the number of the thread.
        transactions(prefixed, topics.routerGroup() + "-", AclOperation.WRITE);
    }

    private void source(String name, SourceSettings source, AclOperation operation) {
        topics(List.of(source.topic()), operation, AclOperation.DESCRIBE_CONFIGS);
        group(topics.sourceGroup(name), operation);
    }

    private void node(Node node) {
        switch (node) {
            case Source source -> topics(source.topicSet(), AclOperation.READ);
            case Sink sink -> topics(List.of(sink.topic()), AclOperation.WRITE);
            case Processor processor -> processor.stores().forEach(store -> topics(
                    List.of(TopologyDrawing.changelogs(topics).get(store)), AclOperation.READ, AclOperation.WRITE));
            default -> { }
        }
    }

    private void worker() {
        process(TopicUser.worker(topics));
        group(topics.workerGroup(), AclOperation.READ);
        transactions(prefixed, topics.workerGroup() + ".", AclOperation.WRITE);
    }

    private void operator() {
        TopicUser.commands(topics).forEach(this::uses);
        List<String> all = topics.all().stream().map(TopicSpec::name).toList();
        topics(all, AclOperation.CREATE, AclOperation.READ, AclOperation.DESCRIBE_CONFIGS);
        group(topics.replayGroup(), AclOperation.READ);
        group(topics.routerGroup(), AclOperation.DESCRIBE);
        group(topics.workerGroup(), AclOperation.DESCRIBE);
        // For --wait: which instances have applied a change.
        for (String view : List.of(topics.policies(), topics.sweeps(), topics.keys())) {
            add(prefixed, ResourceType.GROUP, InstanceViews.groupOf(view, ""), AclOperation.DESCRIBE);
        }
        transactions(literal, topics.replayGroup(), AclOperation.WRITE);
        // For the command transactions, which fences the producer of a transaction that it aborts.
        transactions(prefixed, topics.workerGroup() + ".", AclOperation.WRITE);
        transactions(prefixed, topics.routerGroup() + "-", AclOperation.WRITE);
    }

    /** A process checks all topics when it starts. */
    private void process(TopicUser user) {
        topics(topics.all().stream().map(TopicSpec::name).toList(),
                AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS);
        uses(user);
    }

    private void uses(TopicUser user) {
        topics(user.reads(), AclOperation.READ);
        topics(user.views(), AclOperation.READ);
        topics(user.follows(), AclOperation.READ);
        topics(user.writes(), AclOperation.WRITE);
        topics(user.purges(), AclOperation.DELETE);
        user.views().forEach(view ->
                add(prefixed, ResourceType.GROUP, InstanceViews.groupOf(view, ""), AclOperation.READ));
    }

    private void topics(Collection<String> names, AclOperation... operations) {
        names.forEach(name -> add(literal, ResourceType.TOPIC, name, operations));
    }

    private void group(String name, AclOperation operation) {
        add(literal, ResourceType.GROUP, name, operation);
    }

    private static void transactions(
            Map<ResourceType, Map<String, Set<AclOperation>>> to, String name, AclOperation operation) {
        add(to, ResourceType.TRANSACTIONAL_ID, name, operation);
    }

    private static void add(Map<ResourceType, Map<String, Set<AclOperation>>> to, ResourceType type, String name,
            AclOperation... operations) {
        to.computeIfAbsent(type, none -> new TreeMap<>())
                .computeIfAbsent(name, none -> EnumSet.noneOf(AclOperation.class)).addAll(List.of(operations));
    }

    private List<Permission> list() {
        List<Permission> list = new ArrayList<>();
        for (ResourceType type : List.of(ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID)) {
            literal.getOrDefault(type, Map.of()).forEach((name, operations) ->
                    list.add(new Permission(type, name, PatternType.LITERAL, operations)));
            prefixed.getOrDefault(type, Map.of()).forEach((name, operations) ->
                    list.add(new Permission(type, name, PatternType.PREFIXED, operations)));
        }
        return list;
    }
}
