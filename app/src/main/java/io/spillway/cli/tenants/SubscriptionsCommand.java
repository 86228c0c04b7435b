package io.spillway.cli.tenants;

import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.policy.Subscription;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.Inputs;
import io.spillway.operator.SubscriptionAction;
import io.spillway.runtime.ViewProgress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
    private static final int MOST_ATTEMPTS = 10_000;

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

    @Command(name = "attempts", footer = {
        "  spillway subscriptions attempts acme billing",
        "  spillway subscriptions attempts acme billing --since 1h --limit 1000 --output json"
    }, description = {
        "Lists the latest attempts of a subscription's deliveries, newest first: when they ended, how, and what the "
                + "receiver answered.",
        "They are kept for topics.trail, an hour with the embedded Kafka."
    })
    void attempts(
            @Mixin CommonOptions common,
            @Parameters(index = "0", paramLabel = "T", description = "Tenant.") String tenant,
            @Parameters(index = "1", paramLabel = "NAME", description = "Name of the subscription.") String name,
            @Option(names = "--since", paramLabel = "TIME", defaultValue = "1d", description = "From this time on: a "
                    + "time, epoch milliseconds, or a duration before now. Default: ${DEFAULT-VALUE}.") String since,
            @Option(names = "--limit", paramLabel = "N", defaultValue = "100",
                    description = "Most attempts to list, 1 to 10000. Default: ${DEFAULT-VALUE}.") int limit) {
        Inputs.requireName("tenant", tenant);
        Inputs.requireName("name", name);
        if (limit < 1 || limit > MOST_ATTEMPTS) {
            throw CommandFailure.usage("--limit " + limit + ": must be 1 to " + MOST_ATTEMPTS);
        }
        long sinceMillis = Inputs.millisOf("--since", since, common.clock().millis());
        Configuration configuration = common.configurationWithTrail("Attempts");
        Deque<StoredItem> latest = new ArrayDeque<>();
        try (Census census = new Census(configuration, common.clock(), OptionalLong.of(sinceMillis))) {
            census.forEachOnTrail(item -> {
                if (item.owner().equals(tenant) && item.text(ItemHeaders.WORKLOAD).orElse("")
                        .equals(Subscription.MARK + name)) {
                    latest.addFirst(item);
                    if (latest.size() > limit) {
                        latest.removeLast();
                    }
                }
            });
        }
        common.printer().result(() -> latest.stream().map(SubscriptionsCommand::attempt).toList(), printer -> {
            if (latest.isEmpty()) {
                printer.line("No attempt of " + name + " of " + tenant + " since " + Inputs.iso(sinceMillis) + ".");
            }
            printer.table(latest.stream().map(item -> List.copyOf(attempt(item).values())));
        });
    }

    private static Map<String, Object> attempt(StoredItem item) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("at", Inputs.iso(item.timestampMillis()));
        row.put("id", Printable.of(item.id()));
        row.put("attempts", item.number(ItemHeaders.ATTEMPT).orElse(0));
        row.put("result", Printable.of(new String(item.value(), StandardCharsets.US_ASCII)));
        row.put("answer", item.text(ItemHeaders.LAST_FAILURE).map(Printable::of).orElse(""));
        return row;
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
