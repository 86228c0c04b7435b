package io.spillway.testing.broker;

import java.util.List;
import org.testcontainers.kafka.KafkaContainer;

/** Start of a broker in a container. Apart from {@link SessionBroker}, because Testcontainers is optional. */
final class ContainerBroker {
    private ContainerBroker() {}

    /** @param image of Apache Kafka, with its version */
    @SuppressWarnings("resource") // Stopped with the broker.
    static SessionBroker start(String image) {
        KafkaContainer kafka = new KafkaContainer(image)
                .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
                // As the embedded broker. By default a router starts after 3 s, and a dead one is replaced after 45 s.
                .withEnv("KAFKA_GROUP_STREAMS_INITIAL_REBALANCE_DELAY_MS", "0");
        for (String group : List.of("KAFKA_GROUP_CONSUMER", "KAFKA_GROUP_STREAMS")) {
            kafka.withEnv(group + "_MIN_HEARTBEAT_INTERVAL_MS", "100").withEnv(group + "_HEARTBEAT_INTERVAL_MS", "500")
                    .withEnv(group + "_MIN_SESSION_TIMEOUT_MS", "1000").withEnv(group + "_SESSION_TIMEOUT_MS", "10000");
        }
        kafka.start();
        return new SessionBroker(kafka.getBootstrapServers(), kafka::stop);
    }
}
