package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.KafkaClients;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;

/**
 * Looks at the cluster before a command begins, so that one that is not there, or has not our topics, is named in
 * seconds and with what to do: each of Kafka's clients would wait for its own timeout and name neither.
 */
public final class Cluster {
    /** What to do when the cluster that was configured does not answer. */
    public static final String ADDRESS_REMEDY = "check that it runs, the address (--bootstrap-servers, kafka.bootstrapServers) "
            + "and the security settings (kafka.properties)";

    private static final String ANSWER_MILLIS = "10000";

    private Cluster() {}

    /**
     * Returns when the cluster has answered and has the topics.
     *
     * @param remedy what to do when it does not answer
     * @param topics that must be there; may be empty
     * @throws CommandFailure when it does not answer, or a topic is missing
     */
    public static void require(Configuration configuration, String remedy, List<String> topics) {
        Map<String, Object> properties = new KafkaClients(configuration.queue()).common();
        properties.putIfAbsent(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
        properties.putIfAbsent(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MILLIS);
        Set<String> existing;
        try (Admin admin = Admin.create(properties)) {
            existing = admin.listTopics().names().get();
        } catch (ExecutionException e) {
            throw CommandFailure.failed("Kafka at " + configuration.kafka().bootstrapServers() + " does not answer ("
                    + Printable.of(e.getCause().getMessage()) + "): " + remedy);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted while asking Kafka");
        }
        for (String topic : topics) {
            if (!existing.contains(topic)) {
                throw CommandFailure.failed("topic " + topic + " is missing; create it with: spillway topics create");
            }
        }
    }
}
