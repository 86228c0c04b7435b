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

/** {@code spillway dead-letters discard}: forgets dead letters, for good. */
@Command(
        name = "discard",
        mixinStandardHelpOptions = true,
        description = "Forgets dead letters for good. Needs a filter or --all; without --yes it only tells what it would discard.")
final class DeadLettersDiscardCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common;

    @Mixin
    private DeadLetterOptions options;

    @Option(names = "--all", description = "every dead letter is meant; for use without a filter")
    private boolean all;

    @Option(names = "--yes", description = "do it")
    private boolean yes;

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() {
        DeadLetterFilter filter = options.filter(clock.millis());
        long limit = options.limit();
        if (all == options.isAnySet()) {
            throw CommandFailure.usage("give --all, or one or more of --tenant --reason --since --until --id, to say what to discard");
        }
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Printer printer = common.printer();
        if (!yes) {
            long count = plan(configuration, printer, filter, limit);
            throw CommandFailure.usage("nothing is discarded yet: give --yes to discard these " + count + " for good");
        }
        try (StopSignal stop = new StopSignal(); DeadLetterRun run = new DeadLetterRun(configuration, clock)) {
            ProgressLine watch = new ProgressLine(stop, printer, clock);
            Survey survey = run.survey(filter, new Discard(), limit, watch)
                    .orElseThrow(() -> DeadLetterOptions.stopped(printer, "stopped; nothing was discarded"));
            DeadLetterCounts tally = survey.tally();
            RunResult result = run.run(survey, filter, new Discard(), watch);
            if (common.isJson()) {
                printer.json(Map.of("discarded", result.done(), "stopped", result.stopped()));
            } else {
                printer.line("discarded " + result.done() + " dead letters");
            }
            if (result.stopped()) {
                throw DeadLetterOptions.stopped(printer, "stopped after " + result.done() + " of " + tally.count() + "; run it again for the rest");
            }
        } catch (SupersededException e) {
            throw CommandFailure.failed(e.getMessage() + "; this one stopped after " + e.done() + " discarded dead letters");
        }
        return 0;
    }

    private long plan(Configuration configuration, Printer printer, DeadLetterFilter filter, long limit) {
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, clock)) {
            DeadLetterCounts tally = letters.survey(filter, new Discard(), limit, ReplayForecast.NONE, new ProgressLine(stop, printer, clock))
                    .orElseThrow(() -> DeadLetterOptions.stopped(printer, "stopped before the end"))
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
