package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetterRun;
import io.spillway.deadletter.DeadLetters;
import io.spillway.deadletter.Disposal;
import io.spillway.deadletter.ReplayForecast;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.SupersededException;
import io.spillway.deadletter.Survey;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Replay or discard of the selected dead letters, or its preview; Ctrl-C stops either. */
record DisposalRun(
        CommonOptions common, Configuration configuration, DeadLetterFilter filter, Disposal disposal, long limit) {
    /** Surveys what {@link #execute} would do, and changes nothing. */
    void preview(ReplayForecast forecast, Consumer<Survey> print) {
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, common.clock())) {
            print.accept(letters.survey(filter, disposal, limit, forecast, new ProgressLine(stop, common))
                    .orElseThrow(() -> DeadLetterOptions.stopped(common.printer(),
                            "Stopped before all dead letters were read. Nothing was " + disposal.done() + ".")));
        }
    }

    /**
     * Surveys and processes the dead letters.
     *
     * @param check throws {@link CommandFailure} if this many dead letters cannot be processed
     * @param print prints the result, also that of a stopped run
     */
    void execute(Consumer<Survey> check, BiConsumer<RunResult, Survey> print) {
        try (StopSignal stop = new StopSignal(); DeadLetterRun run = new DeadLetterRun(configuration, common.clock())) {
            ProgressLine watch = new ProgressLine(stop, common);
            Survey survey = run.survey(filter, disposal, limit, watch)
                    .orElseThrow(() -> DeadLetterOptions.stopped(common.printer(),
                            "Stopped. Nothing was " + disposal.done() + "."));
            check.accept(survey);
            RunResult result = run.run(survey, filter, disposal, watch);
            print.accept(result, survey);
            if (result.stopped()) {
                throw DeadLetterOptions.stopped(common.printer(), "Stopped after " + result.done() + " of "
                        + survey.tally().count() + ". Run the command again for the others.");
            }
        } catch (SupersededException e) {
            throw CommandFailure.failed("Stopped after "
                    + Printer.count(e.done(), disposal.done() + " dead letter") + ": " + e.getMessage());
        }
    }
}
