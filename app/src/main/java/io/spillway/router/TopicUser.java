package io.spillway.router;

import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.stream.Stream;

/**
 * Client outside Kafka Streams that reads or writes Spillway's topics, for the topology description and for the ACLs.
 * Kafka Streams describes only its own sources, processors and sinks.
 *
 * @param title   name of the client in the description
 * @param reads   topics whose records it processes and whose offsets it commits
 * @param views   compacted topics that it follows, with a group of its own for its progress
 * @param follows topics that it follows without a group: views of compacted ones, and reports
 * @param writes  topics that it writes to
 * @param purges  topics whose finished records it deletes
 */
record TopicUser(
        String title, List<String> reads, List<String> views, List<String> follows, List<String> writes,
        List<String> purges) {
    /** Returns the clients of one installation in the order in which an item meets them. */
    static List<TopicUser> of(Topics topics) {
        return join(List.of(List.of(gateway(topics), router(topics), worker(topics)), commands(topics)));
    }

    static TopicUser gateway(Topics topics) {
        return new TopicUser(
                "gateway", List.of(),
                List.of(topics.policies(), topics.sweeps(), topics.keys(), topics.depths(), topics.actions()),
                join(List.of(List.of(topics.demand()), trail(topics))), List.of(topics.ingress(), topics.demand()),
                List.of());
    }

    /** Returns the router; it writes the ledger deltas of the route and delay stages past the topology. */
    static TopicUser router(Topics topics) {
        return new TopicUser(
                "router", List.of(), join(List.of(rules(topics), assigned(topics, topics.shards()))),
                List.of(topics.depths(), topics.demand(), topics.laneState(), topics.attempts()),
                // Of policies, actions and ingress: the rules.
                List.of(topics.ledger(), topics.demand(), topics.policies(), topics.actions(), topics.ingress()),
                join(List.of(List.of(topics.ingress(), topics.lane(Lane.DELAY), topics.ledger()),
                        assigned(topics, topics.shardRequests()))));
    }

    static TopicUser worker(Topics topics) {
        List<String> read = Lane.WORKED.stream().map(topics::lane).toList();
        return new TopicUser(
                "worker", read, rules(topics), List.of(topics.demand(), topics.laneState()),
                join(List.of(
                        // An item of an isolated tenant moves to other partitions of its lane.
                        lanes(topics, Lane.values()),
                        List.of(topics.ledger(), topics.laneState(), topics.attempts(), topics.timeouts(),
                                topics.demand()),
                        trail(topics))),
                read);
    }

    /** Returns the commands: those for dead letters, which use transactions, and the others. */
    static List<TopicUser> commands(Topics topics) {
        List<String> read = lanes(topics, Lane.DEAD_LETTER);
        return List.of(
                new TopicUser(
                        "dead-letters", read, List.of(), rules(topics),
                        join(List.of(lanes(topics, Lane.DELAY, Lane.DEAD_LETTER),
                                List.of(topics.ledger(), topics.actions()), trail(topics))),
                        read),
                // Requests to the shard stage are written by: tenants release --shard.
                new TopicUser(
                        "commands", List.of(), List.of(), List.of(),
                        join(List.of(
                                List.of(topics.ingress(), topics.policies(), topics.keys(), topics.sweeps(),
                                        topics.schedules(), topics.actions()),
                                assigned(topics, topics.shardRequests()))),
                        List.of()));
    }

    private static List<String> rules(Topics topics) {
        return List.of(topics.policies(), topics.sweeps());
    }

    private static List<String> assigned(Topics topics, String topic) {
        return topics.assignsShards() ? List.of(topic) : List.of();
    }

    private static List<String> trail(Topics topics) {
        return topics.keepsTrail() ? List.of(topics.trail()) : List.of();
    }

    private static List<String> lanes(Topics topics, Lane... lanes) {
        return Stream.of(lanes).map(topics::lane).toList();
    }

    private static <T> List<T> join(List<List<T>> parts) {
        return parts.stream().flatMap(List::stream).toList();
    }
}
