package io.spillway.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The page {@code docs/commands.md}, rendered from the declarations of the commands. */
final class CommandReference {
    private static final int MAX_LINE = 100;
    private static final Pattern DEFAULT = Pattern.compile(" ?Default: (.+)\\.$");
    private static final List<String> COMMON =
            List.of("--config", "--bootstrap-servers", "--prefix", "--data", "--output", "--help", "--version");

    private static final String INTRODUCTION = """
        # Commands

        <!-- Generated from the declarations in the code. To change it, change those, then run
        mvn -pl app -am test -Dtest=CommandReferenceTest -Dspillway.docs.write=true
             -Dsurefire.failIfNoSpecifiedTests=false -->

        `./spillway COMMAND` runs a command, `./spillway COMMAND --help` prints its help. A result goes to
        standard output, progress and errors go to standard error. With `--output json` a result is one
        JSON value on one line, and so is an error. Times in JSON are ISO 8601 in UTC, and null stands for
        none. `(none)` is the tenant of records whose tenant cannot be read.

        """;

    private CommandReference() {}

    /** Renders the page. */
    static String markdown() {
        List<CommandSpec> commands = new ArrayList<>();
        collect(Main.commandLine(), commands);
        CommandSpec root = commands.getFirst();
        StringBuilder page = new StringBuilder(INTRODUCTION);
        commands.stream().skip(1).filter(command -> command.subcommands().isEmpty()).forEach(command -> page
                .append("- [").append(nameOf(command)).append("](#")
                .append(nameOf(command).replace(' ', '-')).append(")\n"));
        page.append("\n## Exit codes\n\n| Code | Meaning |\n|---|---|\n");
        root.usageMessage().exitCodeList().forEach((code, meaning) -> page.append(row(code, meaning)));
        page.append("\n## Common options\n\n")
                .append(wrapped("Every command has these options. Commands that need no Kafka have fewer: `completion`, "
                        + "`demo`, `shards` and `simulate` have no configuration, and `topology` no cluster and no data "
                        + "directory."))
                .append('\n')
                .append(table(options(command(commands, "topics check"), true)));
        commands.stream().skip(1).forEach(command -> page.append(section(command)));
        return page.toString();
    }

    private static void collect(CommandLine line, List<CommandSpec> commands) {
        commands.add(line.getCommandSpec());
        List<CommandLine> subcommands = new ArrayList<>(line.getSubcommands().values());
        if (line.getParent() != null) {
            // The order of annotated methods depends on the JVM.
            subcommands.sort(Comparator.comparing(CommandLine::getCommandName));
        }
        subcommands.forEach(sub -> collect(sub, commands));
    }

    private static CommandSpec command(List<CommandSpec> commands, String name) {
        return commands.stream().filter(each -> nameOf(each).equals(name)).findFirst().orElseThrow();
    }

    private static String section(CommandSpec command) {
        String level = "#".repeat(nameOf(command).split(" ").length + 1);
        StringBuilder text = new StringBuilder("\n" + level + " " + nameOf(command) + "\n\n")
                .append(wrapped(String.join(" ", command.usageMessage().description())));
        if (!command.subcommands().isEmpty()) {
            return text.toString();
        }
        text.append("\n```\n").append(synopsis(command)).append("\n```\n");
        List<ArgSpec> own = new ArrayList<>(command.positionalParameters());
        own.addAll(options(command, false));
        text.append(own.isEmpty() ? "" : "\n" + table(own));
        return text.append(examples(command.usageMessage())).toString();
    }

    /** Indented lines are commands, or JSON; others are text. */
    private static String examples(UsageMessageSpec usage) {
        StringBuilder text = new StringBuilder(usage.footerHeading().formatted());
        boolean isCode = false;
        for (String line : usage.footer()) {
            boolean isIndented = line.startsWith("  ");
            if (isIndented != isCode) {
                text.append(isCode ? "```\n" : line.startsWith("  {") ? "```json\n" : "```\n");
            }
            text.append(isIndented ? line.substring(2) : line).append('\n');
            isCode = isIndented;
        }
        return text.append(isCode ? "```\n" : "").toString();
    }

    private static String synopsis(CommandSpec command) {
        List<String> parts = new ArrayList<>(List.of(command.qualifiedName()));
        command.positionalParameters().forEach(each -> {
            String label = each.paramLabel() + (each.arity().max() > 1 ? "..." : "");
            parts.add(each.required() ? label : "[" + label + "]");
        });
        options(command, false).stream().filter(ArgSpec::required).forEach(each -> parts.add(nameOf(each)));
        parts.add("[OPTIONS]");
        return String.join(" ", parts);
    }

    private static List<OptionSpec> options(CommandSpec command, boolean isCommon) {
        return command.options().stream()
                .filter(each -> COMMON.contains(each.longestName()) == isCommon && !each.hidden()).toList();
    }

    private static String table(List<? extends ArgSpec> arguments) {
        return "| Option | Default | Description |\n|---|---|---|\n" + arguments.stream()
                .map(each -> row("`" + nameOf(each) + "`", defaultOf(each), descriptionOf(each)))
                .collect(Collectors.joining());
    }

    private static String nameOf(CommandSpec command) {
        return command.qualifiedName().substring("spillway".length()).strip();
    }

    private static String nameOf(ArgSpec argument) {
        return argument instanceof OptionSpec option
                ? String.join(", ", option.names()) + (option.arity().max() == 0 ? "" : " " + option.paramLabel())
                : argument.paramLabel();
    }

    private static String defaultOf(ArgSpec argument) {
        Matcher text = DEFAULT.matcher(String.join(" ", argument.description()));
        return argument.required() ? "required" : text.find() ? text.group(1) : "";
    }

    private static String descriptionOf(ArgSpec argument) {
        return DEFAULT.matcher(String.join(" ", argument.description())).replaceFirst("").strip();
    }

    private static String row(String... cells) {
        return Arrays.stream(cells)
                .map(cell -> cell.replace("|", "\\|"))
                .collect(Collectors.joining(" | ", "| ", " |\n"))
                .replaceAll(" {2,}", " ");
    }

    private static String wrapped(String text) {
        StringBuilder lines = new StringBuilder();
        int length = 0;
        for (String word : text.replaceAll("\\s+", " ").replace("*", "\\*").split(" ")) {
            lines.append(length == 0 ? "" : length + 1 + word.length() > MAX_LINE ? "\n" : " ").append(word);
            length = length == 0 || length + 1 + word.length() > MAX_LINE ? word.length() : length + 1 + word.length();
        }
        return lines.append("\n").toString();
    }
}
