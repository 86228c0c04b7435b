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

/** {@code spillway tenants set}: one flag for each setting of a policy, made from the table of settings. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        description = {
            "Changes settings of a tenant; those not named stay as they are.",
            "The value 'default' takes a setting back. Two who change one tenant at the same moment: the later one wins."
        })
final class TenantsSetCommand implements Callable<Integer> {
    private static final String BACK_TO_DEFAULT = "default";

    @Mixin
    private CommonOptions common;

    @ParentCommand
    private TenantsCommand tenants;

    @Parameters(paramLabel = "T", description = "the tenant, or *")
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
                    .description(field.help() + " (" + field.allowed() + ")")
                    .build());
        }
    }

    @Override
    public Integer call() {
        OptionValues.requireTenantOrAll(tenant);
        boolean anything = false;
        for (PolicyField field : PolicyField.values()) {
            String text = given(field);
            anything |= text != null;
            if (text != null && !text.equals(BACK_TO_DEFAULT)) {
                checked(field, text);
            }
        }
        if (!anything) {
            throw CommandFailure.usage("nothing to set: give at least one of --" + String.join(", --", PolicyField.flags()));
        }
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.policies()));
        PolicySettings settings = tenants.read(configuration).all().getOrDefault(tenant, PolicySettings.NONE_SET);
        for (PolicyField field : PolicyField.values()) {
            String text = given(field);
            if (text != null) {
                settings = text.equals(BACK_TO_DEFAULT) ? settings.without(field) : settings.with(field, text);
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
