package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.Inputs;
import io.spillway.operator.SubscriptionAction;
import io.spillway.runtime.ViewProgress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway subscriptions}: who gets deliveries of a tenant's items. */
@Command(name = "subscriptions", description = {
    "Lists and changes the subscriptions of tenants, without a restart.",
    "Each item of a workload that a subscription matches becomes a delivery to it: an item of its own, with its own "
            + "attempts, retries and dead letter, and the workload ~NAME."
}, subcommands = SubscriptionsSetCommand.class)
public final class SubscriptionsCommand {
    @Command(name = "list", footer = "  spillway subscriptions list acme --output json",
            description = "Lists the subscriptions of a tenant or of all tenants.")
    void list(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", arity = "0..1", description = "Tenant. Default: all.") String tenant) {
        Optional<String> wanted = Optional.ofNullable(tenant);
        wanted.ifPresent(name -> Inputs.requireName("tenant", name));
        TenantPolicies policies = ActionRun.reading(common, PoliciesFile::topics).policies();
        List<Map<String, Object>> rows = new ArrayList<>();
        List<List<String>> table = new ArrayList<>();
        for (String owner : wanted.<Set<String>>map(Set::of).orElseGet(policies::subscribed)) {
            for (Subscription subscription : policies.subscriptions(owner).values()) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("tenant", owner);
                row.put("name", subscription.name());
                row.put("workloads", subscription.pattern());
                row.put("set", subscription.settings().json());
                rows.add(row);
                table.add(List.of(owner, subscription.name(), subscription.pattern(),
                        subscription.settings().inOneLine()));
            }
        }
        common.printer().result(() -> rows, printer -> {
            if (rows.isEmpty()) {
                printer.line(wanted.orElse("No tenant") + " has " + (wanted.isPresent() ? "no" : "a")
                        + " subscription.");
            }
            printer.table(table.stream());
        });
    }

    @Command(name = "remove", footer = "  spillway subscriptions remove acme billing --wait",
            description = "Removes a subscription. What waits for it is still delivered, with the settings of its "
                    + "tenant; spillway cancel drops it.")
    void remove(
            @Mixin CommonOptions common,
            @Parameters(index = "0", paramLabel = "T", description = "Tenant.") String tenant,
            @Parameters(index = "1", paramLabel = "NAME", description = "Name of the subscription.") String name,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait) {
        ActionRun.with(common, PoliciesFile::topics).act(new SubscriptionAction.Remove(tenant, name), false, wait);
    }
}
