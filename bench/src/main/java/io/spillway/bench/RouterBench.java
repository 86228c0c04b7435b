package io.spillway.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The router beside a bare Kafka Streams pass-through and a loop of plain clients, on a broker in a JVM of its own. */
@Command(
        name = "RouterBench",
        mixinStandardHelpOptions = true,
        subcommands = {ThroughputCommand.class, LatencyCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class RouterBench {
    private RouterBench() {}

    /** Runs one of the two measurements. */
    public static void main(String[] args) {
        quietLog();
        System.exit(new CommandLine(new RouterBench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    /** For this process and the broker's; before anything logs. */
    static void quietLog() {
        System.setProperty("logback.configurationFile", "logback-bench.xml");
    }
}
