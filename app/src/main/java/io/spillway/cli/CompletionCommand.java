package io.spillway.cli;

import io.spillway.cli.options.OutputOptions;
import java.util.Locale;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * Command {@code spillway completion}: prints a completion script for a shell. Needs no Kafka. Both shells get the same
 * script: picocli generates one for bash, which in zsh first loads {@code bashcompinit}, zsh's own emulation of bash's
 * completion.
 */
@Command(name = "completion", footer = {
    "  spillway completion bash > ~/.local/share/bash-completion/completions/spillway",
    "  source <(spillway completion zsh)"
}, description = {
    "Prints a script that completes commands, options and their values in bash or zsh.",
    "Write it to the file that bash-completion loads by itself, or source it in the shell's startup file. Print it "
            + "again after an upgrade."
})
final class CompletionCommand implements Runnable {
    enum Shell {
        BASH,
        ZSH;

        /** Returns the name as it is completed. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Mixin
    private OutputOptions common;

    @Parameters(paramLabel = "bash|zsh", description = "Shell: bash or zsh.")
    private Shell shell;

    @Override
    public void run() {
        String script = AutoComplete.bash("spillway", Main.commandLine());
        common.printer().result(
                () -> Map.of("shell", shell.toString(), "script", script),
                printer -> script.lines().forEach(printer::line));
    }
}
