package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.routing.ReplayRules;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetterRun;
import io.spillway.deadletter.DeadLetters;
import io.spillway.deadletter.Replay;
import io.spillway.deadletter.ReplayForecast;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.SupersededException;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.runtime.CompactedTopics;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway dead-letters replay}: processes dead letters again. */
@Command(
        name = "replay",
        description = {
            "Moves dead letters to the delay lane with their attempts reset. They become due one after the other, at "
                    + "--rate.",
            "Each is replayed exactly once, even if the command is killed and run again. Without a filter it replays "
                    + "all."
        })
final class DeadLettersReplayCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common;

    @Mixin
    private DeadLetterOptions options;

    @Option(names = "--rate", paramLabel = "R",
            description = "Items that become due per second. Default: ${DEFAULT-VALUE}.", defaultValue = "100")
    private double rate;

    @Option(names = "--dry-run",
            description = "Change nothing. Print how many would be replayed, and how many of them sweeps and the "
                    + "time to live would drop.")
    private boolean dryRun;

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() {
        long nowMillis = clock.millis();
        DeadLetterFilter filter = options.filter(nowMillis);
        long limit = options.limit();
        if (!(rate > 0) || rate > 1_000_000) {
            throw CommandFailure.usage("--rate " + rate + ": must be above 0 and at most 1000000 items per second");
        }
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Replay replay = new Replay(new Topics(configuration.queue()), nowMillis, rate);
        Printer printer = common.printer();
        if (dryRun) {
            plan(configuration, printer, filter, replay, limit);
        } else {
            replay(configuration, printer, filter, replay, limit);
        }
        return 0;
    }

    private void plan(
            Configuration configuration, Printer printer, DeadLetterFilter filter, Replay replay, long limit) {
        ReplayForecast forecast = forecast(configuration, replay);
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, clock)) {
            Survey survey = letters.survey(filter, replay, limit, forecast, new ProgressLine(stop, printer, clock))
                    .orElseThrow(() -> DeadLetterOptions.stopped(printer, "Stopped before all dead letters were "
                            + "read. Nothing was replayed."));
            printPlan(printer, survey, replay.startMillis());
            requireFits(survey.tally().count());
        }
    }

    private void replay(
            Configuration configuration, Printer printer, DeadLetterFilter filter, Replay replay, long limit) {
        try (StopSignal stop = new StopSignal(); DeadLetterRun run = new DeadLetterRun(configuration, clock)) {
            ProgressLine watch = new ProgressLine(stop, printer, clock);
            Survey survey = run.survey(filter, replay, limit, watch)
                    .orElseThrow(() -> DeadLetterOptions.stopped(printer, "Stopped. Nothing was replayed."));
            long count = survey.tally().count();
            requireFits(count);
            RunResult result = run.run(survey, filter, replay, watch);
            printResult(printer, result, survey, replay.startMillis());
            if (result.stopped()) {
                throw DeadLetterOptions.stopped(
                        printer,
                        "Stopped after " + result.done() + " of " + count + ". Run the command again for the others.");
            }
        } catch (SupersededException e) {
            throw CommandFailure.failed(
                    "Stopped after " + Printer.count(e.done(), "replayed dead letter") + ": " + e.getMessage());
        }
    }

    private ReplayForecast forecast(Configuration configuration, Replay replay) {
        Topics topics = new Topics(configuration.queue());
        try (CompactedTopics views = new CompactedTopics(configuration, clock)) {
            return ReplayForecast.of(
                    replay,
                    views.read(topics.policies(), new TenantPolicies(configuration.defaults())),
                    views.read(topics.sweeps(), new Sweeps()));
        }
    }

    private void requireFits(long count) {
        if (!ReplayRules.fits(count, rate)) {
            throw CommandFailure.failed("The last of " + Printer.count(count, "dead letter") + " would be due in "
                    + "more than 30 days, the longest "
                    + "delay of an item. Give a higher --rate, or a --limit.");
        }
    }

    private void printPlan(Printer printer, Survey survey, long nowMillis) {
        DeadLetterCounts tally = survey.tally();
        long swept = tally.rows().stream().mapToLong(DeadLetterCounts.Row::swept).sum();
        long expired = tally.rows().stream().mapToLong(DeadLetterCounts.Row::expired).sum();
        if (common.isJson()) {
            Map<String, Object> plan = new LinkedHashMap<>();
            plan.put("wouldReplay", tally.count());
            plan.put("matching", survey.matching());
            plan.put("cannotReplay", survey.unfit());
            plan.put("obstacles", survey.obstacles());
            plan.put("droppedBySweep", swept);
            plan.put("droppedByTtl", expired);
            plan.put("lastDue", lastDue(tally.count(), nowMillis));
            plan.put("byTenantAndReason", tally.rows().stream().map(DeadLetterPrinter::fields).toList());
            printer.json(plan);
            return;
        }
        if (tally.count() > 0) {
            printer.table(List.of("tenant", "reason", "count", "dropped by sweep", "dropped by ttl"),
                    tally.rows().stream().map(row -> List.of(
                            row.group().tenant(), row.group().reason(), row.count(), row.swept(), row.expired())));
        }
        printer.line("Would replay " + Printer.count(tally.count(), "dead letter") + until(tally.count(), nowMillis)
                + ". Dropped when due: " + swept + " by a sweep, " + expired + " by the time to live.");
        printObstacles(printer, survey);
    }

    private void printResult(Printer printer, RunResult result, Survey survey, long nowMillis) {
        if (common.isJson()) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("replayed", result.done());
            all.put("cannotReplay", survey.unfit());
            all.put("obstacles", survey.obstacles());
            all.put("lastDue", lastDue(result.done(), nowMillis));
            all.put("stopped", result.stopped());
            printer.json(all);
        } else {
            printer.line(
                    "Replayed " + Printer.count(result.done(), "dead letter") + until(result.done(), nowMillis) + ".");
        }
        printObstacles(printer, survey);
    }

    private static void printObstacles(Printer printer, Survey survey) {
        survey.obstacles().forEach(obstacle -> printer.note("Cannot be replayed: " + obstacle));
        if (survey.unfit() > survey.obstacles().size()) {
            printer.note("And " + (survey.unfit() - survey.obstacles().size()) + " more that cannot be replayed.");
        }
    }

    private Long lastDue(long count, long nowMillis) {
        return count == 0 ? null : ReplayRules.dueMillis(nowMillis, count - 1, rate);
    }

    private String until(long count, long nowMillis) {
        if (count == 0 || !ReplayRules.fits(count, rate)) {
            return "";
        }
        return ", the last due at " + Instant.ofEpochMilli(ReplayRules.dueMillis(nowMillis, count - 1, rate));
    }
}
