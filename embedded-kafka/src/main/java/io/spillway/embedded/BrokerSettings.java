package io.spillway.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Settings of the combined broker and controller; all others are Kafka's defaults. */
final class BrokerSettings {
    private static final Map<String, String> FIXED = fixed();

    private BrokerSettings() {}

    /** Returns the settings of a broker that listens on two loopback ports. */
    static Map<String, String> of(Path directory, int brokerPort, int controllerPort) {
        String controller = LoopbackSockets.HOST + ":" + controllerPort;
        Map<String, String> settings = new TreeMap<>(FIXED);
        settings.put("log.dirs", directory.toString());
        settings.put("listeners", LoopbackSockets.BROKER + "://" + LoopbackSockets.HOST + ":" + brokerPort + ","
                + LoopbackSockets.CONTROLLER + "://" + controller);
        settings.put("controller.quorum.bootstrap.servers", controller);
        return settings;
    }

    private static Map<String, String> fixed() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("node.id", Integer.toString(BrokerDirectory.NODE_ID));
        settings.put("process.roles", "broker,controller");
        settings.put("controller.listener.names", LoopbackSockets.CONTROLLER);
        settings.put("listener.security.protocol.map",
                LoopbackSockets.BROKER + ":PLAINTEXT," + LoopbackSockets.CONTROLLER + ":PLAINTEXT");

        // Topics are declared explicitly: an automatically created one would have wrong partitions and retention.
        settings.put("auto.create.topics.enable", "false");

        // For one node and a few clients.
        for (String topic : new String[] {"offsets.topic", "transaction.state.log", "share.coordinator.state.topic"}) {
            settings.put(topic + ".replication.factor", "1");
            settings.put(topic + ".num.partitions", "4");
        }
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");

        // Committed progress must never expire, even if no process runs for a long time: 4,085 years, the maximum.
        settings.put("offsets.retention.minutes", Integer.toString(Integer.MAX_VALUE));

        // Groups start without waiting for further members.
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.streams.initial.rebalance.delay.ms", "0");

        // By default these groups assign the first partition after a heartbeat of 5 s, and reassign those of a dead
        // member after 45 s.
        settings.put("group.min.session.timeout.ms", "1000");
        for (String protocol : new String[] {"group.consumer", "group.streams"}) {
            settings.put(protocol + ".min.heartbeat.interval.ms", "100");
            settings.put(protocol + ".heartbeat.interval.ms", "500");
            settings.put(protocol + ".min.session.timeout.ms", "1000");
            settings.put(protocol + ".session.timeout.ms", "10000");
        }

        // The open transaction of a killed process blocks consumers; the default check interval is 10 s.
        settings.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");

        // A new broker is registered at its next heartbeat, and after a kill when the old session has expired. The
        // defaults would delay a start by up to 2 s and 9 s.
        settings.put("broker.heartbeat.interval.ms", "200");
        settings.put("broker.session.timeout.ms", "3000");

        // A single controller needs no no-op records, which by default cause two fsyncs per second.
        settings.put("metadata.max.idle.interval.ms", "0");

        // An 8 MiB offset map cleans 300,000 keys per pass; the default would allocate 128 MiB of heap at startup.
        settings.put("log.cleaner.dedupe.buffer.size", Integer.toString(8 << 20));

        // JMX beans of two brokers in one process would have the same names.
        settings.put("metric.reporters", "");
        return Map.copyOf(settings);
    }
}
