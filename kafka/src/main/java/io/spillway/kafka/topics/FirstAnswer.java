package io.spillway.kafka.topics;

import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.ConnectionFault;
import io.spillway.kafka.advice.ConnectionProbe;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;

/**
 * First question to a cluster. It reports an unreachable cluster within seconds and says why, while each Kafka client
 * would wait for its own timeout and name neither the address nor the cause.
 */
public final class FirstAnswer {
    private static final int ANSWER_MILLIS = 10_000;

    private FirstAnswer() {}

    /**
     * Returns the names of the topics that exist.
     *
     * @param remedy advice if the cluster does not answer, a sentence
     * @throws KafkaFailure if it does not answer; the message is complete
     */
    public static Set<String> topics(KafkaSettings kafka, KafkaClients clients, String remedy) {
        try (Admin admin = clients.admin(ANSWER_MILLIS)) {
            return admin.listTopics().names().get();
        } catch (ExecutionException e) {
            throw new KafkaFailure(ConnectionFault.describe(e)
                    .map(cause -> "Cannot connect to Kafka at " + kafka.bootstrapServers() + ": " + cause + ".")
                    .orElseGet(() -> "Kafka at " + kafka.bootstrapServers() + " does not answer ("
                            + Printable.of(e.getCause().getMessage()) + "): " + ConnectionProbe.describe(
                                    kafka.bootstrapServers(), kafka.properties().getOrDefault(
                                            CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT"))
                            + ". " + remedy));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaFailure("Interrupted while waiting for Kafka.");
        }
    }
}
