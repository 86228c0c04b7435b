package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.options.PolicyText;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.Printable;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.runtime.CompactedTopics;
import io.spillway.runtime.ViewProgress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants}: policies of tenants. */
@Command(
        name = "tenants",
        description = "Lists and changes policies of tenants, without a restart. T is a tenant, or * for the tenants "
                + "that have no value of their own.",
        subcommands = {
            TenantsSetCommand.class,
            TenantsKeyCommand.class,
            TenantsIsolateCommand.class,
            TenantsReleaseCommand.class
        })
public final class TenantsCommand {
    private final InstantSource clock = InstantSource.system();

    @Command(name = "list", description = "Lists the tenants that have their own policy settings.")
    int list(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.policies()));
        Map<String, PolicySettings> all = read(configuration).all();
        Printer printer = common.printer();
        if (common.isJson()) {
            Map<String, Object> result = new LinkedHashMap<>();
            all.forEach((tenant, settings) -> result.put(tenant, PolicyText.textOf(settings)));
            printer.json(result);
        } else if (all.isEmpty()) {
            printer.line("No tenant has its own settings.");
        } else {
            printer.table(all.entrySet().stream()
                    .map(entry -> List.of(Printable.of(entry.getKey()), PolicyText.inOneLine(entry.getValue())))
                    .toList());
        }
        return 0;
    }

    @Command(name = "get", description = "Shows the effective policy of a tenant, and the source of each setting.")
    int get(@Mixin CommonOptions common, @Parameters(paramLabel = "T", description = "Tenant, or * for the settings "
            + "of all tenants.") String tenant) {
        OptionValues.requireTenantOrAll(tenant);
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.policies()));
        TenantPolicies policies = read(configuration);
        PolicySettings own = policies.own(tenant);
        PolicySettings shared = policies.own(ViewContent.ALL_TENANTS);
        PolicySettings inForce = policies.inForce(tenant);
        Printer printer = common.printer();
        if (common.isJson()) {
            printer.json(Map.of("tenant", tenant, "policy", PolicyText.textOf(inForce), "set", PolicyText.textOf(own)));
            return 0;
        }
        List<List<String>> rows = new ArrayList<>();
        inForce.values().forEach((field, value) -> rows.add(List.of(
                field.key(),
                field.format(value),
                own.get(field).isPresent() ? "set for " + tenant
                        : shared.get(field).isPresent() ? "set for *"
                        : configuration.defaults().get(field).isPresent() ? "configuration" : "default")));
        printer.table(rows);
        return 0;
    }

    @Command(name = "remove", description = "Removes all settings of a tenant. The defaults apply again.")
    int remove(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", description = "Tenant, or * for the settings of all tenants.") String tenant,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait) {
        OptionValues.requireTenantOrAll(tenant);
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.policies()));
        Printer printer = common.printer();
        if (!read(configuration).contains(tenant)) {
            throw CommandFailure.failed(tenant + " has no settings of its own. List the tenants that have: spillway "
                    + "tenants list");
        }
        write(configuration, tenant, null, wait, printer);
        if (common.isJson()) {
            printer.json(Map.of("tenant", tenant, "removed", true));
        } else {
            printer.line("Removed the settings of " + tenant + ".");
        }
        return 0;
    }

    /** Stores a tenant's settings. Null removes them. */
    void write(Configuration configuration, String tenant, PolicySettings settings, boolean wait, Printer printer) {
        String topic = new Topics(configuration.queue()).policies();
        RecordMetadata stored;
        try (CompactedTopics topics = new CompactedTopics(configuration, clock)) {
            stored = topics.write(topic, tenant, settings == null ? null : TenantPolicies.encode(tenant, settings));
        }
        if (wait) {
            ViewProgress.await(configuration, stored, clock, printer);
        }
    }

    /** Returns the policies of all tenants. */
    TenantPolicies read(Configuration configuration) {
        try (CompactedTopics topics = new CompactedTopics(configuration, clock)) {
            return topics.read(
                    new Topics(configuration.queue()).policies(), new TenantPolicies(configuration.defaults()));
        }
    }
}
