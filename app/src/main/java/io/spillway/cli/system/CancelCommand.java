package io.spillway.cli.system;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.kafka.view.Sweeps;
import io.spillway.operator.OperatorAction;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway cancel}: drops waiting items of a tenant. */
@Command(name = "cancel", description = {
    "Drops the waiting items of a tenant that entered before a time, in every lane and in delay, also those that were "
            + "attempted. Without --yes it only prints how many wait, and exits with 2.",
    "Not cancelled: attempts that run (their retries are), dead letters, and items that enter later.",
    "An item is dropped, with the reason cancelled, when it is routed, when its delay is over, or when a worker that "
            + "has read it looks at it, at most 10 s later. A cancel is in force for 31 days, one more than the "
            + "longest delay. At most " + Sweeps.MAX_CANCELS + " cancels of a tenant are in force."
}, footerHeading = "%nExamples:%n%n", footer = {
    "  spillway cancel --tenant acme --workload mail --yes",
    "  spillway cancel --tenant acme --before 2h",
    "  spillway cancel --tenant acme --id order-17 --yes"
})
public final class CancelCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Option(names = "--tenant", required = true, paramLabel = "T", description = "Tenant of the items.")
    private String tenant;

    @Option(names = "--workload", paramLabel = "W", description = "Only items of this workload.")
    private String workload;

    @Option(names = "--id", paramLabel = "ID", description = "Only items with this id.")
    private String id;

    @Option(names = "--before", paramLabel = "TIME",
            description = "Only items that entered before this time, by the broker's clock: ISO 8601 with a time "
                    + "zone, epoch milliseconds, or a duration before now such as 2h. Default: now.")
    private String before;

    @Option(names = "--yes", description = "Cancel them. Without it nothing is changed.")
    private boolean yes;

    @Override
    public void run() {
        OperatorAction action = OperatorAction.Cancel.of(
                tenant, Optional.ofNullable(workload), Optional.ofNullable(id), Optional.ofNullable(before),
                common.clock().millis());
        ActionRun.with(common, CommonOptions::ledgerTopics).act(action, !yes, false);
        if (!yes) {
            throw CommandFailure.usage("Nothing is cancelled yet. Give --yes to drop them permanently.");
        }
    }
}
