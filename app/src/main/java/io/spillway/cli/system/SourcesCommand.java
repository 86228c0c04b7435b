package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.config.Configuration;
import io.spillway.config.SourceSettings;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.SourceTopic;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Command {@code spillway sources}: lists the topics whose records become items. */
@Command(name = "sources", description = "Lists the sources: existing topics whose records become items.")
public final class SourcesCommand {
    /** Source as printed; its components are the JSON fields. A problem is null if there is none. */
    private record Row(
            String name, String topic, String format, int partitions, int readers, long lag, String problem) {
        static Row of(String name, SourceSettings source, String group, SourceTopic topic, QueueAdmin queues) {
            List<String> problems = topic.problems();
            List<QueueProgress> parts = problems.isEmpty() ? queues.read(source.topic(), group) : List.of();
            int readers = queues.members(group).size();
            String problem = !problems.isEmpty() ? problems.getFirst()
                    : readers == 0 ? "no router reads it" : null;
            return new Row(name, source.topic(), source.format().name().toLowerCase(Locale.ROOT), parts.size(), readers,
                    parts.stream().mapToLong(QueueProgress::behind).sum(), problem);
        }
    }

    @Command(name = "list", footer = "  spillway sources list --config spillway.yml", description = {
        "Lists the sources of the configuration with their readers, which are threads of routers, and their lag: the "
                + "offsets that are not routed yet, markers of transactions included."
    })
    void list(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        Topics topics = new Topics(configuration.queue());
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            QueueAdmin queues = new QueueAdmin(admin);
            List<Row> rows = configuration.router().sourcesByName().entrySet().stream().map(entry -> Row.of(
                    entry.getKey(), entry.getValue(), topics.sourceGroup(entry.getKey()),
                    new SourceTopic(admin, entry.getValue().topic()), queues)).toList();
            common.printer().result(() -> Map.of("sources", rows), printer -> {
                if (rows.isEmpty()) {
                    printer.line("There are no sources: " + SourceSettings.KEY + " is not set.");
                    return;
                }
                printer.table(List.of("source", "topic", "format", "partitions", "readers", "lag", "problem"),
                        rows.stream().map(row -> List.of(row.name(), row.topic(), row.format(), row.partitions(),
                                row.readers(), row.lag(), row.problem() == null ? "" : row.problem())));
            });
        }
    }
}
