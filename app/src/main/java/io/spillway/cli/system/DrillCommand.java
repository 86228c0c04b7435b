package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemDrill;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.Numbers;
import io.spillway.core.text.Printable;
import io.spillway.drill.DrillForecast;
import io.spillway.drill.DrillPlan;
import io.spillway.drill.DrillReport;
import io.spillway.drill.DrillResult;
import io.spillway.drill.DrillRun;
import io.spillway.kafka.advice.ConnectionFault;
import io.spillway.operator.Inputs;
import io.spillway.operator.report.DepthsQuery;
import io.spillway.operator.report.Instances;
import io.spillway.operator.report.QueueReader;
import io.spillway.sim.SimulationException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway drill}: a fault on the running system, in virtual time first. */
@Command(name = "drill", footer = {
    "  spillway drill outage --for 5m",
    "  spillway drill flood --rate 50 --factor 20 --yes",
    "  spillway drill killer --yes"
}, description = {
    "Makes a fault on the running system for a limited time, and reports what it does to the tenant and to others. "
            + "Without --yes it only says what the simulator expects, and exits with 2.",
    "Kinds: with outage the tenant's destination is down, with slow its attempts take --factor times as long, and "
            + "with flood it sends --factor times as much. With kill an item ends the process of one worker, with "
            + "killer that of each worker that attempts it, until it is a dead letter.",
    "It sends items of its own, 15 s before the fault, during it and 15 s after, and items of the quiet tenant "
            + "T-quiet. No handler gets them: workers wait for --handling and answer as the fault says. If T has other "
            + "items, they share its limits and pauses, and are counted too. Ctrl-C ends the sending. The fault "
            + "ends at its time also then.",
    "Only workers with worker.drillKills are ended, which something must start again. Ages are read from "
            + "the trail, if there is one."
})
public final class DrillCommand implements Callable<Integer> {
    private static final long MOST_ITEMS = 5_000_000;
    private static final long DAY_MILLIS = 86_400_000;
    private static final long LEAST_FAULT_MILLIS = 5_000;

    @Mixin
    private CommonOptions common;

    @Parameters(index = "0", paramLabel = "KIND", description = "Kind of the fault: outage, slow, flood, kill or killer.")
    private DrillPlan.Kind kind;

    @Option(names = "--tenant", paramLabel = "T", defaultValue = "drill",
            description = "Tenant of the items. Default: ${DEFAULT-VALUE}.")
    private String tenant;

    @Option(names = "--for", paramLabel = "DURATION",
            description = "How long the fault lasts, 5s to 1d. Default: 1m, of killer 3m.")
    private String duration;

    @Option(names = "--rate", paramLabel = "R", defaultValue = "20",
            description = "Items of the tenant per second, 0.1 to 10000. Default: ${DEFAULT-VALUE}.")
    private double rate;

    @Option(names = "--handling", paramLabel = "DURATION", defaultValue = "50ms",
            description = "How long an attempt takes, at most 10m. Default: ${DEFAULT-VALUE}.")
    private String handling;

    @Option(names = "--factor", paramLabel = "N", defaultValue = "20",
            description = "Factor of flood and slow, 1 to 1000. Default: ${DEFAULT-VALUE}.")
    private double factor;

    @Option(names = "--limit", paramLabel = "DURATION", defaultValue = "10m",
            description = "Longest time after the last item in which all must have ended. Default: ${DEFAULT-VALUE}.")
    private String limit;

    @Option(names = "--yes", description = "Do it. Without it nothing is sent.")
    private boolean yes;

    @Override
    public Integer call() {
        DrillPlan plan = plan();
        long limitMillis = Inputs.durationMillis("--limit", limit, DAY_MILLIS);
        Configuration configuration = common.configurationWithLedger();
        Printer printer = common.printer();
        try (StopSignal stop = new StopSignal();
                QueueReader reader = new QueueReader(configuration, common.clock(), true)) {
            DrillReport expected = expected(plan, limitMillis, configuration, reader, printer);
            if (!yes) {
                print(expected, printer);
                throw CommandFailure.usage("Nothing is sent yet. Give --yes to do it on the running system.");
            }
            printer.note(Printer.count(plan.items(), "item") + " in " + Durations.format(plan.durationMillis())
                    + ", the fault from 15 s on for " + Durations.format(plan.faultMillis()) + " ...");
            DrillRun run = new DrillRun(plan, configuration, reader.depths(), common.clock());
            DrillResult measured = run.run(limitMillis, stop, printer);
            print(new DrillReport(plan, expected.expected(), Optional.of(measured)), printer);
            end(run, measured, stop, configuration, printer);
            return 0;
        }
    }

