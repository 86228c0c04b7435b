package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.FirstAnswer;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import java.util.List;
import java.util.Set;

/** Check of the cluster before a command starts. It reports an unreachable cluster or a missing topic. */
public final class Cluster {
    /** Advice if the configured cluster does not answer. */
    public static final String ADDRESS_REMEDY = "Check that it runs, its address (--bootstrap-servers, "
            + "kafka.bootstrapServers) and the security settings (kafka.properties).";

    private Cluster() {}

    /**
     * Checks that the cluster answers and has the topics.
     *
     * @param remedy advice if it does not answer
     * @param topics topics that must exist; may be empty
     * @param given  options that a suggested command needs too, each after a blank; may be empty
     * @throws KafkaFailure if it does not answer
     * @throws CommandFailure if a topic is missing
     */
    public static void require(Configuration configuration, String remedy, List<String> topics, String given) {
        Set<String> existing =
                FirstAnswer.topics(configuration.kafka(), new KafkaClients(configuration.queue()), remedy);
        for (String topic : topics) {
            if (!existing.contains(topic)) {
                SuggestedCommands commands = configuration.kafka().commands(given);
                throw CommandFailure.failed("Topic " + topic + " is missing. Create it with: "
                        + commands.spillway("topics create") + (commands.secured()
                                ? ". If it exists, this login may not see it: give it the ACLs of its role, spillway"
                                        + " topics acls --role ROLE" : ""));
            }
        }
    }
}
