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

/** Command {@code spillway tenants release}: undoes the isolation of a tenant. */
@Command(name = "release", description = {
    "Moves an isolated tenant back to its shard, without a restart. All tenants share its partitions again.",
    "Items that already wait are not moved."
})
final class TenantsReleaseCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Parameters(paramLabel = "T", description = "Tenant.")
    private String tenant;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    @Option(names = "--shard",
            description = "Release its assigned shard as well (only with shards.overlap). Use it for a tenant that "
                    + "has left: one that still sends items gets a new shard.")
    private boolean shard;

    @Override
    public void run() {
        OperatorAction action = new OperatorAction.Release(tenant, shard);
        ActionRun.with(common, topics -> shard && topics.assignsShards()
                ? List.of(topics.policies(), topics.shardRequests())
                : List.of(topics.policies())).act(action, false, wait);
    }
}
