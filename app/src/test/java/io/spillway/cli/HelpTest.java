package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
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
        CommandLine line = at(command);
        assertThat(String.join(" ", line.getCommandSpec().usageMessage().description()))
                .matches("[A-Z].*\\.");
        assertThat(line.getCommandSpec().options())
                .allSatisfy(option -> assertThat(String.join(" ", option.description())).as(option.longestName())
                        .matches("[A-Z].*\\."));
        assertThat(line.getCommandSpec().positionalParameters())
                .allSatisfy(argument -> assertThat(String.join(" ", argument.description())).as(argument.paramLabel())
                        .matches("[A-Z].*\\."));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void the_list_of_commands_ends_its_sentences(List<String> command) {
        CommandLine line = at(command);
        // The parent's help shows only the first of them.
        assertThat(line.getCommandSpec().usageMessage().description()).allSatisfy(part ->
                assertThat(part).matches("[A-Z].*\\."));
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 120, 200})
    void help_follows_the_width_of_the_terminal(int columns) {
        String help = help(Map.of("COLUMNS", Integer.toString(columns)), false, "tenants", "set");

        assertThat(help.lines().mapToInt(String::length).max().orElseThrow()).isBetween(columns - 15, columns);
    }

    @Test
    void help_has_escape_codes_only_in_a_terminal() {
        assertThat(help(Map.of("COLUMNS", "80"), false, "topics")).doesNotContain("\u001b");
    }

    @Test
    void options_are_shown_only_where_they_have_an_effect() {
        for (String command : List.of("shards", "simulate", "demo", "completion")) {
            assertThat(CommandRun.of(command, "--help").done().out()).contains("--output")
                    .doesNotContain("--bootstrap-servers", "--prefix", "--data", "--config");
        }
        assertThat(CommandRun.of("topology", "--help").done().out()).contains("--config", "--prefix", "--output")
                .doesNotContain("--bootstrap-servers", "--data");
        assertThat(CommandRun.of("depth", "--help").done().out())
                .contains("--config", "--prefix", "--output", "--bootstrap-servers", "--data");
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void every_command_has_an_example_that_it_accepts(List<String> command) {
        List<String> examples = Stream.of(at(command).getCommandSpec().usageMessage().footer())
                .filter(line -> line.startsWith("  ") && line.contains("spillway ")).toList();

        assertThat(examples).isNotEmpty().allSatisfy(example -> {
            String[] words = words(example);
            CommandLine.ParseResult parsed = Main.commandLine().parseArgs(words);
            for (String name : command) {
                parsed = parsed.subcommand();
                assertThat(parsed.commandSpec().name()).isEqualTo(name);
            }
            assertThat(parsed.hasSubcommand()).isFalse();
        });
        assertThat(CommandRun.of(with(command, "--help")).done().out())
                .contains("\nExamples:\n\n" + examples.getFirst());
    }

    /** Returns the arguments of a line of a shell, without redirections: {@code spillway ... > file}. */
    private static String[] words(String line) {
        String arguments = line.replaceFirst(".*?spillway ", "").replaceFirst("[)]$", "").replaceFirst(" > .*", "");
        return Stream.of(arguments.split(" ")).map(word -> word.replace("'", "")).toArray(String[]::new);
    }

    @Test
    void a_group_of_commands_has_no_heading_of_examples() {
        assertThat(CommandRun.of("tenants", "--help").done().out()).doesNotContain("Examples:");
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void the_result_of_every_command_can_be_json(List<String> command) {
        assertThat(at(command).getCommandSpec().findOption("--output")).isNotNull();
    }

    private static CommandLine at(List<String> command) {
        CommandLine line = Main.commandLine();
        for (String name : command) {
            line = line.getSubcommands().get(name);
        }
        return line;
    }

    static Stream<List<String>> leaves() {
        return commands().filter(command -> at(command).getSubcommands().isEmpty());
    }

    private static String help(Map<String, String> environment, boolean isTerminal, String... command) {
        CommandLine line = Main.commandLine(environment, isTerminal);
        StringWriter out = new StringWriter();
        line.setOut(new PrintWriter(out));
        line.execute(with(List.of(command), "--help"));
        return out.toString();
    }

    @Test
    void all_commands_exist() {
        assertThat(commands().map(command -> String.join(" ", command)))
                .contains(
                        "run", "send", "demo", "topology", "topics create", "topics check", "sweep record",
                        "sweep list", "cancel",
                        "tenants list", "tenants get", "tenants set", "tenants remove", "tenants isolate",
                        "tenants release", "tenants pause", "tenants resume", "explain", "audit", "depth",
                        "tenants key create", "tenants key list",
                        "tenants key revoke", "dead-letters list", "dead-letters show", "dead-letters replay",
                        "dead-letters discard", "shards", "simulate", "transactions list", "transactions abort",
                        "completion", "top", "doctor");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void a_start_that_reads_only_its_command_has_the_same_help(List<String> command) {
        String[] arguments = with(command, "--help");
        StringWriter out = new StringWriter();
        CommandLine line = Main.commandLine(arguments);
        line.setOut(new PrintWriter(out));
        line.execute(arguments);

        assertThat(out).hasToString(CommandRun.of(arguments).done().out());
        assertThat(line.getSubcommands()).hasSize(command.isEmpty() ? Main.commandLine().getSubcommands().size() : 1);
    }

    @Test
    void an_unknown_command_is_compared_with_all() {
        assertThat(Main.commandLine("dept").getSubcommands()).hasSameSizeAs(Main.commandLine().getSubcommands());
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
