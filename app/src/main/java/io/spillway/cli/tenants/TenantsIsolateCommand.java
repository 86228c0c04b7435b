package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.PolicyCodec;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code spillway tenants isolate}: partitions of its own for a tenant, by its policy. */
@Command(
        name = "isolate",
        mixinStandardHelpOptions = true,
        description = {
            "Moves a tenant to partitions of its own, live: its next items go there and nobody else's do.",
            "What waits already stays where it is. Half of the partitions always stay shared. Back: tenants release T."
        })
public final class TenantsIsolateCommand implements Callable<Integer> {
    @Mixin
    private CommonOptions common;

    @ParentCommand
    private TenantsCommand tenants;

    @Parameters(paramLabel = "T", description = "the tenant")
    private String tenant;

    @Option(names = "--partitions", paramLabel = "N", defaultValue = "1", description = "partitions of its own (default: ${DEFAULT-VALUE})")
    private int partitions;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    @Override
    public Integer call() {
        OptionValues.requireOneTenant(tenant);
        if (partitions < 1) {
            throw CommandFailure.usage("--partitions " + partitions + ": must be 1 or more");
        }
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.policies()));
        SortedMap<String, PolicySettings> all = tenants.read(configuration).all();
        PolicySettings settings = all.getOrDefault(tenant, PolicySettings.NONE_SET)
                .with(PolicyField.DEDICATED, Integer.toString(partitions));
        List<Integer> own = planned(configuration, all, settings).dedication().of(tenant);
        Printer printer = common.printer();
        tenants.write(configuration, tenant, settings, wait, printer);
        if (common.isJson()) {
            printer.json(Map.of("tenant", tenant, "dedicated", partitions, "partitions", own));
        } else {
            printer.line(tenant + " has partitions " + own + " of its own; back with: spillway tenants release " + tenant);
        }
        return 0;
    }

    /** What every router will make of it; refused where the wish, or that of another because of it, cannot be met. */
    private DedicationPlan planned(
            Configuration configuration, SortedMap<String, PolicySettings> all, PolicySettings settings) {
        PolicyCodec codec = new PolicyCodec();
        TenantPolicies policies = new TenantPolicies(configuration.defaults());
        all.forEach((other, own) -> policies.put(other, codec.encode(other, own)));
        SortedMap<String, String> before =
                new PlacementView(configuration.queue(), policies, ShardAssignments.none()).dedications().refused();
        policies.put(tenant, codec.encode(tenant, settings));
        DedicationPlan plan = new PlacementView(configuration.queue(), policies, ShardAssignments.none()).dedications();
        if (plan.refused().containsKey(tenant)) {
            throw CommandFailure.failed("nothing is changed: " + plan.refused().get(tenant));
        }
        plan.refused().forEach((other, why) -> {
            if (!before.containsKey(other)) {
                throw CommandFailure.failed("nothing is changed: it would take away from " + why);
            }
        });
        return plan;
    }
}
