package io.spillway.cli.system;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.spillway.cli.options.OutputOptions;
import io.spillway.cli.terminal.ChartFile;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.text.Printable;
import io.spillway.demo.DemoReport;
import io.spillway.demo.DemoRun;
import io.spillway.demo.DemoScenario;
import io.spillway.operator.Inputs;
import io.spillway.runtime.Shutdown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway demo}: a noisy neighbour, with Spillway and a FIFO queue side by side. */
@Command(name = "demo", footer = "  spillway demo --seconds 20 --chart demo.svg", description = {
    "Shows the effect of a noisy neighbour in about a minute.",
    "It runs an embedded Kafka, the router and a worker in a temporary directory. The load has quiet tenants, one "
            + "that floods, one with a slow destination, a sweep and a poison pill. A plain FIFO consumer handles "
            + "the same items at the same time. It prints a table, findings and an audit, and draws a chart. It "
            + "reads no configuration and uses no other cluster."
})
public final class DemoCommand implements Callable<Integer> {
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
        DemoReport report;
        // The log would be mixed with the lines of the demo.
        Level ours = quieten("io.spillway", Level.ERROR);
        Level kafkas = quieten("org.apache.kafka", Level.ERROR);
        try (StopSignal stop = new StopSignal()) {
            Path directory = Files.createTempDirectory("spillway-demo-" + ProcessHandle.current().pid() + "-");
            Shutdown shutdown = new Shutdown();
            try {
                report = run(directory, shutdown, stop, printer);
            } finally {
                cleanUp(shutdown, directory);
            }
        } finally {
            quieten("io.spillway", ours);
            quieten("org.apache.kafka", kafkas);
        }
        return report(report, printer);
    }

    private DemoReport run(Path directory, Shutdown shutdown, StopSignal stop, Printer printer) {
        printer.note("Starting Kafka, the router and the worker ...");
        DemoScenario scenario = new DemoScenario(seconds, common.clock());
        Configuration configured = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
                "kafka.embeddedPort", "0", "metrics.port", "0", "topics.partitions", "4",
                "worker.slots", Integer.toString(scenario.slots())));
        return new DemoRun(scenario, configured, directory, printer, shutdown, stop, common.clock()).run();
    }

    private int report(DemoReport report, Printer printer) {
        Path file = (chart == null ? Path.of("spillway-demo.png") : chart).toAbsolutePath();
        Map<String, Object> json = report.asMap();
        try {
            ChartFile.draw(report.charts(), file);
            json.put("chart", file.toString());
        } catch (CommandFailure e) {
            printer.problem(e.getMessage());
        }
        printer.result(() -> json, text -> {
            report.print(text);
            text.line("Chart: " + Printable.of(String.valueOf(json.getOrDefault("chart", "none"))));
        });
        if (!report.isBalanced()) {
            throw CommandFailure.failed("The audit failed: the ledger does not match the items. Please report this "
                    + "with the output above.");
        }
        return json.containsKey("chart") || chart == null ? 0 : CommandFailure.FAILED;
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
        try {
            Utils.delete(directory.toFile());
        } catch (IOException e) {
            throw CommandFailure.failed("Cannot delete " + directory + " (" + e + "). Delete it yourself.");
        }
    }
}
