package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class HelpTest {
    @ParameterizedTest
    @MethodSource("commands")
    void every_command_has_a_help_text(List<String> command) {
        CommandRun help = CommandRun.of(with(command, "--help")).done();

        assertThat(help.err()).isEmpty();
        assertThat(help.out())
                .contains("Usage: " + String.join(" ", with(List.of("spillway"), command.toArray(String[]::new))));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void every_command_option_and_argument_is_described_in_sentences(List<String> command) {
        CommandLine line = Main.commandLine();
        for (String name : command) {
            line = line.getSubcommands().get(name);
        }
        assertThat(String.join(" ", line.getCommandSpec().usageMessage().description()))
                .matches("[A-Z].*\\.");
        assertThat(line.getCommandSpec().options())
                .allSatisfy(option -> assertThat(String.join(" ", option.description())).as(option.longestName())
                        .matches("[A-Z].*\\."));
        assertThat(line.getCommandSpec().positionalParameters())
                .allSatisfy(argument -> assertThat(String.join(" ", argument.description())).as(argument.paramLabel())
                        .matches("[A-Z].*\\."));
    }

    @Test
    void all_commands_exist() {
        assertThat(commands().map(command -> String.join(" ", command)))
                .contains(
                        "run", "send", "demo", "topology", "topics create", "topics check", "sweep record",
                        "tenants list", "tenants get", "tenants set", "tenants remove", "tenants isolate",
                        "tenants release", "explain", "audit", "depth", "tenants key create", "tenants key list",
                        "tenants key revoke", "dead-letters list", "dead-letters show", "dead-letters replay",
                        "dead-letters discard", "shards", "simulate", "transactions list", "transactions abort");
    }

    @Test
    void the_version_is_one_line() {
        CommandRun version = CommandRun.of("--version").done();

        assertThat(version.outLines()).singleElement().asString().startsWith("spillway ").contains("JDK");
    }

    static Stream<List<String>> commands() {
        List<List<String>> all = new ArrayList<>();
        collect(Main.commandLine(), List.of(), all);
        return all.stream();
    }

    private static void collect(CommandLine line, List<String> path, List<List<String>> all) {
        all.add(path);
        line.getSubcommands().forEach((name, sub) -> collect(sub, List.of(with(path, name)), all));
    }

    private static String[] with(List<String> command, String... more) {
        return Stream.concat(command.stream(), Stream.of(more)).toArray(String[]::new);
    }
}
