package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.SuggestedCommands;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Command {@code spillway topics}: creates and checks the topics. */
@Command(name = "topics", description = "Creates the topics, or compares them with the configuration.")
public final class TopicsCommand {
    @Command(name = "create",
            description = "Creates missing topics, then checks all topics. It exits with 1 if a topic differs from "
                    + "the configuration.")
    int create(@Mixin CommonOptions common) {
        return run(common, true);
    }

    @Command(name = "check",
            description = "Compares the topics and the cluster with the configuration. It exits with 1 if they differ.")
    int check(@Mixin CommonOptions common) {
        return run(common, false);
    }

    private static int run(CommonOptions common, boolean isCreating) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        List<TopicSpec> topics = new Topics(configuration.queue()).all();
        List<String> created;
        List<String> problems;
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            TopicAdmin topicAdmin = new TopicAdmin(
                    admin, new SuggestedCommands(configuration.kafka(), common.given()));
            created = isCreating ? topicAdmin.createMissing(topics) : List.of();
            problems = new ArrayList<>(isCreating ? List.of() : topicAdmin.checkTransactions());
            problems.addAll(topicAdmin.check(topics));
        }
        common.printer().result(() -> Map.of("created", created, "problems", problems), printer -> {
            created.forEach(name -> printer.line("created " + name));
            problems.forEach(printer::line);
            if (problems.isEmpty()) {
                printer.line("All topics match the configuration.");
            }
        });
        return problems.isEmpty() ? 0 : CommandFailure.FAILED;
    }
}
