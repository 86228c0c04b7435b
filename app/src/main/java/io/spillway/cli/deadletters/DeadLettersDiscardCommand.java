package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.operator.DisposalOrder;
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
        long nowMillis = common.clock().millis();
        DisposalOrder order = new DisposalOrder(
                DisposalOrder.Kind.DISCARD, options.filter(nowMillis), DisposalOrder.DEFAULT_PER_SECOND,
                options.limit(), nowMillis);
        if (all != order.filter().isAll()) {
            throw CommandFailure.usage("Give either --all or at least one of --tenant, --reason, --since, --until, "
                    + "--id to select dead letters.");
        }
        DisposalRun run = DisposalRun.with(common, order);
        if (yes) {
            run.execute();
            return;
        }
        run.preview(survey -> {
            common.printer().result(
                    () -> order.plan(survey), printer -> DeadLetterPrinter.counts(printer, survey.tally()));
            throw CommandFailure.usage("Nothing is discarded yet. Give --yes to delete "
                    + Printer.count(survey.tally().count(), "dead letter") + " permanently.");
        });
    }
}
