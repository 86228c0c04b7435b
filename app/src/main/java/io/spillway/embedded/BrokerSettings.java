package io.spillway.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The settings of the one combined broker and controller; what is not here is Kafka's default. */
final class BrokerSettings {
    private static final Map<String, String> FIXED = fixed();

    private BrokerSettings() {}

    /** Settings for a broker on {@code directory} that listens on the two ports given, on loopback. */
    static Map<String, String> of(Path directory, int brokerPort, int controllerPort) {
        String controller = LoopbackSockets.HOST + ":" + controllerPort;
        Map<String, String> settings = new TreeMap<>(FIXED);
        settings.put("log.dirs", directory.toString());
        settings.put(
                "listeners",
                LoopbackSockets.BROKER + "://" + LoopbackSockets.HOST + ":" + brokerPort + ","
                        + LoopbackSockets.CONTROLLER + "://" + controller);
        settings.put("controller.quorum.bootstrap.servers", controller);
        return settings;
    }

    private static Map<String, String> fixed() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("node.id", Integer.toString(BrokerDirectory.NODE_ID));
        settings.put("process.roles", "broker,controller");
        settings.put("controller.listener.names", LoopbackSockets.CONTROLLER);
        settings.put(
                "listener.security.protocol.map",
                LoopbackSockets.BROKER + ":PLAINTEXT," + LoopbackSockets.CONTROLLER + ":PLAINTEXT");

        // Topics are declared by their owner: one made by accident would have the wrong partitions and retention.
        settings.put("auto.create.topics.enable", "false");

        // One node, and a handful of clients.
        for (String topic : new String[] {"offsets.topic", "transaction.state.log", "share.coordinator.state.topic"}) {
            settings.put(topic + ".replication.factor", "1");
            settings.put(topic + ".num.partitions", "4");
        }
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");

        // A queue that comes back after a long holiday must find its place: 4,085 years, the most there is.
        settings.put("offsets.retention.minutes", Integer.toString(Integer.MAX_VALUE));

        // Nobody else is about to join, so no group waits for more members before it starts.
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.streams.initial.rebalance.delay.ms", "0");

        // By default these groups take a heartbeat of 5 s to get their first partition, and 45 s to give away those of
        // a dead member.
        settings.put("group.min.session.timeout.ms", "1000");
        for (String protocol : new String[] {"group.consumer", "group.streams"}) {
            settings.put(protocol + ".min.heartbeat.interval.ms", "100");
            settings.put(protocol + ".heartbeat.interval.ms", "500");
            settings.put(protocol + ".min.session.timeout.ms", "1000");
            settings.put(protocol + ".session.timeout.ms", "10000");
        }

        // What a killed process left open holds up all who read behind it; by default that is noticed every 10 s.
        settings.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");

        // A new broker is let in at its next heartbeat, and after a kill only once the session of the old one is over:
        // by default up to 2 s and 9 s in which nothing happens.
        settings.put("broker.heartbeat.interval.ms", "200");
        settings.put("broker.session.timeout.ms", "3000");

        // No-op records twice a second, each with an fsync, tell controllers apart that we do not have.
        settings.put("metadata.max.idle.interval.ms", "0");

        // 8 MiB of offsets map clean 300,000 keys a pass; the default would take 128 MiB of heap at the start.
        settings.put("log.cleaner.dedupe.buffer.size", Integer.toString(8 << 20));

        // JMX beans of a second broker in this process would collide with those of the first.
        settings.put("metric.reporters", "");
        return Map.copyOf(settings);
    }
}
