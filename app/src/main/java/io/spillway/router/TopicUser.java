package io.spillway.router;

import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.List;

/**
 * Client outside Kafka Streams that reads or writes Spillway's topics, for the topology description. Kafka Streams
 * describes only its own sources, processors and sinks.
 *
 * @param title   name of the client in the description
 * @param reads   topics whose records it processes and whose offsets it commits
 * @param follows compacted topics that it keeps in memory as a view
 * @param writes  topics that it writes to
 */
record TopicUser(String title, List<String> reads, List<String> follows, List<String> writes) {
    TopicUser {
        reads = List.copyOf(reads);
        follows = List.copyOf(follows);
        writes = List.copyOf(writes);
    }

    /** Returns the clients of one installation in the order in which an item meets them. */
    static List<TopicUser> of(Topics topics) {
        return List.of(
                new TopicUser(
                        "gateway", List.of(), List.of(topics.keys(), topics.policies(), topics.depths()),
                        List.of(topics.ingress())),
                // The router writes the ledger deltas of the route and delay stages past the topology.
                new TopicUser("router", List.of(), routerViews(topics), List.of(topics.ledger(), topics.demand())),
                new TopicUser(
                        "worker",
                        List.of(topics.lane(Lane.HOT), topics.lane(Lane.OVERFLOW), topics.lane(Lane.AGED)),
                        List.of(topics.policies(), topics.sweeps()),
                        List.of(
                                topics.lane(Lane.OVERFLOW), topics.lane(Lane.AGED), topics.lane(Lane.DELAY),
                                topics.lane(Lane.DEAD_LETTER), topics.ledger(), topics.laneState())),
                new TopicUser(
                        "dead-letters",
                        List.of(topics.lane(Lane.DEAD_LETTER)),
                        List.of(topics.policies(), topics.sweeps()),
                        List.of(topics.lane(Lane.DELAY), topics.lane(Lane.DEAD_LETTER), topics.ledger())),
                new TopicUser("commands", List.of(), List.of(), commandTopics(topics)));
    }

    private static List<String> commandTopics(Topics topics) {
        List<String> written = new ArrayList<>(
                List.of(topics.ingress(), topics.policies(), topics.keys(), topics.sweeps()));
        if (topics.assignsShards()) {
            // Written by: tenants release --shard.
            written.add(topics.shardRequests());
        }
        return written;
    }

    private static List<String> routerViews(Topics topics) {
        List<String> views = new ArrayList<>(
                List.of(topics.policies(), topics.sweeps(), topics.depths(), topics.demand(), topics.laneState()));
        if (topics.assignsShards()) {
            views.add(topics.shards());
        }
        return views;
    }
}
