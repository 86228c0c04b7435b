package io.spillway.cli.simulate;

import io.spillway.cli.options.OutputOptions;
import io.spillway.cli.terminal.ChartFile;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.sim.FleetAdvice;
import io.spillway.sim.Simulation;
import io.spillway.sim.SimulationException;
import io.spillway.sim.SimulationResult;
import io.spillway.sim.scenario.Scenario;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway simulate}: runs a scenario or recorded traffic in virtual time. Needs no Kafka. */
@Command(
        name = "simulate", footer = {
            "  spillway simulate noisy-neighbour --chart result.svg",
            "  spillway simulate day.yml --advise 500ms --group quiet"
        },
        description = {
            "Simulates a scenario in virtual time with the rules of the router and the worker, and prints the "
                    + "result. Needs no Kafka.",
            "The same scenario and seed give the same result. Shipped scenarios: noisy-neighbour, outage-one-hour, "
                    + "spike-30-minutes, slow-destination, retry-storm, poison-pill, "
                    + "noisy-workload."
        })
public final class SimulateCommand implements Callable<Integer> {
    private static final long NOTE_EVERY_MILLIS = 2_000;

    @Mixin
    private OutputOptions common;

    @Parameters(index = "0", paramLabel = "FILE",
            description = "Scenario file (YAML), or the name of a shipped scenario.")
    private String file;

    @Option(names = "--seed", paramLabel = "N",
            description = "Seed of all random numbers. Default: ${DEFAULT-VALUE}.", defaultValue = "0")
    private long seed;

    @Option(names = "--fifo", description = "Simulate one first-in-first-out queue instead, for comparison.")
    private boolean fifo;

    @Option(names = "--chart", paramLabel = "FILE",
            description = "Draw depths and ages over time to this .png or .svg file. Can be given more than once.")
    private List<Path> charts = List.of();

    @Option(names = "--advise", paramLabel = "DURATION",
            description = "Find the smallest fleet with which the p99 of the ages at the first attempt is at most this: "
                    + "slots, workers of at most the scenario's slots, and partitions.")
    private String advise;

    @Option(names = "--group", paramLabel = "NAME",
            description = "With --advise, a group that must meet it; can be given more than once. Default: all.")
    private Set<String> groups = Set.of();

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() {
        charts.forEach(ChartFile::requireDrawable);
        if (advise != null && (fifo || !charts.isEmpty())) {
            throw CommandFailure.usage("--advise: cannot be used with --fifo or --chart");
        } else if (advise == null && !groups.isEmpty()) {
            throw CommandFailure.usage("--group: can be used only with --advise");
        }
        Scenario scenario = ScenarioLoader.load(file);
        Printer printer = common.printer();
        if (advise != null) {
            return advise(scenario, printer);
        }
        SimulationResult result = run(scenario, printer);
        SimulationReport report = new SimulationReport(result);
        if (common.isJson()) {
            printer.json(report.asMap());
        } else {
            report.print(printer);
        }
        for (Path chart : charts) {
            ChartFile.draw(report.charts(), chart);
            printer.note("Chart: " + chart);
        }
        return 0;
    }

    private int advise(Scenario scenario, Printer printer) {
        List<FleetAdvice.Tried> tried;
        try {
            tried = new FleetAdvice(scenario, Durations.parseMillis(advise), groups, seed)
                    .search(one -> printer.note(sentence(one)));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--advise " + Printable.of(advise) + ": " + Printable.of(e.getMessage()));
        }
        Optional<FleetAdvice.Tried> advice = tried.stream().filter(FleetAdvice.Tried::meets).findFirst();
        printer.result(() -> tried.stream().map(SimulateCommand::fields).toList(), text -> advice.ifPresent(
                one -> text.line("Smallest fleet for " + advise + ": " + sentence(one) + ".")));
        if (advice.isEmpty()) {
            throw CommandFailure.failed("No fleet meets " + advise + ". What holds it back is no lack of slots: look for "
                    + "a limit of a tenant, or for handlers that take that long or fail.");
        }
        return 0;
    }

    private static Map<String, Object> fields(FleetAdvice.Tried one) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("workers", one.workers());
        fields.put("slots", one.slotsEach());
        fields.put("partitions", one.partitions());
        fields.put("p99Millis", Double.isInfinite(one.p99Millis()) ? null : one.p99Millis());
        fields.put("meets", one.meets());
        return fields;
    }

    private static String sentence(FleetAdvice.Tried one) {
        return Printer.count(one.workers(), "worker") + " of " + Printer.count(one.slotsEach(), "slot") + ", "
                + Printer.count(one.partitions(), "partition") + ", p99 "
                + (Double.isInfinite(one.p99Millis()) ? "without end" : DurationText.of(one.p99Millis()));
    }

    private SimulationResult run(Scenario scenario, Printer printer) {
        long[] nextMillis = {clock.millis() + NOTE_EVERY_MILLIS};
        try {
            return Simulation.run(
                    scenario, fifo ? Simulation.Discipline.FIFO : Simulation.Discipline.SPILLWAY, seed,
                    (nowMillis, durationMillis, arrived, waiting) -> {
                        if (clock.millis() >= nextMillis[0]) {
                            nextMillis[0] = clock.millis() + NOTE_EVERY_MILLIS;
                            printer.note(String.format(Locale.ROOT, "at %s of %s: %,d items, %,d of them waiting",
                                    DurationText.of(nowMillis), DurationText.of(durationMillis), arrived, waiting));
                        }
                    });
        } catch (SimulationException e) {
            throw CommandFailure.failed(e.getMessage());
        }
    }
}
