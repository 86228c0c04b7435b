package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.Survey;
import io.spillway.operator.DisposalOrder;
import java.util.List;
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
            description = "Change nothing. Print how many would be replayed, and how many of them sweeps would drop.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Replay them also without a filter.")
    private boolean yes;

    @Override
    public void run() {
        long nowMillis = common.clock().millis();
        DisposalOrder order = new DisposalOrder(
                DisposalOrder.Kind.REPLAY, options.filter(nowMillis), rate, options.limit(), nowMillis);
        DisposalRun run = DisposalRun.with(common, order);
        boolean isAsking = !dryRun && !yes && order.filter().isAll();
        if (dryRun || isAsking) {
            run.preview(survey -> {
                printPlan(survey, order);
                order.requireFits(survey);
                if (isAsking) {
                    throw CommandFailure.usage("Nothing is replayed yet. Give --yes to replay "
                            + Printer.count(survey.tally().count(), "dead letter") + ", or select some by --tenant, "
                            + "--reason, --since, --until or --id.");
                }
            });
        } else {
            run.execute();
        }
    }

    private void printPlan(Survey survey, DisposalOrder order) {
        DeadLetterCounts tally = survey.tally();
        common.printer().result(() -> order.plan(survey), printer -> {
            if (tally.count() > 0) {
                printer.table(List.of("tenant", "reason", "count", "dropped by sweep"),
                        tally.rows().stream().map(row -> List.of(
                                row.group().tenant(), row.group().reason(), row.count(), row.swept())));
            }
            printer.line(order.planned(survey));
            DisposalRun.printObstacles(printer, survey);
        });
    }
}
