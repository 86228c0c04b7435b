package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.runtime.CompactedTopics;
import io.spillway.runtime.ViewProgress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Command {@code spillway tenants release}: undoes the isolation of a tenant. */
@Command(
        name = "release",
        description = {
            "Moves an isolated tenant back to its shard, without a restart. All tenants share its partitions again.",
            "Items that already wait are not moved."
        })
final class TenantsReleaseCommand implements Callable<Integer> {
    private final InstantSource clock = InstantSource.system();

    @Mixin
    private CommonOptions common;

    @ParentCommand
    private TenantsCommand tenants;

    @Parameters(paramLabel = "T", description = "Tenant.")
    private String tenant;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    @Option(
            names = "--shard",
            description = "Release its assigned shard as well (only with shards.overlap). Use it for a tenant that "
                    + "has left: one that still sends items gets a new shard.")
    private boolean shard;

    @Override
    public Integer call() {
        OptionValues.requireOneTenant(tenant);
        Configuration configuration = common.configurationWithCluster(topics -> shard && topics.assignsShards()
                ? List.of(topics.policies(), topics.shardRequests())
                : List.of(topics.policies()));
        Topics topics = new Topics(configuration.queue());
        if (shard && !topics.assignsShards()) {
            throw CommandFailure.usage("--shard: needs shards.overlap, because without it no shards are assigned");
        }
        PolicySettings settings = tenants.read(configuration).own(tenant);
        boolean isIsolated = settings.get(PolicyField.DEDICATED).filter(count -> (Long) count > 0).isPresent();
        if (!isIsolated && !shard) {
            throw CommandFailure.failed(
                    tenant + " has no dedicated partitions. See: spillway explain --tenant " + tenant);
        }
        Printer printer = common.printer();
        if (isIsolated) {
            PolicySettings rest = settings.without(PolicyField.DEDICATED);
            tenants.write(configuration, tenant, rest.equals(PolicySettings.NONE_SET) ? null : rest, wait, printer);
        }
        if (shard) {
            try (CompactedTopics writing = new CompactedTopics(configuration, clock)) {
                writing.write(topics.shardRequests(), tenant, ShardRequest.encode(new ShardRequest.Release()));
            }
        }
        if (common.isJson()) {
            printer.json(Map.of("tenant", tenant, "released", isIsolated, "shardReleased", shard));
        } else {
            printer.line(tenant + (isIsolated ? " uses its shard again." : ": its shard is released."));
        }
        return 0;
    }
}
