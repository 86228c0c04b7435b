package io.spillway.cli;

import io.spillway.cli.deadletters.DeadLettersCommand;
import io.spillway.cli.diagnosis.DoctorCommand;
import io.spillway.cli.diagnosis.TopCommand;
import io.spillway.cli.simulate.SimulateCommand;
import io.spillway.cli.system.ActionsCommand;
import io.spillway.cli.system.AuditCommand;
import io.spillway.cli.system.CancelCommand;
import io.spillway.cli.system.DemoCommand;
import io.spillway.cli.system.DepthCommand;
import io.spillway.cli.system.DrillCommand;
import io.spillway.cli.system.ExplainCommand;
import io.spillway.cli.system.RunCommand;
import io.spillway.cli.system.SendCommand;
import io.spillway.cli.system.ShardsCommand;
import io.spillway.cli.system.SourcesCommand;
import io.spillway.cli.system.SweepCommand;
import io.spillway.cli.system.TopicsCommand;
import io.spillway.cli.system.TopologyCommand;
import io.spillway.cli.system.TraceCommand;
import io.spillway.cli.system.TransactionsCommand;
import io.spillway.cli.tenants.DestinationsCommand;
import io.spillway.cli.tenants.SchedulesCommand;
import io.spillway.cli.tenants.SubscriptionsCommand;
import io.spillway.cli.tenants.TenantsCommand;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.Terminal;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.embedded.EmbeddedKafkaException;
import io.spillway.handler.HandlerException;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.operator.OperatorException;
import io.spillway.router.RouterException;
import io.spillway.worker.WorkerException;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of {@code ./spillway}. */
@Command(name = "spillway", description = "Multi-tenant asynchronous queue on Kafka that recovers from any backlog.",
        scope = CommandLine.ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:Success.",
            "1:The command failed while it was running, or it found a problem.",
            "2:The options or the configuration are wrong.",
            "130:Ctrl-C has ended the command."
        },
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    private static final int MAX_SUGGESTIONS = 2;
    private static final List<Class<?>> COMMANDS = List.of(
            DemoCommand.class,
            RunCommand.class,
            SendCommand.class,
            TopicsCommand.class,
            TenantsCommand.class,
            SubscriptionsCommand.class,
            DestinationsCommand.class,
            SchedulesCommand.class,
            SweepCommand.class,
            CancelCommand.class,
            DepthCommand.class,
            TopCommand.class,
            AuditCommand.class,
            DeadLettersCommand.class,
            ActionsCommand.class,
            ShardsCommand.class,
            SimulateCommand.class,
            DrillCommand.class,
            TraceCommand.class,
            ExplainCommand.class,
            DoctorCommand.class,
            SourcesCommand.class,
            TransactionsCommand.class,
            TopologyCommand.class,
            CompletionCommand.class);

    /** Read by logback.xml. */
    private static final String LOG_FORMAT = "SPILLWAY_LOG_FORMAT";

    private Main() {}

    /** Runs a command and exits with its exit code. */
    public static void main(String[] args) {
        // Libraries name files, metrics and threads with it: digits and letters of this machine are in none of them.
        Locale.setDefault(Locale.ROOT);
        // Before the first line of the log.
        logProblem(System.getenv()).ifPresent(problem -> {
            System.err.println("spillway: " + problem);
            System.exit(CommandFailure.USAGE);
        });
        // The HTTP server logs through the JDK's own logging.
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        System.exit(commandLine(args).execute(args));
    }

    /** Returns what is wrong with the variable that logback.xml reads; empty if nothing is. */
    static Optional<String> logProblem(Map<String, String> environment) {
        String format = environment.getOrDefault(LOG_FORMAT, "text");
        return format.equals("text") || format.equals("json") ? Optional.empty()
                : Optional.of("Environment variable " + LOG_FORMAT + " is " + Printable.of(format)
                        + "; must be text or json.");
    }

    /** Returns all commands, or only the one that the first argument names: reading them all would delay each start. */
    static CommandLine commandLine(String... args) {
        List<Class<?>> named = COMMANDS.stream()
                .filter(command -> args.length > 0 && command.getAnnotation(Command.class).name().equals(args[0]))
                .toList();
        return commandLine(named.isEmpty() ? COMMANDS : named, System.getenv(), Terminal.isPresent());
    }

    /** @param isTerminal whether help may have escape codes and the width of the terminal */
    static CommandLine commandLine(Map<String, String> environment, boolean isTerminal) {
        return commandLine(COMMANDS, environment, isTerminal);
    }

    private static CommandLine commandLine(
            List<Class<?>> commands, Map<String, String> environment, boolean isTerminal) {
        CommandLine line = new CommandLine(new Main());
        commands.forEach(line::addSubcommand);
        headExamples(line);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(
                isTerminal ? CommandLine.Help.Ansi.AUTO : CommandLine.Help.Ansi.OFF));
        Terminal.columns(environment)
                .ifPresentOrElse(line::setUsageHelpWidth, () -> line.setUsageHelpAutoWidth(isTerminal));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        // A directory or a tenant may begin with an @.
        line.setExpandAtFiles(false);
        line.setParameterExceptionHandler((e, args) -> {
            CommandLine command = e.getCommandLine();
            return failed(command, args, CommandFailure.USAGE,
                    wrongUsage(e) + " (see: " + command.getCommandSpec().qualifiedName() + " --help)");
        });
        line.setExecutionExceptionHandler((e, command, parsed) -> {
            return failed(command, parsed.originalArgs().toArray(String[]::new), exitCodeOf(e), messageOf(e));
        });
        return line;
    }

    /** A heading that is inherited would also be printed by commands without examples. */
    private static void headExamples(CommandLine line) {
        if (line.getCommandSpec().usageMessage().footer().length > 0) {
            line.getCommandSpec().usageMessage().footerHeading("%nExamples:%n%n");
        }
        line.getSubcommands().values().forEach(Main::headExamples);
    }

    private static String wrongUsage(CommandLine.ParameterException e) {
        if (!(e instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            return e.getMessage();
        }
        // Of those that are left over, the first one is wrong; the others may be its values.
        String first = unmatched.getUnmatched().getFirst();
        String kind = first.startsWith("-") ? "option"
                : e.getCommandLine().getSubcommands().isEmpty() ? "argument" : "command";
        List<String> close = unmatched.getSuggestions().stream().limit(MAX_SUGGESTIONS).toList();
        return "Unknown " + kind + ": '" + first + "'"
                + (close.isEmpty() ? "" : ". Did you mean " + String.join(" or ", close) + "?");
    }

    private static int exitCodeOf(Exception e) {
        return switch (e) {
            case CommandFailure failure -> failure.exitCode();
            case InvalidSettingException invalid -> CommandFailure.USAGE;
            case InvalidPathException invalid -> CommandFailure.USAGE;
            case OperatorException refused -> refused.isConflict() ? CommandFailure.FAILED : CommandFailure.USAGE;
            default -> refusedSetting(e).isPresent() ? CommandFailure.USAGE : CommandFailure.FAILED;
        };
    }

    private static String messageOf(Exception e) {
        return switch (e) {
            case CommandFailure expected -> expected.getMessage();
            case OperatorException expected -> expected.getMessage();
            case InvalidSettingException expected -> expected.getMessage();
            case KafkaFailure expected -> expected.getMessage();
            case RouterException expected -> expected.getMessage();
            case WorkerException expected -> expected.getMessage();
            case HandlerException expected -> expected.getMessage();
            case EmbeddedKafkaException expected -> expected.getMessage();
            case InvalidPathException invalid -> "The path " + Printable.of(invalid.getInput()) + " cannot be used: "
                    + invalid.getReason() + ". Other characters than ASCII need a locale such as LC_ALL=C.UTF-8.";
            default -> refusedSetting(e)
                    .map(refused -> "Kafka rejects a setting of spillway.yml, the environment or the command line: "
                            + refused.getMessage())
                    .orElseGet(() -> unexpected(e));
        };
    }

    private static String unexpected(Exception e) {
        LoggerFactory.getLogger(Main.class).error("Unexpected failure", e);
        return "Unexpected failure: " + e + ". The log has the stack trace.";
    }

    /** Returns the error of Kafka's clients about an invalid address or passed-through property. */
    private static Optional<ConfigException> refusedSetting(Throwable fault) {
        for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConfigException refused) {
                return Optional.of(refused);
            }
        }
        return Optional.empty();
    }

    /** Prints the failure and returns its exit code. The arguments may be wrong, so they are not parsed. */
    private static int failed(CommandLine command, String[] arguments, int exitCode, String message) {
        String all = String.join("\n", arguments).toLowerCase(Locale.ROOT);
        boolean isJson = all.contains("--output\njson") || all.contains("--output=json");
        new Printer(command.getOut(), command.getErr(), isJson).failure(message, exitCode);
        return exitCode;
    }

    /** Version from the manifest of the jar, and the JDK, of which the documentation uses the compiler. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {
                "spillway " + (version == null ? "development" : version) + " on JDK " + Runtime.version() + " in "
                        + System.getProperty("java.home")
            };
        }
    }
}
