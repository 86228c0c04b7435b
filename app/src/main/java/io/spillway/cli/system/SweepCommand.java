package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.runtime.CompactedTopics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway sweep}: publishes completed anti-entropy sweeps to the routers. */
@Command(name = "sweep", description = "Records and lists completed anti-entropy sweeps.")
public final class SweepCommand {
    @Command(name = "record", description = {
        "Records a completed sweep. From then on, items of sweepable tenants that were enqueued before its "
                + "start are dropped.",
        "TIME is ISO 8601 with a time zone, such as 2026-11-21T08:00:00Z, epoch milliseconds, or a duration before now "
                + "such as 2h."
    })
    void record(
            @Mixin CommonOptions common,
            @Option(names = "--tenant", required = true, paramLabel = "T|*",
                    description = "Tenant, or * for all tenants.") String tenant,
            @Option(names = "--started-at", required = true, paramLabel = "TIME",
                    description = "Time when the sweep started.") String startedAt,
            @Option(names = "--completed-at", paramLabel = "TIME",
                    description = "Time when the sweep completed. Default: now.") String completedAt,
            @Option(names = "--id", paramLabel = "ID",
                    description = "Id of the sweep in your own systems. Default: a random id.") String id) {
        OptionValues.requireNameOrAll("--tenant", tenant);
        long nowMillis = common.clock().millis();
        Sweep sweep = sweepOf(startedAt, completedAt, nowMillis);
        String sweepId = Optional.ofNullable(id).orElseGet(() -> UUID.randomUUID().toString());
        byte[] idBytes = sweepId.getBytes(StandardCharsets.UTF_8);
        if (!ItemLimits.isId(idBytes, 0, idBytes.length)) {
            throw CommandFailure.usage("--id " + Printable.of(sweepId) + ": must be 1 to "
                    + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters");
        }
        Configuration configuration =
                common.configurationWithCluster(topics -> List.of(topics.policies(), topics.sweeps()));
        Topics names = new Topics(configuration.queue());
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            TenantPolicies policies = topics.read(names.policies(), new TenantPolicies(configuration.defaults()));
            topics.write(names.sweeps(), tenant, Sweeps.encode(tenant, sweepId, sweep));
            Printer printer = common.printer();
            boolean takesEffect = tenant.equals(ViewContent.ALL_TENANTS) || policies.of(tenant).sweepable();
            if (!takesEffect) {
                printer.note(tenant + " is not sweepable, so no items are dropped. To change that: spillway tenants "
                        + "set " + tenant + " --sweepable true");
            }
            printer.result(
                    Map.of("tenant", tenant, "sweepId", sweepId, "sweepable", takesEffect,
                            "startedAt", iso(sweep.startedAtMillis()), "completedAt", iso(sweep.completedAtMillis())),
                    "Recorded sweep " + sweepId + " of " + tenant + ". It covers items that were enqueued before "
                            + iso(sweep.startedAtMillis()) + ".");
        }
    }

    @Command(name = "list", description = {
        "Lists the sweep in force for each tenant that has one.",
        "Items of sweepable tenants that were enqueued before its start are dropped."
    })
    void list(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.sweeps()));
        SortedMap<String, Sweep> sweeps;
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            sweeps = topics.read(new Topics(configuration.queue()).sweeps(), new Sweeps()).all();
        }
        common.printer().result(
                () -> sweeps.entrySet().stream().map(each -> Map.of(
                        "tenant", each.getKey(), "startedAt", iso(each.getValue().startedAtMillis()),
                        "completedAt", iso(each.getValue().completedAtMillis()))).toList(),
                printer -> {
                    if (sweeps.isEmpty()) {
                        printer.line("No sweep is recorded.");
                        return;
                    }
                    printer.table(List.of("tenant", "started at", "completed at"), sweeps.entrySet().stream().map(
                            each -> List.of(Printable.of(each.getKey()), iso(each.getValue().startedAtMillis()),
                                    iso(each.getValue().completedAtMillis()))));
                });
    }

    private static Sweep sweepOf(String startedAt, String completedAt, long nowMillis) {
        long startedAtMillis = OptionValues.millisOf("--started-at", startedAt, nowMillis).orElseThrow();
        long completedAtMillis = OptionValues.millisOf("--completed-at", completedAt, nowMillis).orElse(nowMillis);
        if (startedAtMillis > nowMillis) {
            throw CommandFailure.usage("--started-at " + startedAt + ": must not be in the future");
        }
        if (completedAtMillis > nowMillis) {
            throw CommandFailure.usage("--completed-at " + completedAt
                    + ": must not be in the future. Record a sweep after it has completed.");
        }
        if (completedAtMillis < startedAtMillis) {
            throw CommandFailure.usage(
                    "--completed-at " + completedAt + ": must not be before --started-at " + startedAt);
        }
        return new Sweep(startedAtMillis, completedAtMillis);
    }

    private static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
