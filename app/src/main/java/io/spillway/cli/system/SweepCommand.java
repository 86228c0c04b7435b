package io.spillway.cli.system;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.config.Configuration;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.operator.Marks;
import io.spillway.operator.OperatorAction;
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
    private static final List<String> FIELDS =
            List.of("kind", "tenant", "workload", "itemId", "sweepId", "startedAt", "completedAt");

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
        OperatorAction action = OperatorAction.RecordSweep.of(
                tenant, Optional.ofNullable(workload), startedAt, Optional.ofNullable(completedAt),
                Optional.ofNullable(id).orElseGet(() -> UUID.randomUUID().toString()), common.clock().millis());
        ActionRun.with(common, topics -> List.of(topics.policies(), topics.sweeps())).act(action, false, false);
    }

    @Command(name = "list", footer = "  spillway sweep list", description = {
        "Lists the sweeps in force, and the cancels.",
        "Items of sweepable tenants that entered before the start of a sweep, less the policy's sweepMargin, are "
                + "dropped. For a cancel, items of any tenant that entered before its time."
    })
    void list(@Mixin CommonOptions common) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.sweeps()));
        List<Map<String, Object>> marks;
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            marks = Marks.inForce(topics.read(new Topics(configuration.queue()).sweeps(), new Sweeps()),
                    common.clock().millis());
        }
        common.printer().result(() -> marks, printer -> {
            if (marks.isEmpty()) {
                printer.line("No sweep is recorded.");
                return;
            }
            printer.table(List.of("kind", "tenant", "workload", "item", "sweep", "started at", "completed at"),
                    marks.stream().map(mark -> FIELDS.stream()
                            .map(name -> Printable.of(mark.get(name).toString())).toList()));
        });
    }
}
