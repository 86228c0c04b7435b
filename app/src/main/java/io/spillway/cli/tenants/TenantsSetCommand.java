package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.operator.OperatorAction;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command {@code spillway tenants set}, with an option for each {@link PolicyField}. */
@Command(name = "set", footer = {
    "  spillway tenants set acme --rate 100 --burst 200 --wait",
    "  spillway tenants set '*' --concurrency 10",
    "  spillway tenants set acme --workload mail --weight 2"
}, description = {
    "Changes policy settings of a tenant. Settings that are not named keep their values.",
    "The value 'default' removes a setting. If two commands change a tenant at the same time, the last one wins.",
    "With --workload, --weight, --concurrency, --attempt-rate and --paused are settings of that workload "
                + "within the tenant."
})
final class TenantsSetCommand implements Runnable {
    private static final List<PolicyField> FIELDS = List.of(PolicyField.values());

    @Mixin
    private CommonOptions common;

    @Parameters(paramLabel = "T", description = "Tenant, or * for the settings of all tenants.")
    private String tenant;

    @Option(names = "--workload", paramLabel = "W", description = "Workload of the tenant whose --weight, "
            + "--concurrency, --attempt-rate and --paused are set; at most " + TenantPolicy.MAX_WORKLOADS + " for each tenant.")
    private String workload;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    private CommandSpec spec;

    @Spec
    void addFlags(CommandSpec own) {
        spec = own;
        PolicyFlags.add(own, FIELDS);
    }

    @Override
    public void run() {
        OperatorAction action = OperatorAction.SetPolicy.set(
                tenant, Optional.ofNullable(workload), PolicyFlags.given(spec, FIELDS));
        ActionRun.with(common, PoliciesFile::topics).act(action, false, wait);
    }
}
