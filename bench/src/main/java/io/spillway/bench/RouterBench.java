package io.spillway.bench;

import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The router and the worker beside peers and under load, on a broker in a JVM of its own. */
@Command(
        name = "RouterBench",
        mixinStandardHelpOptions = true,
        subcommands = {
            ThroughputCommand.class,
            LatencyCommand.class,
            NeighbourCommand.class,
            SlowTenantCommand.class,
            OutageCommand.class,
            HandlersCommand.class,
            PeersCommand.class,
            GatewayCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class RouterBench {
    /** Kept, for the JDK's logging forgets the settings of loggers that nobody holds. */
    private static final Logger HTTP_SERVER = Logger.getLogger("io.helidon");

    private RouterBench() {}

    /** Runs one of the measurements. */
    public static void main(String[] args) {
        quietLog();
        System.exit(new CommandLine(new RouterBench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    /** For this process and the broker's; before anything logs. */
    static void quietLog() {
        HTTP_SERVER.setLevel(Level.WARNING);
        System.setProperty("logback.configurationFile", "logback-bench.xml");
    }
}
