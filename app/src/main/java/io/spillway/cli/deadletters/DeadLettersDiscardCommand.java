package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.Discard;
import io.spillway.deadletter.ReplayForecast;
import io.spillway.kafka.topics.Topics;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway dead-letters discard}: deletes dead letters. */
@Command(name = "discard", footer = "  spillway dead-letters discard --tenant acme --until 30d",
        description = {
            "Deletes dead letters permanently. Give a filter or --all.",
            "Without --yes it only prints how many it would delete, and exits with 2."
        })
final class DeadLettersDiscardCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Mixin
    private DeadLetterOptions options;

    @Option(names = "--all", description = "Select all dead letters. Cannot be combined with a filter.")
    private boolean all;

    @Option(names = "--yes", description = "Delete them. Without it nothing is changed.")
    private boolean yes;

    @Override
    public void run() {
        DeadLetterFilter filter = options.filter(common.clock().millis());
        long limit = options.limit();
        if (all == options.isAnySet()) {
            throw CommandFailure.usage("Give either --all or at least one of --tenant, --reason, --since, --until, "
                    + "--id to select dead letters.");
        }
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Discard discard = new Discard(new Topics(configuration.queue()));
        DisposalRun run = new DisposalRun(common, configuration, filter, discard, limit);
        if (yes) {
            run.execute(survey -> {}, (result, survey) -> common.printer().result(
                    Map.of("discarded", result.done(), "stopped", result.stopped()),
                    "Discarded " + Printer.count(result.done(), "dead letter") + "."));
            return;
        }
        run.preview(ReplayForecast.NONE, survey -> {
            printPlan(survey.tally());
            throw CommandFailure.usage("Nothing is discarded yet. Give --yes to delete "
                    + Printer.count(survey.tally().count(), "dead letter") + " permanently.");
        });
    }

    private void printPlan(DeadLetterCounts tally) {
        common.printer().result(
                () -> Map.of("wouldDiscard", tally.count(), "byTenantAndReason", DeadLetterPrinter.fields(tally)),
                printer -> DeadLetterPrinter.counts(printer, tally));
    }
}
