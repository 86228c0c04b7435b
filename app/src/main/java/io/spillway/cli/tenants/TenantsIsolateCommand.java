package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants isolate}: dedicates partitions to a tenant. */
@Command(name = "isolate", footer = "  spillway tenants isolate acme --partitions 2 --wait", description = {
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
        OptionValues.requireOneTenant(tenant);
        if (partitions < 1) {
            throw CommandFailure.usage("--partitions " + partitions + ": must be 1 or more");
        }
        TenantTopics topics = TenantTopics.withPolicies(common);
        TenantPolicies policies = topics.policies();
        PolicySettings settings = policies.own(tenant).with(PolicyField.DEDICATED, Integer.toString(partitions));
        Map<String, byte[]> change = Map.of(tenant, TenantPolicies.encode(tenant, settings));
        List<Integer> own =
                DedicationCheck.planned(topics.configuration(), policies, change).dedication().of(tenant);
        topics.writePolicy(tenant, settings, wait);
        common.printer().result(Map.of("tenant", tenant, "dedicated", partitions, "partitions", own),
                tenant + " has the dedicated partitions " + own + ". To undo it: spillway tenants release " + tenant);
    }
}
