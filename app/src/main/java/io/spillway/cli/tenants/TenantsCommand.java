package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.Printable;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.PolicyText;
import io.spillway.operator.report.PolicySources;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants}: policies of tenants. */
@Command(name = "tenants",
        description = "Lists and changes policies of tenants, without a restart. T is a tenant, or * for the tenants "
                + "that have no value of their own.",
        subcommands = {
            TenantsSetCommand.class, TenantsApplyCommand.class, TenantsExportCommand.class, TenantsKeyCommand.class,
            TenantsIsolateCommand.class, TenantsReleaseCommand.class,
            TenantsPauseCommand.Pause.class, TenantsPauseCommand.Resume.class
        })
public final class TenantsCommand {
    @Command(name = "list", footer = "  spillway tenants list --output json",
            description = "Lists the tenants that have their own policy settings.")
    void list(@Mixin CommonOptions common) {
        SortedMap<String, PolicySettings> all = TenantTopics.withPolicies(common).policies().all();
        Map<String, Object> json = new TreeMap<>();
        all.forEach((tenant, settings) -> json.put(tenant, settings.json()));
        common.printer().result(() -> json, printer -> {
            if (all.isEmpty()) {
                printer.line("No tenant has its own settings.");
            }
            printer.table(all.entrySet().stream()
                    .map(entry -> List.of(Printable.of(entry.getKey()), PolicyText.inOneLine(entry.getValue()))));
        });
    }

    @Command(name = "get", footer = "  spillway tenants get acme",
            description = "Shows the effective policy of a tenant, and the source of each setting.")
    void get(@Mixin CommonOptions common, @Parameters(paramLabel = "T", description = "Tenant, or * for the settings "
            + "of all tenants.") String tenant) {
        OptionValues.requireNameOrAll("tenant", tenant);
        TenantTopics topics = TenantTopics.withPolicies(common);
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
        OptionValues.requireNameOrAll("tenant", tenant);
        TenantTopics topics = TenantTopics.withChanges(common);
        if (!topics.policies().contains(tenant)) {
            throw CommandFailure.failed(tenant + " has no settings of its own. List the tenants that have: spillway "
                    + "tenants list");
        }
        topics.removePolicy(tenant, wait);
        String sentence = "Removed the settings of " + tenant + ".";
        topics.record("remove", tenant, Map.of(), sentence);
        common.printer().result(Map.of("tenant", tenant, "removed", true), sentence);
    }
}
