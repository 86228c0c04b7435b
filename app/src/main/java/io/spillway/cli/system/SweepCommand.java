package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.item.Printable;
import io.spillway.core.routing.Sweep;
import io.spillway.core.settings.Durations;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.runtime.CompactedTopics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway sweep}: publishes completed anti-entropy sweeps to the routers. */
@Command(name = "sweep", description = "Records and lists completed anti-entropy sweeps.")
public final class SweepCommand {
    @Command(name = "record", footer = "  spillway sweep record --tenant acme --started-at 2h", description = {
        "Records a completed sweep. From then on, items of sweepable tenants that were enqueued and entered before "
                + "its start, less the policy's sweepMargin, are dropped.",
        "TIME is ISO 8601 with a time zone, such as 2026-11-21T08:00:00Z, epoch milliseconds, or a duration before now "
                + "such as 2h.",
        "At most " + Sweeps.MAX_WORKLOADS + " workloads of a tenant can have a sweep of their own."
    })
    void record(
            @Mixin CommonOptions common,
            @Option(names = "--tenant", required = true, paramLabel = "T|*",
                    description = "Tenant, or * for all tenants.") String tenant,
            @Option(names = "--workload", paramLabel = "W",
                    description = "Workload that the sweep covers. Default: all.") String workload,
            @Option(names = "--started-at", required = true, paramLabel = "TIME",
                    description = "Time when the sweep started.") String startedAt,
            @Option(names = "--completed-at", paramLabel = "TIME",
                    description = "Time when the sweep completed. Default: now.") String completedAt,
            @Option(names = "--id", paramLabel = "ID",
                    description = "Id of the sweep in your own systems. Default: a random id.") String id) {
        OptionValues.requireNameOrAll("--tenant", tenant);
        SweepTarget target = MarkOptions.targetOf(false, tenant, workload, null);
        long nowMillis = common.clock().millis();
        Sweep sweep = sweepOf(startedAt, completedAt, nowMillis);
        String sweepId = Optional.ofNullable(id).orElseGet(() -> UUID.randomUUID().toString());
        MarkOptions.requireId(sweepId);
        Configuration configuration =
                common.configurationWithCluster(topics -> List.of(topics.policies(), topics.sweeps()));
        Topics names = new Topics(configuration.queue());
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            TenantPolicies policies = topics.read(names.policies(), new TenantPolicies(configuration.defaults()));
            Sweeps known = topics.read(names.sweeps(), new Sweeps());
            MarkOptions.requireRoom(known, target, Sweeps.MAX_WORKLOADS,
                    "workloads with a sweep. Record one of the whole tenant");
            topics.write(names.sweeps(), target.key(), Sweeps.encode(new Sweeps.Mark(target, sweepId, sweep)));
            boolean isAll = tenant.equals(ViewContent.ALL_TENANTS);
            boolean takesEffect = isAll || policies.of(tenant).sweepable();
            if (!takesEffect) {
                common.printer().note(tenant + " is not sweepable, so no items are dropped. To change that: spillway "
                        + "tenants set " + tenant + " --sweepable true");
            }
            long marginMillis = policies.of(tenant).sweepMarginMillis();
            MarkOptions.noteEntryTimes(common.printer(), known, sweep.startedAtMillis() - marginMillis);
            common.printer().result(
                    Map.of("tenant", tenant, "workload", target.workload(), "sweepId", sweepId,
                            "sweepable", takesEffect, "startedAt", MarkOptions.iso(sweep.startedAtMillis()),
                            "completedAt", MarkOptions.iso(sweep.completedAtMillis())),
                    "Recorded sweep " + sweepId + " of " + MarkOptions.text(target)
                            + ". It covers items that entered before "
                            + MarkOptions.iso(sweep.startedAtMillis()) + ", less "
                            + (isAll ? "the sweepMargin of their tenant." : "the sweepMargin of "
                                    + Durations.format(marginMillis) + "."));
        }
    }

    @Command(name = "list", footer = "  spillway sweep list", description = {
        "Lists the sweeps in force, and the cancels.",
        "Items of sweepable tenants that entered before the start of a sweep, less the policy's sweepMargin, are "
                + "dropped. For a cancel, items of any tenant that entered before its time."
    })
    void list(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.sweeps()));
        List<Sweeps.Mark> marks;
        long nowMillis = common.clock().millis();
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            marks = topics.read(new Topics(configuration.queue()).sweeps(), new Sweeps()).all().values().stream()
                    .filter(mark -> mark.isInForce(nowMillis)).toList();
        }
        common.printer().result(
                () -> marks.stream().map(each -> Map.of(
                        "kind", kind(each), "tenant", each.target().tenant(), "workload", each.target().workload(),
                        "itemId", each.target().itemId(), "startedAt", MarkOptions.iso(each.times().startedAtMillis()),
                        "completedAt", MarkOptions.iso(each.times().completedAtMillis()))).toList(),
                printer -> {
                    if (marks.isEmpty()) {
                        printer.line("No sweep is recorded.");
                        return;
                    }
                    printer.table(List.of("kind", "tenant", "workload", "item", "started at", "completed at"),
                            marks.stream().map(each -> List.of(
                                    kind(each), Printable.of(each.target().tenant()),
                                    Printable.of(each.target().workload()), Printable.of(each.target().itemId()),
                                    MarkOptions.iso(each.times().startedAtMillis()),
                                    MarkOptions.iso(each.times().completedAtMillis()))));
                });
    }

    private static String kind(Sweeps.Mark mark) {
        return mark.target().isCancel() ? "cancel" : "sweep";
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
}
