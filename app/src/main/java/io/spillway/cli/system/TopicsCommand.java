package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code spillway topics}: creates what is missing, and compares what exists with the configuration. */
@Command(name = "topics", mixinStandardHelpOptions = true, description = "Creates or checks the topics.")
public final class TopicsCommand {
    @Command(name = "create", mixinStandardHelpOptions = true, description = "Creates the topics that are missing, then checks all.")
    int create(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            Topics topics = new Topics(configuration.queue());
            TopicAdmin topicAdmin = new TopicAdmin(admin);
            List<String> created = topicAdmin.createMissing(topics.all());
            return report(common, created, topicAdmin.check(topics.all()));
        }
    }

    @Command(name = "check", mixinStandardHelpOptions = true, description = "Compares the cluster with the configuration; exit 1 when they differ.")
    int check(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            TopicAdmin topicAdmin = new TopicAdmin(admin);
            List<String> problems = new ArrayList<>(topicAdmin.checkTransactions());
            problems.addAll(topicAdmin.check(new Topics(configuration.queue()).all()));
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
