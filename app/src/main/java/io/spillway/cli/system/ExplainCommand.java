package io.spillway.cli.system;

import io.spillway.audit.StoredItem;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.ScanProgress;
import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.TimeoutStatuses;
import io.spillway.operator.ActionEntry;
import io.spillway.operator.ActionLog;
import io.spillway.operator.Inputs;
import io.spillway.operator.OperatorActions;
import io.spillway.operator.report.MarkRules;
import io.spillway.operator.report.PolicySources;
import io.spillway.operator.report.TenantExplanation;
import io.spillway.operator.report.TimeoutExplanation;
import io.spillway.runtime.CompactedTopics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway explain}: the routing of a tenant, or the path of an item. */
@Command(name = "explain", footer = {
    "  spillway explain --tenant acme",
    "  spillway explain --id order-17 --since 2h"
}, description = {
    "Explains the routing of a tenant, or finds an item.",
    "With --tenant: shows the effective policy of a tenant, its slots and partitions with their backlogs, "
            + "the rules that route its items, the durations and timeouts of its attempts, and the tenants that "
            + "share its partitions.",
    "With --id: shows where the items with this id are, and their path as far as Kafka still has the "
            + "records. How an item has finished is known for topics.trail, an hour with the embedded Kafka. It "
            + "reads all topics; --since makes that faster."
})
public final class ExplainCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Option(names = "--tenant", paramLabel = "T", description = "Tenant to explain, or " + LedgerOwner.NONE
            + " for records whose tenant cannot be read.")
    private String tenant;

    @Option(names = "--id", paramLabel = "ID",
            description = "Item to find: its id, or its first position as TOPIC-PARTITION-OFFSET.")
    private String id;

    @Option(names = "--since", paramLabel = "TIME",
            description = "With --id, read only records from this time on: a time such as 2026-11-21T08:00:00Z, "
                    + "epoch milliseconds, or a duration before now such as 2h.")
    private String since;

    @Override
    public void run() {
        if ((tenant == null) == (id == null)) {
            throw CommandFailure.usage("Give either --tenant T or --id ID (see: spillway explain --help)");
        }
        if (since != null && id == null) {
            throw CommandFailure.usage("--since " + Printable.of(since) + ": can be used only with --id");
        }
        if (id == null) {
            explainTenant();
        } else {
            followItem(since == null ? OptionalLong.empty()
                    : OptionalLong.of(Inputs.millisOf("--since", since, common.clock().millis())));
        }
    }

    private void followItem(OptionalLong sinceMillis) {
        Configuration configuration = common.configurationWithLedger();
        Printer printer = common.printer();
        ItemPath found = ItemPath.find(
                configuration, id, sinceMillis, common.clock(), new ScanProgress(common.clock(), printer::note));
        List<StoredItem> path = found.steps();
        if (path.isEmpty()) {
            throw CommandFailure.failed("No record of " + Printable.of(id)
                    + (sinceMillis.isPresent() ? " since " + Inputs.isoOrNull(sinceMillis) : "")
                    + ": it was never received, or it has finished and been purged. "
                    + trailText(configuration.topics().trailKept()));
        }
        TenantPolicies policies = policiesIn(configuration);
        long nowMillis = common.clock().millis();
        printer.result(
                () -> Map.of("id", Printable.of(id),
                        "deliveries", found.deliveries().entrySet().stream().collect(Collectors.toMap(
                                each -> each.getKey().label, Map.Entry::getValue)),
                        "steps", path.stream().map(step -> ItemPath.fields(step, policies, nowMillis)).toList()),
                text -> {
                    print(text, path, policies, nowMillis);
                    found.progress().ifPresent(text::line);
                });
    }

    private TenantPolicies policiesIn(Configuration configuration) {
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            return topics.read(
                    new Topics(configuration.queue()).policies(), new TenantPolicies(configuration.defaults()));
        }
    }

    private static String trailText(Duration kept) {
        return kept.isZero()
                ? "To learn how items finish, set topics.trail."
                : "Finished items are found for " + Durations.format(kept.toMillis()) + " (topics.trail).";
    }

    private static void print(
            Printer printer, List<StoredItem> path, TenantPolicies policies, long nowMillis) {
        String origin = "";
        for (StoredItem step : path) {
            if (!step.origin().equals(origin)) {
                origin = step.origin();
                printer.line("item " + Printable.of(step.id()) + " of " + step.owner() + ", entered at "
                        + Printable.of(origin));
            }
            printer.line("  " + ItemPath.line(step, policies, nowMillis));
        }
        if (path.stream().noneMatch(step -> step.isWaiting() || ItemPath.isEnd(step))) {
            printer.line("It does not wait: it is done, dropped or discarded.");
        }
    }

    private void explainTenant() {
        Inputs.requireOwner("--tenant", tenant);
        if (tenant.equals(LedgerOwner.NONE)) {
            String rule = "any: dead-letter";
            common.printer().result(() -> Map.of("tenant", tenant, "rules", List.of(rule)), printer -> {
                printer.line(tenant + ": records whose tenant cannot be read. No policy applies to them.");
                printer.line("They are dead letters. List them with: spillway dead-letters list --tenant '(none)'");
            });
            return;
        }
        Configuration configuration = common.configurationWithCluster(
                topics -> List.of(topics.policies(), topics.sweeps(), topics.shards(), topics.timeouts(),
                        topics.actions(), topics.lane(Lane.HOT)));
        Topics names = new Topics(configuration.queue());
        ShardAssignments assignments = new ShardAssignments();
        TenantPolicies policies;
        Sweeps sweeps;
        TimeoutStatuses statuses;
        ActionLog actions;
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            policies = topics.read(names.policies(), new TenantPolicies(configuration.defaults()));
            sweeps = topics.read(names.sweeps(), new Sweeps());
            statuses = topics.read(names.timeouts(), new TimeoutStatuses(common.clock()));
            actions = topics.read(names.actions(), new ActionLog(Integer.MAX_VALUE));
            if (names.assignsShards()) {
                topics.read(names.shards(), assignments);
            }
        }
        PlacementView placements = new PlacementView(configuration.queue(), policies, assignments);
        TenantExplanation explanation = TenantExplanation.of(
                tenant, policies, placements, assignments,
                MarkRules.rules(sweeps, tenant, policies.of(tenant), common.clock().millis()),
                configuration.router().protection().isOn());
        TimeoutExplanation timeouts = TimeoutExplanation.of(tenant, policies.of(tenant), statuses);
        List<List<String>> policy = PolicySources.rows(tenant, policies, configuration.defaults()).toList();
        Optional<ActionEntry> isolation = actions.newest(ActionLog.MAX).stream()
                .filter(entry -> entry.tenant().equals(tenant) && entry.by().startsWith(OperatorActions.RULE))
                .findFirst();
        Map<Integer, Map<String, Long>> waiting = waiting(configuration, names, explanation.partitions());
        common.printer().result(
                () -> Map.ofEntries(
                        Map.entry("tenant", tenant), Map.entry("policy", policies.inForce(tenant).json()),
                        Map.entry("placement", explanation.kind().label()), Map.entry("slots", explanation.slots()),
                        Map.entry("partitions", explanation.partitions()),
                        Map.entry("pool", explanation.pool()),
                        Map.entry("isolationRule", isolation.<Object>map(ActionEntry::json).orElse(Map.of())),
                        Map.entry("waiting", waiting),
                        Map.entry("rules", explanation.rules()), Map.entry("timeouts", timeouts.fields()),
                        Map.entry("known", explanation.known()), Map.entry("sharing", explanation.sharing()),
                        Map.entry("neighbours", explanation.neighbours())),
                printer -> print(printer, explanation, timeouts, policy, waiting, isolation));
    }

    private static Map<Integer, Map<String, Long>> waiting(
            Configuration configuration, Topics topics, List<Integer> partitions) {
        Map<Integer, Map<String, Long>> waiting = new LinkedHashMap<>();
        partitions.forEach(partition -> waiting.put(partition, new LinkedHashMap<>()));
        KafkaClients clients = new KafkaClients(configuration.queue());
        try (Admin admin = clients.admin()) {
            QueueAdmin queues = new QueueAdmin(admin, clients.commands());
            for (Lane lane : Lane.WORKED) {
                for (QueueProgress queue : queues.readProgress(topics.lane(lane), topics.workerGroup(), false)) {
                    waiting.getOrDefault(queue.partition().partition(), new LinkedHashMap<>())
                            .put(lane.label(), queue.waiting());
                }
            }
        }
        return waiting;
    }

    private void print(
            Printer printer, TenantExplanation explanation, TimeoutExplanation timeouts, List<List<String>> policy,
            Map<Integer, Map<String, Long>> waiting, Optional<ActionEntry> isolation) {
        printer.line(tenant + ": " + explanation.kind().text());
        printer.line("slots " + explanation.slots() + ", partitions " + explanation.partitions()
                + ", workers of the pool " + explanation.pool());
        isolation.ifPresent(entry -> printer.line(Inputs.iso(entry.atMillis()) + " " + entry.by() + ": "
                + entry.action() + ". " + entry.result()));
        List<String> lanes = Lane.WORKED.stream().map(Lane::label).toList();
        printer.table(row("partition", lanes, "(waiting items of all tenants)"),
                waiting.entrySet().stream().map(partition -> row(
                        partition.getKey(),
                        lanes.stream().map(lane -> partition.getValue().getOrDefault(lane, 0L)).toList(), "")));
        printer.line("");
        printer.line("Its items, by the first rule that applies:");
        explanation.rules().forEach(rule -> printer.line("  " + rule));
        printer.line("");
        timeouts.lines().forEach(printer::line);
        if (!timeouts.rows().isEmpty()) {
            printer.table(TimeoutExplanation.head(), timeouts.rows().stream());
        }
        // Only the router that has the timers knows their number, and it is a metric, not a status.
        printer.line("Retries held back by the retry budget: metric spillway_delay_parked of each router.");
        printer.line("");
        printer.line(explanation.known() == 0
                ? "No other tenant has a policy or an assigned shard to compare with."
                : "Of " + Printer.count(explanation.known(), "other tenant") + " with a policy or an assigned shard"
                        + (explanation.isCutShort() ? " (the first by name; there are more)" : "") + ":");
        explanation.sharing().forEach((shared, count) ->
                printer.line("  " + count + (count == 1 ? " shares " : " share ") + shared + " of its partitions"));
        printer.table(explanation.neighbours().stream().map(neighbour ->
                List.of("  " + Printable.of(neighbour.tenant()), neighbour.shared())));
        printer.line("");
        printer.line("Policy in force, and where each field is set:");
        printer.table(policy.stream().map(row -> List.of("  " + row.get(0), row.get(1), row.get(2))));
    }

    private static List<Object> row(Object first, List<?> cells, Object last) {
        return Stream.of(List.of(first), cells, List.of(last)).<Object>flatMap(List::stream).toList();
    }
}
