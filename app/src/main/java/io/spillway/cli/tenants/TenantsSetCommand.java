package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.options.PolicyText;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.runtime.ViewProgress;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
    private static final String DEFAULT = "default";
    private static final Set<PolicyField> OF_WORKLOADS =
            EnumSet.of(PolicyField.WEIGHT, PolicyField.CONCURRENCY, PolicyField.PAUSED);

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
        OptionValues.requireNameOrAll("tenant", tenant);
        Map<PolicyField, String> given = new EnumMap<>(PolicyField.class);
        for (PolicyField field : PolicyField.values()) {
            String text = spec.findOption("--" + field.flag()).getValue();
            if (text != null) {
                given.put(field, checked(field, text));
            }
        }
        if (given.isEmpty()) {
            throw CommandFailure.usage(
                    "There is nothing to set. Give at least one of --" + String.join(", --", PolicyField.flags()));
        }
        if (workload != null) {
            OptionValues.requireName("--workload", workload);
            given.keySet().stream().filter(field -> !OF_WORKLOADS.contains(field)).findFirst().ifPresent(field -> {
                throw CommandFailure.usage(
                        "--" + field.flag() + ": cannot be used with --workload, which has only --weight, "
                                + "--concurrency and --paused");
            });
        }
        TenantTopics topics = TenantTopics.withPolicies(common);
        PolicySettings settings = changed(topics.policies().own(tenant), given);
        topics.writePolicy(tenant, settings, wait);
        common.printer().result(Map.of("tenant", tenant, "set", settings.json()),
                tenant + ": " + PolicyText.inOneLine(settings));
    }

    private PolicySettings changed(PolicySettings before, Map<PolicyField, String> given) {
        if (workload != null) {
            WorkloadPolicy limits = before.workloads().getOrDefault(workload, WorkloadPolicy.DEFAULT);
            for (Map.Entry<PolicyField, String> each : given.entrySet()) {
                PolicyField field = each.getKey();
                limits = limits.with(field, each.getValue().equals(DEFAULT)
                        ? PolicySettings.DEFAULTS.get(field).orElseThrow() : field.parse(each.getValue()));
            }
            try {
                return before.withWorkload(workload, limits);
            } catch (IllegalArgumentException e) {
                throw CommandFailure.failed(tenant + ": " + e.getMessage() + ". Remove the limits of another: spillway "
                        + "tenants set " + tenant + " --workload W --weight default --concurrency default");
            }
        }
        PolicySettings settings = before;
        for (Map.Entry<PolicyField, String> each : given.entrySet()) {
            settings = each.getValue().equals(DEFAULT) ? settings.without(each.getKey())
                    : settings.with(each.getKey(), each.getValue());
        }
        return settings;
    }

    private static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }

    private static String checked(PolicyField field, String text) {
        try {
            if (!text.equals(DEFAULT)) {
                field.parse(text);
            }
            return text;
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--" + field.flag() + ": " + e.getMessage() + ", or default");
        }
    }
}
