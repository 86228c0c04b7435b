package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.routing.ReplayRules;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.Replay;
import io.spillway.deadletter.ReplayForecast;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.runtime.CompactedTopics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway dead-letters replay}: processes dead letters again. */
@Command(name = "replay", footer = {
    "  spillway dead-letters replay --tenant acme --dry-run",
    "  spillway dead-letters replay --tenant acme --rate 10"
}, description = {
    "Moves dead letters to the delay lane with their attempts reset. They become due one after the other, at --rate.",
    "Each is replayed exactly once, even if the command is killed and run again.",
    "Without a filter it selects all, and then without --yes it only prints how many it would replay, and exits with 2."
})
final class DeadLettersReplayCommand implements Runnable {
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

    @Option(names = "--yes", description = "Replay them also without a filter.")
    private boolean yes;

    @Override
    public void run() {
        long nowMillis = common.clock().millis();
        DeadLetterFilter filter = options.filter(nowMillis);
        long limit = options.limit();
        if (!(rate > 0) || rate > 1_000_000) {
            throw CommandFailure.usage("--rate " + rate + ": must be above 0 and at most 1000000 items per second");
        }
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Replay replay = new Replay(new Topics(configuration.queue()), nowMillis, rate);
        DisposalRun run = new DisposalRun(common, configuration, filter, replay, limit);
        boolean isAsking = !dryRun && !yes && !options.isAnySet();
        if (dryRun || isAsking) {
            run.preview(forecast(configuration, replay), survey -> {
                printPlan(survey, nowMillis);
                requireFits(survey);
                if (isAsking) {
                    throw CommandFailure.usage("Nothing is replayed yet. Give --yes to replay "
                            + Printer.count(survey.tally().count(), "dead letter") + ", or select some by --tenant, "
                            + "--reason, --since, --until or --id.");
                }
            });
        } else {
            run.execute(this::requireFits, (result, survey) -> printResult(result, survey, nowMillis));
        }
    }

    private ReplayForecast forecast(Configuration configuration, Replay replay) {
        try (CompactedTopics views = new CompactedTopics(configuration, common.clock())) {
            return ReplayForecast.of(
                    replay,
                    views.read(replay.topics().policies(), new TenantPolicies(configuration.defaults())),
                    views.read(replay.topics().sweeps(), new Sweeps()));
        }
    }

    private void requireFits(Survey survey) {
        long count = survey.tally().count();
        if (!ReplayRules.fits(count, rate)) {
            throw CommandFailure.failed("The last of " + Printer.count(count, "dead letter") + " would be due in "
                    + "more than 30 days, the longest delay of an item. Give a higher --rate, or a --limit.");
        }
    }

    private void printPlan(Survey survey, long nowMillis) {
        DeadLetterCounts tally = survey.tally();
        long swept = tally.rows().stream().mapToLong(DeadLetterCounts.Row::swept).sum();
        long expired = tally.rows().stream().mapToLong(DeadLetterCounts.Row::expired).sum();
        Map<String, Object> plan = fields(survey, tally.count(), nowMillis);
        plan.putAll(Map.of(
                "wouldReplay", tally.count(), "matching", survey.matching(), "droppedBySweep", swept,
                "droppedByTtl", expired, "byTenantAndReason", DeadLetterPrinter.fields(tally)));
        common.printer().result(() -> plan, printer -> {
            if (tally.count() > 0) {
                printer.table(List.of("tenant", "reason", "count", "dropped by sweep", "dropped by ttl"),
                        tally.rows().stream().map(row -> List.of(
                                row.group().tenant(), row.group().reason(), row.count(), row.swept(), row.expired())));
            }
            printer.line("Would replay " + Printer.count(tally.count(), "dead letter")
                    + until(tally.count(), nowMillis) + ". Dropped when due: " + swept + " by a sweep, " + expired
                    + " by the time to live.");
            printObstacles(printer, survey);
        });
    }

    private void printResult(RunResult result, Survey survey, long nowMillis) {
        Map<String, Object> all = fields(survey, result.done(), nowMillis);
        all.putAll(Map.of("replayed", result.done(), "stopped", result.stopped()));
        Printer printer = common.printer();
        printer.result(all, "Replayed " + Printer.count(result.done(), "dead letter")
                + until(result.done(), nowMillis) + ".");
        printObstacles(printer, survey);
    }

    /** Returns the JSON fields of a plan and of a result, in a mutable map. */
    private Map<String, Object> fields(Survey survey, long count, long nowMillis) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("cannotReplay", survey.unfit());
        fields.put("obstacles", survey.obstacles());
        fields.put("lastDueAt", OptionValues.isoOf(lastDueMillis(count, nowMillis)));
        return fields;
    }

    private static void printObstacles(Printer printer, Survey survey) {
        survey.obstacles().forEach(obstacle -> printer.note("Cannot be replayed: " + obstacle));
        if (survey.unfit() > survey.obstacles().size()) {
            printer.note("And " + (survey.unfit() - survey.obstacles().size()) + " more that cannot be replayed.");
        }
    }

    private String until(long count, long nowMillis) {
        OptionalLong lastDueMillis = lastDueMillis(count, nowMillis);
        return lastDueMillis.isPresent() ? ", the last due at " + OptionValues.isoOf(lastDueMillis) : "";
    }

    /** Returns when the last of so many is due; empty if there is none, or it would be too late. */
    private OptionalLong lastDueMillis(long count, long nowMillis) {
        return count == 0 || !ReplayRules.fits(count, rate)
                ? OptionalLong.empty()
                : OptionalLong.of(ReplayRules.dueMillis(nowMillis, count - 1, rate));
    }
}
