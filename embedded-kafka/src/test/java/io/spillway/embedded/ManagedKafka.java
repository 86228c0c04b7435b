package io.spillway.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Broker that refuses the settings of topics that a provider refuses. Owner of the broker. */
public final class ManagedKafka implements AutoCloseable {
    private final BrokerDirectory directory;
    private final LoopbackSockets sockets;
    private final BrokerNode node;

    /** Starts a broker with its data below a directory. */
    public ManagedKafka(Path base, ProviderPolicy.Provider provider) throws Exception {
        directory = BrokerDirectory.claim(base.resolve("kafka"));
        sockets = LoopbackSockets.bind(0);
        directory.prepare(sockets.controllerPort());
        Map<String, String> settings = new TreeMap<>(BrokerSettings.of(
                directory.path(), sockets.brokerPort(), sockets.controllerPort()));
        settings.put("create.topic.policy.class.name", ProviderPolicy.class.getName());
        settings.put("alter.config.policy.class.name", ProviderPolicy.class.getName());
        settings.put(ProviderPolicy.SETTING, provider.name());
        node = new BrokerNode(settings, sockets, new FatalFaults(status -> { }));
        node.start(Duration.ofMinutes(2));
    }

    public String bootstrapServers() {
        return LoopbackSockets.HOST + ":" + sockets.brokerPort();
    }

    @Override
    public void close() {
        try {
            node.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.close();
            directory.close();
        }
    }
}
