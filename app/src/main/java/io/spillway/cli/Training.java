package io.spillway.cli;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.runtime.Endpoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Training run for the launcher's archive of classes (class data sharing, or the JVM's AOT cache): runs a whole system,
 * sends items through it, and then the commands that read, all in this JVM. The JVM, started with an option for it,
 * writes what was loaded when the run ends.
 */
final class Training {
    private static final List<List<String>> COMMANDS = List.of(
            List.of("send", "--tenant", "training", "--count", "5000"),
            List.of("tenants", "set", "training", "--rate", "10"),
            List.of("depth"),
            List.of("audit"),
            List.of("explain", "--tenant", "training"),
            List.of("dead-letters", "list"));
    private static final long LOOK_MILLIS = 50;
    private static final long LIMIT_MILLIS = 300_000;

    private Training() {}

    /** Runs it in a new data directory, the only argument. Exits with 0 if the system ran and could be stopped. */
    public static void main(String[] args) {
        Path data = Path.of(args[0]);
        Thread.ofPlatform().daemon().name("training").start(() -> use(data));
        Main.main(new String[] {"run", "--data", data.toString()});
    }

    private static void use(Path data) {
        // Written when the system is ready.
        for (long waited = 0; Endpoint.read(data).isEmpty(); waited += LOOK_MILLIS) {
            if (waited > LIMIT_MILLIS) {
                Runtime.getRuntime().halt(CommandFailure.FAILED);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
        }
        for (List<String> command : COMMANDS) {
            List<String> arguments = new ArrayList<>(command);
            arguments.addAll(List.of("--data", data.toString()));
            Main.commandLine().execute(arguments.toArray(String[]::new));
        }
        System.exit(0);
    }
}
