package io.spillway.router;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.topic.ItemReader;
import io.spillway.topic.ItemSchemas;
import io.spillway.topic.Placements;
import io.spillway.topic.ShardAssignments;
import io.spillway.topic.TenantPolicies;
import io.spillway.topic.Topics;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.TopologyDescription.Node;
import org.apache.kafka.streams.TopologyDescription.Processor;
import org.apache.kafka.streams.TopologyDescription.Sink;
import org.apache.kafka.streams.TopologyDescription.Source;

/** The shape of the router for people: Kafka's own description, and a drawing of it in Mermaid. */
public final class TopologyDrawing {
    private final TopologyDescription description;

    /** Describes the router that would run with this configuration. */
    public TopologyDrawing(Configuration configuration) {
        Topics topics = new Topics(configuration);
        MeterRegistry nowhere = new SimpleMeterRegistry();
        RouterMetrics metrics = new RouterMetrics(nowhere, 1);
        Bookkeeping books = Bookkeeping.none(topics);
        DelayMetrics delays = new DelayMetrics(nowhere, () -> Instant.EPOCH);
        Decider decider = (record, nowMillis) -> {
            throw new IllegalStateException("this topology is only described");
        };
        DelayReader reader = new DelayReader(new ItemReader(ItemSchemas.load(), 0));
        Topology topology = RouterTopology.build(
                topics,
                () -> new RouteProcessor(decider, metrics, books),
                () -> new DelayProcessor(reader, decider, metrics, delays, 1, () -> Instant.EPOCH, topics, books));
        RouterTopology.withBooks(topology, topics, () -> new FoldProcessor((partition, from, ledger) -> {
            throw new IllegalStateException("this topology is only described");
        }, tenant -> Optional.empty(), 0));
        if (topics.assignsShards()) {
            // Kafka Streams asks for a processor to see that each is another.
            Placements placements = new Placements(
                    configuration, new TenantPolicies(configuration.defaults()), ShardAssignments.none());
            RouterTopology.withShards(topology, topics, () -> new ShardProcessor(placements, 0, 1));
        }
        this.description = topology.describe();
    }

    /** Kafka's description. */
    public String text() {
        return description.toString().stripTrailing() + "\n";
    }

    /** A flowchart: topics as cylinders, nodes as boxes, stores as databases. */
    public String mermaid() {
        Set<String> lines = new TreeSet<>();
        for (TopologyDescription.Subtopology part : description.subtopologies()) {
            for (Node node : part.nodes()) {
                draw(node, lines);
            }
        }
        return lines.stream().collect(Collectors.joining("\n    ", "flowchart LR\n    ", "\n"));
    }

    private static void draw(Node node, Set<String> lines) {
        for (Node next : node.successors()) {
            lines.add(box(node) + " --> " + box(next));
        }
        switch (node) {
            case Source source -> source.topicSet().forEach(topic -> lines.add(cylinder(topic) + " --> " + box(node)));
            case Sink sink -> lines.add(box(node) + " --> " + cylinder(sink.topic()));
            case Processor processor -> processor.stores().forEach(store -> lines.add(box(node) + " <--> " + cylinder(store)));
            default -> { }
        }
    }

    private static String box(Node node) {
        return "node-" + node.name() + "[" + node.name() + "]";
    }

    private static String cylinder(String name) {
        return "topic-" + name + "[(" + name + ")]";
    }
}
