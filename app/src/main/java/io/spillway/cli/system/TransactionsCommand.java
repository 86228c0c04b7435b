package io.spillway.cli.system;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.OpenTransactions;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway transactions}: finds and ends transactions that block the readers of a partition. */
@Command(name = "transactions",
        description = "Lists open transactions, or aborts one that blocks the readers of a partition.")
public final class TransactionsCommand {
    private static final String FORGOTTEN = "(forgotten)";

    /** Open transaction as printed; its components are the JSON fields. */
    private record Row(
            String topic, int partition, long offset, String transactionalId, long producerId, String lastRecordAt) {
        static Row of(OpenTransactions.Open open) {
            return new Row(open.partition().topic(), open.partition().partition(), open.startOffset(),
                    open.transactionalId().map(Printable::of).orElse(null), open.producer().producerId(),
                    Instant.ofEpochMilli(open.producer().lastTimestamp()).toString());
        }
    }

    @Command(name = "list", footer = "  spillway transactions list", description = {
        "Lists the transactions that are open in Spillway's topics. Spillway's own are open for less than a second.",
        "One without a transactional id is forgotten by its coordinator and never ends by itself. The time is the "
                + "timestamp of its last record."
    })
    void list(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(TransactionsCommand::all);
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            List<Row> rows = new OpenTransactions(admin)
                    .in(all(new Topics(configuration.queue()))).stream().map(Row::of).toList();
            common.printer().result(() -> Map.of("transactions", rows), printer -> {
                if (rows.isEmpty()) {
                    printer.line("No transaction is open.");
                    return;
                }
                printer.table(List.of("topic", "partition", "offset", "transactional id", "producer", "last record"),
                        rows.stream().map(row -> List.of(
                                row.topic(), row.partition(), row.offset(),
                                row.transactionalId() == null ? FORGOTTEN : row.transactionalId(),
                                row.producerId(), row.lastRecordAt())));
            });
        }
    }

    @Command(name = "abort", footer = {
        "  spillway transactions abort --topic spillway.hot --partition 3 --offset 1042"
    }, description = {
        "Aborts the transaction that begins at an offset, as a router's log or `transactions list` names it.",
        "If its coordinator knows it, it ends in all its partitions, and its producer cannot continue it. Spillway's "
                + "own roles do again what it contained."
    })
    void abort(
            @Mixin CommonOptions common,
            @Option(names = "--topic", required = true, paramLabel = "TOPIC",
                    description = "Topic with the transaction.") String topic,
            @Option(names = "--partition", required = true, paramLabel = "N",
                    description = "Partition of the topic.") int partition,
            @Option(names = "--offset", required = true, paramLabel = "N",
                    description = "First offset of the transaction.") long offset) {
        ActionRun run = ActionRun.with(common, topics -> List.of(topic));
        Configuration configuration = run.configuration();
        TopicPartition topicPartition = new TopicPartition(topic, partition);
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            OpenTransactions transactions = new OpenTransactions(admin);
            OpenTransactions.Open open = transactions.in(List.of(topic)).stream()
                    .filter(transaction -> transaction.partition().equals(topicPartition)
                            && transaction.startOffset() == offset)
                    .findAny()
                    .orElseThrow(() -> CommandFailure.failed("No transaction that begins at offset " + offset
                            + " is open in " + Printable.of(topicPartition.toString())
                            + ". See: spillway transactions list"));
            transactions.abort(open);
            Map<String, Object> fields = Map.of("topic", topic, "partition", partition, "offset", offset);
            String sentence = "Aborted the transaction of "
                    + open.transactionalId().map(Printable::of).orElse(FORGOTTEN) + " at offset " + offset + " of "
                    + Printable.of(topicPartition.toString()) + ".";
            run.record("transactions abort", "", fields, sentence);
            common.printer().result(fields, sentence);
        }
    }

    private static List<String> all(Topics topics) {
        return topics.all().stream().map(TopicSpec::name).toList();
    }
}
