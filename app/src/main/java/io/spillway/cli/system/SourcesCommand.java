package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.config.Configuration;
import io.spillway.config.SourceSettings;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.operator.report.KafkaReads;
import io.spillway.operator.report.SourceState;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Command {@code spillway sources}: lists the topics whose records become items. */
@Command(name = "sources", description = "Lists the sources: existing topics whose records become items.")
public final class SourcesCommand {
    @Command(name = "list", footer = "  spillway sources list --config spillway.yml", description = {
        "Lists the sources of the configuration with their readers, which are threads of routers, and their lag: the "
                + "offsets that are not routed yet, markers of transactions included."
    })
    void list(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        Topics topics = new Topics(configuration.queue());
        try (KafkaReads reads = new KafkaReads(new KafkaClients(configuration.queue()), common.clock())) {
            List<SourceState> rows = reads.sources(configuration.router().sourcesByName(), topics);
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
