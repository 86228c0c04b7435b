package io.spillway.cli.options;

import io.spillway.cli.terminal.Printer;
import java.time.InstantSource;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of every command; of a command without configuration, the only common ones. */
public sealed class OutputOptions permits ConfigurationOptions {
    enum Output {
        TEXT,
        JSON;

        /** Returns the name as shells complete it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--output", paramLabel = "text|json",
            description = "Output format. Default: ${DEFAULT-VALUE}.", defaultValue = "text")
    private Output output;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Returns the printer for the results of this command. */
    public final Printer printer() {
        return new Printer(command.commandLine().getOut(), command.commandLine().getErr(), isJson());
    }

    public final boolean isJson() {
        return output == Output.JSON;
    }

    /** Returns the clock of this command. */
    public final InstantSource clock() {
        return InstantSource.system();
    }
}
