package io.spillway.cli;

import io.spillway.cli.deadletters.DeadLettersCommand;
import io.spillway.cli.simulate.SimulateCommand;
import io.spillway.cli.system.AuditCommand;
import io.spillway.cli.system.DemoCommand;
import io.spillway.cli.system.DepthCommand;
import io.spillway.cli.system.ExplainCommand;
import io.spillway.cli.system.RunCommand;
import io.spillway.cli.system.SendCommand;
import io.spillway.cli.system.ShardsCommand;
import io.spillway.cli.system.SweepCommand;
import io.spillway.cli.system.TopicsCommand;
import io.spillway.cli.system.TopologyCommand;
import io.spillway.cli.tenants.TenantsCommand;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.Printable;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.embedded.EmbeddedKafkaException;
import io.spillway.handler.HandlerException;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.router.RouterException;
import io.spillway.worker.WorkerException;
import java.io.PrintWriter;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code ./spillway}: exit 0 done, 1 failed while running, 2 wrong usage or configuration. */
@Command(
        name = "spillway",
        description = "A multi-tenant asynchronous queue on Kafka whose backlogs cannot become insurmountable.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            RunCommand.class,
            SendCommand.class,
            TopicsCommand.class,
            TenantsCommand.class,
            SweepCommand.class,
            DepthCommand.class,
            AuditCommand.class,
            DeadLettersCommand.class,
            ShardsCommand.class,
            SimulateCommand.class,
            ExplainCommand.class,
            TopologyCommand.class,
        })
public final class Main {
    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] args) {
        // The HTTP server logs through the JDK's own logging.
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        System.exit(commandLine().execute(args));
    }

    /** The commands, for {@link #main} and for tests. */
    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler((e, args) -> {
            CommandLine at = e.getCommandLine();
            print(at.getErr(), e.getMessage() + " (see: " + at.getCommandSpec().qualifiedName() + " --help)");
            return CommandFailure.USAGE;
        });
        line.setExecutionExceptionHandler((e, at, parsed) -> {
            print(at.getErr(), messageOf(e));
            return exitCodeOf(e);
        });
        return line;
    }

    private static int exitCodeOf(Exception e) {
        return switch (e) {
            case CommandFailure failure -> failure.exitCode();
            case InvalidSettingException invalid -> CommandFailure.USAGE;
            default -> refusedSetting(e).isPresent() ? CommandFailure.USAGE : CommandFailure.FAILED;
        };
    }

    private static String messageOf(Exception e) {
        return switch (e) {
            case CommandFailure expected -> expected.getMessage();
            case InvalidSettingException expected -> expected.getMessage();
            case KafkaFailure expected -> expected.getMessage();
            case RouterException expected -> expected.getMessage();
            case WorkerException expected -> expected.getMessage();
            case HandlerException expected -> expected.getMessage();
            case EmbeddedKafkaException expected -> expected.getMessage();
            default -> refusedSetting(e)
                    .map(refused -> "Kafka refuses a setting of spillway.yml, the environment or the command line: "
                            + refused.getMessage())
                    .orElseGet(() -> unexpected(e));
        };
    }

    private static String unexpected(Exception e) {
        LoggerFactory.getLogger(Main.class).error("Unexpected failure", e);
        return "unexpected failure: " + e;
    }

    /** What Kafka's clients say about an address or a property that is passed through to them and is no such thing. */
    private static Optional<ConfigException> refusedSetting(Throwable fault) {
        for (Throwable at = fault; at != null; at = at.getCause()) {
            if (at instanceof ConfigException refused) {
                return Optional.of(refused);
            }
        }
        return Optional.empty();
    }

    private static void print(PrintWriter err, String message) {
        err.println("spillway: " + Printable.onOneLine(message));
        err.flush();
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"spillway " + (version == null ? "development" : version) + " on JDK " + Runtime.version()};
        }
    }
}
