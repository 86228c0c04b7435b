package io.spillway.cli.deadletters;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.core.item.Lane;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.SupersededException;
import io.spillway.deadletter.Survey;
import io.spillway.operator.DisposalOrder;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Replay or discard of the selected dead letters, or its preview; Ctrl-C stops either. */
record DisposalRun(CommonOptions common, ActionRun run, DisposalOrder order) {
    static DisposalRun with(CommonOptions common, DisposalOrder order) {
        return new DisposalRun(common, ActionRun.with(common, topics -> List.of(
                topics.lane(Lane.DEAD_LETTER), topics.lane(Lane.DELAY), topics.policies(), topics.sweeps())), order);
    }

    /** Surveys what {@link #execute} would do, and changes nothing. */
    void preview(Consumer<Survey> print) {
        try (StopSignal stop = new StopSignal()) {
            print.accept(run.queue().survey(order, new ProgressLine(stop, common))
                    .orElseThrow(() -> DeadLetterOptions.stopped(common.printer(),
                            "Stopped before all dead letters were read. Nothing was " + done() + ".")));
        }
    }

    /** Surveys and processes the dead letters, and prints the result, also that of a stopped run. */
    void execute() {
        AtomicReference<Survey> selected = new AtomicReference<>();
        AtomicReference<DisposalOrder> begun = new AtomicReference<>(order);
        try (StopSignal stop = new StopSignal()) {
            RunResult result = run.queue()
                    .run(order, survey -> {
                        begun.set(order.begun(survey, common.clock().millis()));
                        selected.set(survey);
                        // A process that is killed records no end.
                        record("Started.");
                        return begun.get();
                    }, new ProgressLine(stop, common))
                    .orElseThrow(() -> DeadLetterOptions.stopped(common.printer(),
                            "Stopped. Nothing was " + done() + "."));
            Survey survey = selected.get();
            String sentence = begun.get().done(result.done());
            record(sentence + (result.stopped() ? " Stopped." : ""));
            common.printer().result(begun.get().result(result, survey), sentence);
            printObstacles(common.printer(), survey);
            if (result.stopped()) {
                throw DeadLetterOptions.stopped(common.printer(), "Stopped after " + result.done() + " of "
                        + survey.tally().count() + ". Run the command again for the others.");
            }
        } catch (SupersededException e) {
            record(begun.get().done(e.done()) + " Stopped: " + e.getMessage() + ".");
            throw CommandFailure.failed("Stopped after "
                    + Printer.count(e.done(), done() + " dead letter") + ": " + e.getMessage());
        }
    }

    private void record(String result) {
        run.record(order.kind().label(), order.filter().tenant().orElse(""), order.options(), result);
    }

    /** Prints which dead letters cannot be replayed. */
    static void printObstacles(Printer printer, Survey survey) {
        survey.obstacles().forEach(obstacle -> printer.note("Cannot be replayed: " + obstacle));
        if (survey.unfit() > survey.obstacles().size()) {
            printer.note("And " + (survey.unfit() - survey.obstacles().size()) + " more that cannot be replayed.");
        }
    }

    private String done() {
        return order.kind().done();
    }
}
