package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.Inputs;
import io.spillway.operator.OperatorAction;
import io.spillway.operator.report.PolicySources;
import io.spillway.runtime.ViewProgress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.RecordMetadata;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants}: policies of tenants. */
@Command(name = "tenants",
        description = "Lists and changes policies of tenants, without a restart. T is a tenant, or * for the tenants "
                + "that have no value of their own.",
        subcommands = {
            TenantsSetCommand.class, TenantsApplyCommand.class, TenantsExportCommand.class, TenantsKeyCommand.class
        })
public final class TenantsCommand {
    private static final String ANY = "Tenant, or * for the tenants that have no value of their own.";
    private static final String ONE_WORKLOAD = "Only this workload of the tenant.";

    @Command(name = "list", footer = "  spillway tenants list --output json",
            description = "Lists the tenants that have their own policy settings.")
    void list(@Mixin CommonOptions common) {
        SortedMap<String, PolicySettings> all = ActionRun.reading(common, PoliciesFile::topics).policies().all();
        Map<String, Object> json = new TreeMap<>();
        all.forEach((tenant, settings) -> json.put(tenant, settings.json()));
        common.printer().result(() -> json, printer -> {
            if (all.isEmpty()) {
                printer.line("No tenant has its own settings.");
            }
            printer.table(all.entrySet().stream()
                    .map(entry -> List.of(Printable.of(entry.getKey()), entry.getValue().inOneLine())));
        });
    }

    @Command(name = "get", footer = "  spillway tenants get acme",
            description = "Shows the effective policy of a tenant, and the source of each setting.")
    void get(@Mixin CommonOptions common, @Parameters(paramLabel = "T", description = "Tenant, or * for the settings "
            + "of all tenants.") String tenant) {
        Inputs.requireNameOrAll("tenant", tenant);
        ActionRun topics = ActionRun.reading(common, PoliciesFile::topics);
        TenantPolicies all = topics.policies();
        common.printer().result(
                () -> Map.of("tenant", tenant, "policy", all.inForce(tenant).json(), "set", all.own(tenant).json()),
                printer -> printer.table(PolicySources.rows(tenant, all, topics.configuration().defaults())));
    }

    @Command(name = "remove", footer = "  spillway tenants remove acme --wait",
            description = "Removes all settings of a tenant. The defaults apply again.")
    void remove(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", description = "Tenant, or * for the settings of all tenants.") String tenant,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait) {
        Inputs.requireNameOrAll("tenant", tenant);
        ActionRun topics = ActionRun.with(common, PoliciesFile::topics);
        if (!topics.policies().contains(tenant)) {
            throw CommandFailure.failed(tenant + " has no settings of its own. List the tenants that have: spillway "
                    + "tenants list");
        }
        RecordMetadata removed = topics.write(topics.names().policies(), Collections.singletonMap(tenant, null));
        String sentence = "Removed the settings of " + tenant + ".";
        topics.record("remove", tenant, Map.of(), sentence);
        common.printer().result(Map.of("tenant", tenant, "removed", true), sentence);
        if (wait) {
            topics.await(removed);
        }
    }

    @Command(name = "isolate", footer = {
        "  spillway tenants isolate acme --partitions 2 --wait",
        "  spillway tenants isolate acme --pool spare --wait"
    }, description = {
        "Dedicates partitions to a tenant, without a restart. From then on its items go there, and those of "
                + "other tenants do not.",
        "With --pool only the workers of that pool handle its items, also those that wait now, and no items of others. "
                + "Otherwise items that already wait are moved only with --move-backlog.",
        "At least half of the partitions stay shared. To undo it: tenants release T."
    })
    void isolate(
            @Mixin CommonOptions common, @Parameters(paramLabel = "T", description = "Tenant.") String tenant,
            @Option(names = "--partitions", paramLabel = "N", defaultValue = "1",
                    description = "Number of dedicated partitions. Default: ${DEFAULT-VALUE}.") int partitions,
            @Option(names = "--pool", paramLabel = "POOL",
                    description = "Pool of the workers that handle them: their worker.pool.") String pool,
            @Option(names = "--move-backlog",
                    description = "Move what waits in other partitions to the dedicated ones, up to 2,000 items a "
                            + "second at each worker.") boolean movesBacklog,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait) {
        act(common, OperatorAction.SetPolicy.isolate(tenant, partitions, Optional.ofNullable(pool), movesBacklog),
                wait);
    }

    @Command(name = "release", footer = "  spillway tenants release acme --wait", description = {
        "Moves an isolated tenant back to its shard, without a restart. All tenants share its partitions again, with "
                + "what waits in them, which the workers of the shared pool handle."
    })
    void release(
            @Mixin CommonOptions common, @Parameters(paramLabel = "T", description = "Tenant.") String tenant,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait,
            @Option(names = "--shard",
                    description = "Release its assigned shard as well (only with shards.overlap). Use it for a tenant "
                            + "that has left: one that still sends items gets a new shard.") boolean shard) {
        OperatorAction action = shard ? new OperatorAction.ReleaseShard(tenant)
                : OperatorAction.SetPolicy.release(tenant);
        ActionRun.with(common, topics -> shard && topics.assignsShards()
                ? List.of(topics.policies(), topics.shardRequests())
                : List.of(topics.policies())).act(action, false, wait);
    }

    @Command(name = "pause", description = {
        "Pauses a tenant or one of its workloads, without a restart. Its items are accepted and held in delay, and not "
                + "attempted.",
        "Attempts that run go on. Items that a worker has read are held too, at most 10 s later. The limits ttl, "
                + "expireAfter and retryFor apply to held items. To undo it: tenants resume T."
    }, footer = {"  spillway tenants pause acme --wait", "  spillway tenants pause acme --workload mail"})
    void pause(
            @Mixin CommonOptions common, @Parameters(paramLabel = "T", description = ANY) String tenant,
            @Option(names = "--workload", paramLabel = "W", description = ONE_WORKLOAD) String workload,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait) {
        act(common, OperatorAction.SetPolicy.pause(tenant, Optional.ofNullable(workload), true), wait);
    }

    @Command(name = "resume", description = {
        "Ends the pause of a tenant or of one of its workloads. Held items go on at a limited rate, those with fewer "
                + "attempts and the oldest first, by the rules that apply to new items."
    }, footer = {"  spillway tenants resume acme --wait", "  spillway tenants resume acme --workload mail"})
    void resume(
            @Mixin CommonOptions common, @Parameters(paramLabel = "T", description = ANY) String tenant,
            @Option(names = "--workload", paramLabel = "W", description = ONE_WORKLOAD) String workload,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait) {
        act(common, OperatorAction.SetPolicy.pause(tenant, Optional.ofNullable(workload), false), wait);
    }

    private static void act(CommonOptions common, OperatorAction action, boolean wait) {
        ActionRun.with(common, PoliciesFile::topics).act(action, false, wait);
    }
}
