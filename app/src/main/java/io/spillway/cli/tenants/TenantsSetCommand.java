package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.options.PolicyText;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Command {@code spillway tenants set}, with an option for each {@link PolicyField}. */
@Command(
        name = "set",
        description = {
            "Changes policy settings of a tenant. Settings that are not named keep their values.",
            "The value 'default' removes a setting. If two commands change a tenant at the same time, the last one "
                    + "wins."
        })
final class TenantsSetCommand implements Callable<Integer> {
    private static final String DEFAULT = "default";

    @Mixin
    private CommonOptions common;

    @ParentCommand
    private TenantsCommand tenants;

    @Parameters(paramLabel = "T", description = "Tenant, or * for the settings of all tenants.")
    private String tenant;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    private CommandSpec spec;

    @Spec
    void addFlags(CommandSpec own) {
        spec = own;
        for (PolicyField field : PolicyField.values()) {
            own.addOption(OptionSpec.builder("--" + field.flag())
                    .paramLabel(field.type().name())
                    .type(String.class)
                    .description(sentence(field.help()) + " Allowed: " + field.allowed() + ".")
                    .build());
        }
    }

    @Override
    public Integer call() {
        OptionValues.requireTenantOrAll(tenant);
        boolean isAnySet = false;
        for (PolicyField field : PolicyField.values()) {
            String text = given(field);
            isAnySet |= text != null;
            if (text != null && !text.equals(DEFAULT)) {
                checked(field, text);
            }
        }
        if (!isAnySet) {
            throw CommandFailure.usage(
                    "There is nothing to set. Give at least one of --" + String.join(", --", PolicyField.flags()));
        }
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.policies()));
        PolicySettings settings = tenants.read(configuration).own(tenant);
        for (PolicyField field : PolicyField.values()) {
            String text = given(field);
            if (text != null) {
                settings = text.equals(DEFAULT) ? settings.without(field) : settings.with(field, text);
            }
        }
        Printer printer = common.printer();
        tenants.write(configuration, tenant, settings, wait, printer);
        if (common.isJson()) {
            printer.json(Map.of("tenant", tenant, "set", PolicyText.textOf(settings)));
        } else {
            printer.line(tenant + ": " + PolicyText.inOneLine(settings));
        }
        return 0;
    }

    private static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }

    private String given(PolicyField field) {
        return spec.findOption("--" + field.flag()).getValue();
    }

    private static void checked(PolicyField field, String text) {
        try {
            field.parse(text);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--" + field.flag() + ": " + e.getMessage() + ", or default");
        }
    }
}
