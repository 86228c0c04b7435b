package io.spillway.cli.system;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.spillway.cli.options.OutputOptions;
import io.spillway.cli.terminal.ChartFile;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.cli.terminal.Terminal;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Printable;
import io.spillway.demo.DemoChart;
import io.spillway.demo.DemoPlan;
import io.spillway.demo.DemoReport;
import io.spillway.demo.DemoResult;
import io.spillway.demo.DemoRun;
import io.spillway.demo.DemoView;
import io.spillway.operator.Inputs;
import io.spillway.runtime.Shutdown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway demo}: a noisy neighbour, with Spillway and a FIFO queue side by side. */
@Command(name = "demo", footer = "  spillway demo --seconds 20 --chart demo.svg", description = {
    "Shows the effect of a noisy neighbour in about a minute.",
    "It runs an embedded Kafka, the router and a worker in a temporary directory. The load has quiet tenants, one "
            + "that floods, one with a slow destination, a sweep and a poison pill. A plain FIFO consumer handles "
            + "the same items at the same time. It prints tables and an audit, and draws a chart. It reads no "
            + "configuration and uses no other cluster."
})
public final class DemoCommand implements Callable<Integer> {
    private static final Path DEFAULT_CHART = Path.of("spillway-demo.png");

    @Mixin
    private OutputOptions common;

    @Option(names = "--seconds", paramLabel = "N",
            description = "Seconds for which items are sent, 3 to 3600. Default: ${DEFAULT-VALUE}.",
            defaultValue = "40")
    private int seconds;

    @Option(names = "--chart", paramLabel = "FILE",
            description = "File of the chart, .png or .svg. An existing file is replaced. Default: spillway-demo.png.")
    private Path chart;

    @Override
    public Integer call() throws IOException {
        Inputs.requireRange("--seconds", seconds, 3, 3600, " seconds");
        if (chart != null) {
            ChartFile.requireDrawable(chart);
        }
        Printer printer = common.printer();
        DemoResult result;
        // The log would be mixed with the lines of the demo.
        Level ours = quieten("io.spillway", Level.WARN);
        Level kafkas = quieten("org.apache.kafka", Level.ERROR);
        try (StopSignal stop = new StopSignal()) {
            Path directory = Files.createTempDirectory("spillway-demo-" + ProcessHandle.current().pid() + "-");
            Shutdown shutdown = new Shutdown();
            try {
                result = run(directory, shutdown, stop, printer);
            } finally {
                cleanUp(shutdown, directory);
                if (stop.isStopped()) {
                    printer.problem("Stopped. All files of the demo are deleted.");
                }
            }
        } finally {
            quieten("io.spillway", ours);
            quieten("org.apache.kafka", kafkas);
        }
        return report(result, printer);
    }

    private DemoResult run(Path directory, Shutdown shutdown, StopSignal stop, Printer printer) {
        printer.note("Starting Kafka, the router and the worker ...");
        Configuration configured = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.embeddedPort", "0", "metrics.port", "0", "topics.partitions", "4",
                "worker.slots", Integer.toString(DemoPlan.SLOTS)));
        DemoPlan plan = new DemoPlan(seconds);
        return new DemoRun(plan, configured, directory, shutdown, stop, common.clock())
                .run(new DemoView(printer, plan, Terminal.isPresent()));
    }

    private int report(DemoResult result, Printer printer) {
        Path file = chart == null ? DEFAULT_CHART : chart;
        String absolute = file.toAbsolutePath().toString();
        Optional<String> chartError = draw(result, file);
        DemoReport report = new DemoReport(result);
        printer.result(() -> {
            Map<String, Object> map = new LinkedHashMap<>(report.asMap());
            map.put("chart", chartError.isEmpty() ? absolute : null);
            return map;
        }, text -> {
            report.print(text);
            text.line("Chart: " + (chartError.isEmpty() ? Printable.of(absolute) : "none"));
        });
        chartError.ifPresent(printer::problem);
        if (!result.isBalanced()) {
            throw CommandFailure.failed("The audit failed: the ledger does not match the items. Please report this "
                    + "with the output above.");
        }
        if (chartError.isPresent() && chart != null) {
            throw CommandFailure.failed("The chart of --chart could not be drawn; see the message above.");
        }
        return 0;
    }

    /** Returns the error, if any: the demo continues without its chart. */
    private static Optional<String> draw(DemoResult result, Path file) {
        try {
            DemoChart.draw(result, file);
            return Optional.empty();
        } catch (CommandFailure e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Sets the level and returns the previous one. */
    private static Level quieten(String name, Level level) {
        Logger log = (Logger) LoggerFactory.getLogger(name);
        Level before = log.getLevel();
        log.setLevel(level);
        return before;
    }

    private static void cleanUp(Shutdown shutdown, Path directory) {
        shutdown.close();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            throw CommandFailure.failed("Cannot delete " + directory + " (" + e + "). Delete it yourself.");
        }
    }
}
