package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.operator.OperatorAction;
import io.spillway.runtime.ViewProgress;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
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
    "With --workload, --weight, --concurrency and --paused are settings of that workload within the tenant."
})
final class TenantsSetCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Parameters(paramLabel = "T", description = "Tenant, or * for the settings of all tenants.")
    private String tenant;

    @Option(names = "--workload", paramLabel = "W", description = "Workload of the tenant whose --weight, "
            + "--concurrency and --paused are set; at most " + TenantPolicy.MAX_WORKLOADS + " for each tenant.")
    private String workload;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    private CommandSpec spec;

    @Spec
    void addFlags(CommandSpec own) {
        spec = own;
        for (PolicyField field : PolicyField.values()) {
            own.addOption(OptionSpec.builder("--" + field.flag()).paramLabel(field.type().name()).type(String.class)
                    .description(sentence(field.help()) + " Allowed: " + field.allowed() + ".")
                    .build());
        }
    }

    @Override
    public void run() {
        Map<PolicyField, String> given = new EnumMap<>(PolicyField.class);
        for (PolicyField field : PolicyField.values()) {
            String text = spec.findOption("--" + field.flag()).getValue();
            if (text != null) {
                given.put(field, text);
            }
        }
        OperatorAction action = OperatorAction.SetPolicy.set(tenant, Optional.ofNullable(workload), given);
        ActionRun.with(common, PoliciesFile::topics).act(action, false, wait);
    }

    private static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }
}
