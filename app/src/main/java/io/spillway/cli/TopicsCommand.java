package io.spillway.cli;

import io.spillway.config.Configuration;
import io.spillway.topic.KafkaClients;
import io.spillway.topic.TopicAdmin;
import io.spillway.topic.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code spillway topics}: creates what is missing, and compares what exists with the configuration. */
@Command(name = "topics", mixinStandardHelpOptions = true, description = "Creates or checks the topics.")
final class TopicsCommand {
    @Command(name = "create", mixinStandardHelpOptions = true, description = "Creates the topics that are missing, then checks all.")
    int create(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        try (Admin admin = new KafkaClients(configuration).admin()) {
            Topics topics = new Topics(configuration);
            TopicAdmin topicAdmin = new TopicAdmin(admin);
            List<String> created = topicAdmin.createMissing(topics.all());
            return report(common, created, topicAdmin.check(topics.all()));
        }
    }

    @Command(name = "check", mixinStandardHelpOptions = true, description = "Compares the cluster with the configuration; exit 1 when they differ.")
    int check(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        try (Admin admin = new KafkaClients(configuration).admin()) {
            TopicAdmin topicAdmin = new TopicAdmin(admin);
            List<String> problems = new ArrayList<>(topicAdmin.checkTransactions());
            problems.addAll(topicAdmin.check(new Topics(configuration).all()));
            return report(common, List.of(), problems);
        }
    }

    private int report(CommonOptions common, List<String> created, List<String> problems) {
        Printer printer = common.printer();
        if (common.isJson()) {
            printer.json(Map.of("created", created, "problems", problems));
        } else {
            created.forEach(name -> printer.line("created " + name));
            problems.forEach(printer::line);
            if (problems.isEmpty()) {
                printer.line("all topics are as they should be");
            }
        }
        return problems.isEmpty() ? 0 : CommandFailure.FAILED;
    }
}
