package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants release}: undoes the isolation of a tenant. */
@Command(name = "release", footer = "  spillway tenants release acme --wait", description = {
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
        OptionValues.requireOneTenant(tenant);
        TenantTopics topics = TenantTopics.with(common, names -> shard && names.assignsShards()
                ? List.of(names.policies(), names.shardRequests())
                : List.of(names.policies()));
        if (shard && !topics.names().assignsShards()) {
            throw CommandFailure.usage("--shard: needs shards.overlap, because without it no shards are assigned");
        }
        PolicySettings settings = topics.policies().own(tenant);
        boolean isIsolated = settings.get(PolicyField.DEDICATED).filter(count -> (Long) count > 0).isPresent();
        if (!isIsolated && !shard) {
            throw CommandFailure.failed(
                    tenant + " has no dedicated partitions. See: spillway explain --tenant " + tenant);
        }
        PolicySettings rest = settings.without(PolicyField.DEDICATED);
        if (isIsolated && rest.equals(PolicySettings.NONE_SET)) {
            topics.removePolicy(tenant, wait);
        } else if (isIsolated) {
            topics.writePolicy(tenant, rest, wait);
        }
        if (shard) {
            topics.write(topics.names().shardRequests(), List.of(tenant),
                    ShardRequest.encode(new ShardRequest.Release()), false);
        }
        common.printer().result(Map.of("tenant", tenant, "released", isIsolated, "shardReleased", shard),
                tenant + (isIsolated ? " uses its shard again." : ": its shard is released."));
    }
}
