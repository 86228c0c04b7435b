package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Commands that pages and alerts tell people to run have no argument that does not exist. */
class WrittenCommandsTest {
    private static final Path ROOT = Path.of("..");
    /** At the start of code or of a line of it, up to what is the shell's. */
    private static final Pattern CODE = Pattern.compile(
            "(?m)(?:`|^[ $]*)(?:\\./)?spillway (?!ready )((?:[^`|&;<>#\\n\\\\]|\\\\\\n)+)");
    /** In a text without marks, where only options and names in capitals are no words of the sentence. */
    private static final Pattern TEXT = Pattern.compile("\\bspillway ([a-z-]+(?: --[a-z-]+| [A-Z]{2,})*)");

    private final CommandLine commands = Main.commandLine(Map.of(), false);

    @Test
    void pages_name_only_arguments_that_commands_have() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            // The reference is generated from the commands, with [OPTIONS].
            docs.filter(file -> file.toString().endsWith(".md") && !file.endsWith("commands.md")).forEach(pages::add);
        }
        for (Path page : pages) {
            assertThat(wrong(CODE, Files.readString(page))).as(page.toString()).isEmpty();
        }
    }

    @Test
    void alerts_name_only_arguments_that_commands_have() throws IOException {
        assertThat(wrong(TEXT, Files.readString(ROOT.resolve("deploy/prometheus/rules.yml")))).isEmpty();
    }

    @Test
    void a_wrong_argument_is_found() {
        assertThat(wrong(CODE, "`./spillway explain acme` and\n\n    $ ./spillway depth \\\n  --tenants 'a b' | jq\n"))
                .containsExactly("explain acme", "depth --tenants x");
        assertThat(wrong(TEXT, "Run spillway explain TENANT, which shows")).containsExactly("explain TENANT");
    }

    private List<String> wrong(Pattern pattern, String text) {
        return pattern.matcher(text).results()
                .map(found -> found.group(1).replaceAll("'[^']*'|\"[^\"]*\"", "x"))
                .map(command -> command.replaceAll("[\\s\\\\]+", " ").strip())
                .filter(this::hasUnknownArgument).toList();
    }

    private boolean hasUnknownArgument(String command) {
        try {
            commands.parseArgs(command.split(" "));
            return false;
        } catch (UnmatchedArgumentException e) {
            return true;
        } catch (ParameterException e) {
            return false; // incomplete, as in a sentence
        }
    }
}
