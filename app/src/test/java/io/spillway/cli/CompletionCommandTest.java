package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script, in a real bash. */
@Timeout(60) // Against a hang; nothing is measured.
class CompletionCommandTest {
    @TempDir
    Path directory;

    private Path script;

    @BeforeEach
    void write() throws IOException {
        script = Files.writeString(
                directory.resolve("completion"), CommandRun.of("completion", "bash").done().out());
    }

    @Test
    void bash_accepts_the_script() {
        assertThat(bash("-n", script.toString())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "spillway dep, depth",
        "spillway tenants pa, pause",
        "spillway tenants key rev, revoke",
        "spillway depth --no-a, --no-ages",
        "spillway tenants set acme --growth-c, --growth-ceiling",
        "spillway depth --output j, json",
        "spillway topics check --role wor, worker",
        "./spillway transactions ab, abort"
    })
    void a_word_is_completed(String line, String completed) {
        // What bash does for a key press; only then it has the command compopt.
        String press = "source '%s'; compopt() { :; }; COMP_WORDS=(%s); COMP_LINE='%s';"
                + " COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
                + " complete -p spillway >/dev/null || exit 1; _complete_spillway; printf '%%s\\n' \"${COMPREPLY[@]}\"";
        assertThat(bash("-c", press.formatted(script, line, line)).lines().map(String::strip))
                .containsExactly(completed);
    }

    @Test
    void zsh_gets_the_same_script_which_loads_its_emulation_of_bash() {
        assertThat(CommandRun.of("completion", "zsh").done().out()).isEqualTo(CommandRun.of("completion", "bash").out())
                .contains("ZSH_VERSION", "bashcompinit");
    }

    @Test
    void the_script_is_also_in_json() {
        assertThat(CommandRun.of("completion", "zsh", "--output", "json").done().json().get("shell").textValue())
                .isEqualTo("zsh");
    }

    private static String bash(String... arguments) {
        try {
            List<String> command = new ArrayList<>(List.of("bash", "--norc"));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
