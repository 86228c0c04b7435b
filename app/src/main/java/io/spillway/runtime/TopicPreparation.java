package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicCheck;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.AccessRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Check of the topics before the roles start, and their creation with the embedded Kafka. */
final class TopicPreparation {
    private static final Logger LOG = LoggerFactory.getLogger(TopicPreparation.class);
    private static final int MAX_LOGGED = 3;

    private TopicPreparation() {}

    /** @param create whether to create missing topics, and to give the others their settings */
    static void run(
            Configuration configuration, boolean create, StartOptions options, String instance) {
        Topics topics = new Topics(configuration.queue());
        SuggestedCommands commands = configuration.kafka().commands(options.given());
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            TopicAdmin topicAdmin = new TopicAdmin(admin, commands);
            TopicCheck check = new TopicCheck(admin, commands);
            List<String> problems = new ArrayList<>();
            // The embedded Kafka has no ACLs.
            if (!create) {
                options.roles().forEach(role -> problems.addAll(RolePermissions.problems(
                        admin, configuration, AccessRole.valueOf(role.name()), instance, commands)));
            }
            if (!problems.isEmpty()) {
                throw CommandFailure.failed(String.join(". Also, ", problems));
            }
            problems.addAll(options.unsafeTransactions() ? List.of() : check.checkTransactions());
            if (create) {
                topicAdmin.createMissing(topics.all());
                // Nobody could create these before the start of the embedded Kafka.
                topicAdmin.createMissing(configuration.handler().topics().stream()
                        .map(topic -> new TopicSpec(topic, configuration.topics().partitions(), 1, Map.of()))
                        .toList());
                // Topics of an earlier version must not stop the embedded setting, whose user has no Kafka tools.
                List<String> changed = topicAdmin.alignSettings(topics.all());
                if (!changed.isEmpty()) {
                    LOG.info("Changed the settings of topics from an earlier start: {}", changed);
                }
            }
            TopicCheck.Findings findings = check.compare(topics.all());
            findings.warnings().forEach(warning -> LOG.warn("{}", Printable.onOneLine(warning)));
            problems.addAll(findings.problems());
            if (!problems.isEmpty()) {
                problems.stream().limit(MAX_LOGGED).skip(1)
                        .forEach(problem -> LOG.error("{}", Printable.onOneLine(problem)));
                String more = problems.size() == 1 ? "" : " (and "
                        + Printer.count(problems.size() - 1, "more problem") + "; see: "
                        + commands.spillway("topics check") + ")";
                throw CommandFailure.failed(problems.getFirst() + more);
            }
        }
    }
}
