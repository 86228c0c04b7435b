package io.spillway.router;

import io.spillway.config.Configuration;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.TopologyDescription.Node;
import org.apache.kafka.streams.TopologyDescription.Processor;
import org.apache.kafka.streams.TopologyDescription.Sink;
import org.apache.kafka.streams.TopologyDescription.Source;
import org.apache.kafka.streams.TopologyDescription.Subtopology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Description of the topology as text and as a Mermaid flowchart: the router's stages as Kafka Streams describes them,
 * their stores and changelogs, and the clients that use the same topics without Kafka Streams.
 */
public final class TopologyDrawing {
    private final List<Subtopology> stages;
    private final String described;
    private final Map<String, String> changelogs;
    private final List<TopicUser> clients;

    /** Describes the topology that would run with this configuration. */
    public TopologyDrawing(Configuration configuration) {
        Topics topics = new Topics(configuration.queue());
        TopologyDescription description = describe(topics);
        this.stages = description.subtopologies().stream().sorted(Comparator.comparingInt(Subtopology::id)).toList();
        this.described = description.toString().stripTrailing();
        this.changelogs = changelogs(topics);
        this.clients = TopicUser.of(topics);
    }

    /** Returns the description by Kafka Streams of the topology that runs with these topics. */
    static TopologyDescription describe(Topics topics) {
        return RouterTopology.build(topics, new RouterTopology.Processors(
                NeverRun::new, NeverRun::new, NeverRun::new, NeverRun::new, NeverRun::new)).describe();
    }

    /** Returns the changelogs by store. */
    static Map<String, String> changelogs(Topics topics) {
        return Map.of(
                Topics.TIMER_STORE, topics.timersChangelog(),
                Topics.BALANCE_STORE, topics.balancesChangelog(),
                Topics.SHARD_STORE, topics.shardsChangelog(),
                Topics.SCHEDULE_STORE, topics.schedulesChangelog());
    }

    /** Processor of a topology that is only described. Not a lambda: each must be a new object. */
    private static final class NeverRun<V> extends ContextualProcessor<byte[], byte[], byte[], V> {
        @Override
        public void process(Record<byte[], byte[]> record) {
            throw new IllegalStateException("This topology is only described, not run");
        }
    }

    /** Returns the description by Kafka Streams, the stages with stores and changelogs, and the clients outside it. */
    public String text() {
        StringBuilder text = new StringBuilder(described).append("\n\nStages:\n");
        for (Subtopology stage : stages) {
            text.append("   Sub-topology ").append(stage.id()).append(": ").append(name(stage)).append('\n');
            storesOf(stage).forEach(store -> text
                    .append("      store ").append(store)
                    .append(" (changelog: ").append(changelogs.get(store)).append(")\n"));
        }
        text.append("\nOutside Kafka Streams:\n");
        for (TopicUser client : clients) {
            text.append("   Client: ").append(client.title()).append('\n');
            append(text, "reads", client.reads());
            append(text, "follows", followed(client));
            append(text, "writes", client.writes());
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String verb, List<String> names) {
        if (!names.isEmpty()) {
            text.append("      ").append(verb).append(": ").append(String.join(", ", names)).append('\n');
        }
    }

    /**
     * Returns a Mermaid flowchart: a frame for each stage, cylinders for topics and stores, boxes for nodes, rounded
     * boxes for clients outside Kafka Streams. A dotted arrow is a compacted topic that a client follows.
     */
    public String mermaid() {
        List<String> frames = new ArrayList<>();
        Set<String> edges = new TreeSet<>();
        for (Subtopology stage : stages) {
            frames.add(String.format(Locale.ROOT, "subgraph stage-%d[%s]", stage.id(), name(stage)));
            stage.nodes().stream().map(TopologyDrawing::box).sorted().forEach(box -> frames.add("    " + box));
            storesOf(stage).forEach(store -> frames.add("    " + store(store)));
            frames.add("end");
            stage.nodes().forEach(node -> draw(node, edges));
        }
        clients.forEach(client -> draw(client, edges));
        frames.addAll(edges);
        return "flowchart LR\n    " + String.join("\n    ", frames) + "\n";
    }

    private void draw(Node node, Set<String> edges) {
        for (Node next : node.successors()) {
            edges.add(box(node) + " --> " + box(next));
        }
        switch (node) {
            case Source source -> source.topicSet().forEach(topic -> edges.add(cylinder(topic) + " --> " + box(node)));
            case Sink sink -> edges.add(box(node) + " --> " + cylinder(sink.topic()));
            case Processor processor -> processor.stores().forEach(store -> {
                edges.add(box(node) + " <--> " + store(store));
                edges.add(store(store) + " <--> " + cylinder(changelogs.get(store)));
            });
            default -> { }
        }
    }

    private static List<String> followed(TopicUser client) {
        return Stream.concat(client.views().stream(), client.follows().stream()).toList();
    }

    private static void draw(TopicUser client, Set<String> edges) {
        String box = "client-" + client.title() + "([" + client.title() + "])";
        client.reads().forEach(topic -> edges.add(cylinder(topic) + " --> " + box));
        followed(client).forEach(topic -> edges.add(cylinder(topic) + " -.-> " + box));
        client.writes().forEach(topic -> edges.add(box + " --> " + cylinder(topic)));
    }

    /** A stage is identified by its only processor. */
    private static String name(Subtopology stage) {
        return stage.nodes().stream().map(Node::name).filter(RouterTopology.STAGES::containsKey)
                .map(RouterTopology.STAGES::get).findFirst().orElseThrow();
    }

    private static Set<String> storesOf(Subtopology stage) {
        return stage.nodes().stream()
                .flatMap(node -> node instanceof Processor processor ? processor.stores().stream() : Stream.empty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String box(Node node) {
        return "node-" + node.name() + "[" + node.name() + "]";
    }

    private static String store(String name) {
        return "store-" + name + "[(" + name + ")]";
    }

    private static String cylinder(String name) {
        return "topic-" + name + "[(" + name + ")]";
    }
}