    private DrillPlan plan() {
        Inputs.requireName("--tenant", tenant);
        if (tenant.length() + DrillPlan.KILLER.length() > ItemLimits.MAX_NAME_LENGTH) {
            throw CommandFailure.usage("--tenant: must have " + DrillPlan.KILLER.length()
                    + " characters less, because the drill also uses tenants whose names begin with it");
        }
        requireRange("--rate", rate, 0.1, 10_000);
        requireRange("--factor", factor, 1, 1_000);
        long handlingMillis = Inputs.durationMillis("--handling", handling, ItemDrill.MAX_MILLIS);
        if (kind == DrillPlan.Kind.SLOW && handlingMillis * factor > ItemDrill.MAX_MILLIS) {
            throw CommandFailure.usage("--handling and --factor: an attempt would take more than 10m");
        }
        long faultMillis = duration == null ? usualMillis() : Inputs.durationMillis("--for", duration, DAY_MILLIS);
        if (faultMillis < LEAST_FAULT_MILLIS) {
            throw CommandFailure.usage("--for " + Printable.of(duration) + ": must be 5s or more");
        }
        DrillPlan plan = new DrillPlan(kind, tenant, rate, handlingMillis, factor, faultMillis);
        if (plan.items() > MOST_ITEMS) {
            throw CommandFailure.usage("the drill would send " + Printer.count(plan.items(), "item") + ": at most "
                    + Printer.number(MOST_ITEMS) + " are allowed. Lower --rate, --factor or --for");
        }
        return plan;
    }

    /** Several workers have to end and come back. */
    private long usualMillis() {
        return kind == DrillPlan.Kind.KILLER ? 180_000 : 60_000;
    }

    private static void requireRange(String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw CommandFailure.usage(option + " " + value + ": must be " + Numbers.plain(least) + " to "
                    + Numbers.plain(most));
        }
    }

    private DrillReport expected(
            DrillPlan plan, long limitMillis, Configuration configuration, QueueReader reader, Printer printer) {
        Instances instances = reader.readings().instances();
        DrillForecast forecast = DrillForecast.of(
                configuration, reader.policies()::of, reader.state(DepthsQuery.BUSIEST), instances);
        if (forecast.loads().isEmpty() || instances.routers().isEmpty()) {
            throw CommandFailure.failed("A drill needs a router and a worker that run. Now there are "
                    + Printer.count(instances.routers().size(), "router") + " and "
                    + Printer.count(forecast.loads().size(), "worker") + ". See: spillway doctor");
        }
        printer.note("Simulating it with " + forecast.assumed() + " ...");
        try {
            return new DrillReport(plan, forecast.expect(plan, limitMillis), Optional.empty());
        } catch (SimulationException e) {
            throw CommandFailure.failed("Nothing is sent, because too much would wait: " + e.getMessage());
        }
    }

    private static void print(DrillReport report, Printer printer) {
        printer.result(report::asMap, report::print);
    }

    private void end(
            DrillRun run, DrillResult measured, StopSignal stop, Configuration configuration, Printer printer) {
        run.failure().ifPresent(failure -> {
            throw CommandFailure.failed("The drill ended because Kafka did not store an item: "
                    + ConnectionFault.describe(failure).orElseGet(() -> Printable.of(failure.toString())));
        });
        if (configuration.topics().trailKept().isZero()) {
            printer.note("Ages are not measured, because there is no trail. Set topics.trail.");
        }
        if (kind.kills() && measured.deaths() == 0) {
            printer.note("No worker was killed. Set worker.drillKills: true where a worker may be.");
        }
        if (!measured.isFinished()) {
            String left = (stop.isStopped() ? "Stopped" : "Over the limit") + ", and items of the drill still wait. "
                    + "The fault ends by itself. To drop them: spillway cancel --tenant " + Printable.of(tenant)
                    + " --yes";
            if (stop.isStopped()) {
                // The signal ends the process before it prints a failure.
                printer.note(left);
            } else {
                throw CommandFailure.failed(left);
            }
        }
    }
}
