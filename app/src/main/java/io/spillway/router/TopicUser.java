package io.spillway.router;

import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.stream.Stream;

/**
 * Client outside Kafka Streams that reads or writes Spillway's topics, for the topology description. Kafka Streams
 * describes only its own sources, processors and sinks.
 *
 * @param title   name of the client in the description
 * @param reads   topics whose records it processes and whose offsets it commits
 * @param follows topics that it follows without a group: views of compacted ones, and reports
 * @param writes  topics that it writes to
 */
record TopicUser(String title, List<String> reads, List<String> follows, List<String> writes) {
    /** Returns the clients of one installation in the order in which an item meets them. */
    static List<TopicUser> of(Topics topics) {
        List<String> rules = List.of(topics.policies(), topics.sweeps());
        List<String> assigned = topics.assignsShards() ? List.of(topics.shards()) : List.of();
        // Written by: tenants release --shard.
        List<String> requests = topics.assignsShards() ? List.of(topics.shardRequests()) : List.of();
        List<String> statuses = List.of(topics.depths(), topics.demand(), topics.laneState(),
                topics.attempts());
        List<String> ledger = List.of(topics.ledger());
        return List.of(
                new TopicUser(
                        "gateway", List.of(),
                        List.of(topics.keys(), topics.policies(), topics.depths(), topics.demand()),
                        List.of(topics.ingress(), topics.demand())),
                // The router writes the ledger deltas of the route and delay stages past the topology.
                new TopicUser(
                        "router", List.of(), join(List.of(rules, statuses, assigned)),
                        List.of(topics.ledger(), topics.demand(), topics.sweeps())),
                new TopicUser(
                        "worker", lanes(topics, Lane.HOT, Lane.OVERFLOW, Lane.AGED), rules,
                        join(List.of(
                                lanes(topics, Lane.OVERFLOW, Lane.AGED, Lane.DELAY, Lane.DEAD_LETTER),
                                List.of(topics.ledger(), topics.laneState(), topics.attempts(),
                                        topics.timeouts())))),
                new TopicUser(
                        "dead-letters", lanes(topics, Lane.DEAD_LETTER), rules,
                        join(List.of(lanes(topics, Lane.DELAY, Lane.DEAD_LETTER), ledger))),
                new TopicUser(
                        "commands", List.of(), List.of(),
                        join(List.of(
                                List.of(topics.ingress(), topics.policies(), topics.keys(), topics.sweeps()),
                                requests))));
    }

    private static List<String> lanes(Topics topics, Lane... lanes) {
        return Stream.of(lanes).map(topics::lane).toList();
    }

    private static List<String> join(List<List<String>> parts) {
        return parts.stream().flatMap(List::stream).toList();
    }
}
