package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.operator.OperatorAction;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants isolate}: dedicates partitions to a tenant. */
@Command(name = "isolate", description = {
    "Dedicates partitions to a tenant, without a restart. From then on its items go there, and those of "
            + "other tenants do not.",
    "Items that already wait are not moved. At least half of the partitions stay shared. To undo it: tenants release T."
})
public final class TenantsIsolateCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Parameters(paramLabel = "T", description = "Tenant.")
    private String tenant;

    @Option(names = "--partitions", paramLabel = "N", defaultValue = "1",
            description = "Number of dedicated partitions. Default: ${DEFAULT-VALUE}.")
    private int partitions;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    @Override
    public void run() {
        OperatorAction action = new OperatorAction.Isolate(tenant, partitions);
        ActionRun.with(common, topics -> List.of(topics.policies())).act(action, false, wait);
    }
}
