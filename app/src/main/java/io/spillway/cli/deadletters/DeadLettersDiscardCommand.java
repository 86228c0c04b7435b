package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetterRun;
import io.spillway.deadletter.DeadLetters;
import io.spillway.deadletter.Discard;
import io.spillway.deadletter.ReplayForecast;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.SupersededException;
import io.spillway.deadletter.Survey;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway dead-letters discard}: deletes dead letters. */
@Command(
        name = "discard",
        description = {
            "Deletes dead letters permanently. Give a filter or --all.",
            "Without --yes it only prints how many it would delete, and exits with 2."
        })
final class DeadLettersDiscardCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common;

    @Mixin
    private DeadLetterOptions options;

    @Option(names = "--all", description = "Select all dead letters. Cannot be combined with a filter.")
    private boolean all;

    @Option(names = "--yes", description = "Delete them. Without it nothing is changed.")
    private boolean yes;

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() {
        DeadLetterFilter filter = options.filter(clock.millis());
        long limit = options.limit();
        if (all == options.isAnySet()) {
            throw CommandFailure.usage("Give either --all or at least one of --tenant, --reason, --since, --until, "
                    + "--id to select dead letters.");
        }
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Printer printer = common.printer();
        if (!yes) {
            long count = plan(configuration, printer, filter, limit);
            throw CommandFailure.usage("Nothing is discarded yet. Give --yes to delete "
                    + Printer.count(count, "dead letter") + " permanently.");
        }
        try (StopSignal stop = new StopSignal(); DeadLetterRun run = new DeadLetterRun(configuration, clock)) {
            ProgressLine watch = new ProgressLine(stop, printer, clock);
            Survey survey = run.survey(filter, new Discard(), limit, watch)
                    .orElseThrow(() -> DeadLetterOptions.stopped(printer, "Stopped. Nothing was discarded."));
            DeadLetterCounts tally = survey.tally();
            RunResult result = run.run(survey, filter, new Discard(), watch);
            if (common.isJson()) {
                printer.json(Map.of("discarded", result.done(), "stopped", result.stopped()));
            } else {
                printer.line("Discarded " + Printer.count(result.done(), "dead letter") + ".");
            }
            if (result.stopped()) {
                throw DeadLetterOptions.stopped(
                        printer, "Stopped after " + result.done() + " of " + tally.count()
                                + ". Run the command again for the others.");
            }
        } catch (SupersededException e) {
            throw CommandFailure.failed(
                    "Stopped after " + Printer.count(e.done(), "discarded dead letter") + ": " + e.getMessage());
        }
        return 0;
    }

    private long plan(Configuration configuration, Printer printer, DeadLetterFilter filter, long limit) {
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, clock)) {
            DeadLetterCounts tally = letters.survey(
                            filter, new Discard(), limit, ReplayForecast.NONE, new ProgressLine(stop, printer, clock))
                    .orElseThrow(() -> DeadLetterOptions.stopped(
                            printer, "Stopped before all dead letters were read. Nothing was discarded."))
                    .tally();
            printPlan(printer, tally);
            return tally.count();
        }
    }

    private void printPlan(Printer printer, DeadLetterCounts tally) {
        if (common.isJson()) {
            printer.json(Map.of("wouldDiscard", tally.count(),
                    "byTenantAndReason", tally.rows().stream().map(DeadLetterPrinter::fields).toList()));
            return;
        }
        DeadLetterPrinter.counts(printer, tally);
    }
}
