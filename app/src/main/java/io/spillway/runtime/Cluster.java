package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.ConnectionFault;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.SuggestedCommands;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;

/**
 * Check of the cluster before a command starts. It reports an unreachable cluster or a missing topic within seconds,
 * while each Kafka client would wait for its own timeout and name neither.
 */
public final class Cluster {
    /** Advice if the configured cluster does not answer. */
    public static final String ADDRESS_REMEDY = "Check that it runs, its address (--bootstrap-servers, "
            + "kafka.bootstrapServers) and the security settings (kafka.properties).";

    private static final int ANSWER_MILLIS = 10_000;

    private Cluster() {}

    /**
     * Checks that the cluster answers and has the topics.
     *
     * @param remedy advice if it does not answer
     * @param topics topics that must exist; may be empty
     * @param given  options that a suggested command needs too, each after a blank; may be empty
     * @throws CommandFailure if it does not answer, or a topic is missing
     */
    public static void require(Configuration configuration, String remedy, List<String> topics, String given) {
        KafkaSettings kafka = configuration.kafka();
        Set<String> existing;
        try (Admin admin = new KafkaClients(configuration.queue()).admin(ANSWER_MILLIS)) {
            existing = admin.listTopics().names().get();
        } catch (ExecutionException e) {
            throw CommandFailure.failed(ConnectionFault.describe(e)
                    .map(cause -> "Cannot connect to Kafka at " + kafka.bootstrapServers() + ": " + cause + ".")
                    .orElseGet(() -> "Kafka at " + kafka.bootstrapServers() + " does not answer ("
                            + Printable.of(e.getCause().getMessage()) + "): " + ConnectionProbe.describe(
                                    kafka.bootstrapServers(), kafka.properties().getOrDefault(
                                            CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT"))
                            + ". " + remedy));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("Interrupted while waiting for Kafka.");
        }
        for (String topic : topics) {
            if (!existing.contains(topic)) {
                SuggestedCommands commands = new SuggestedCommands(kafka, given);
                throw CommandFailure.failed("Topic " + topic + " is missing. Create it with: "
                        + commands.spillway("topics create") + (commands.secured()
                                ? ". If it exists, this login may not see it: give it the ACLs of its role, spillway"
                                        + " topics acls --role ROLE" : ""));
            }
        }
    }
}
