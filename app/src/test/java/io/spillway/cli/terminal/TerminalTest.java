package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TerminalTest {
    @TempDir
    Path directory;

    @Test
    void errors_in_a_file_or_a_pipe_are_redirected() throws Exception {
        assertThat(Terminal.isRedirected(link("file", "/tmp/log"))).isTrue();
        assertThat(Terminal.isRedirected(link("pipe", "pipe:[4711]"))).isTrue();
        assertThat(Terminal.isRedirected(link("pts", "/dev/pts/3"))).isFalse();
        assertThat(Terminal.isRedirected(link("tty", "/dev/tty1"))).isFalse();
        assertThat(Terminal.isRedirected(directory.resolve("none"))).as("another system").isFalse();
    }

    @ParameterizedTest
    @CsvSource({"100, 100", "20, 55", "4000, 200"})
    void columns_are_within_what_help_can_use(String columns, int used) {
        assertThat(Terminal.columns(Map.of("COLUMNS", columns))).hasValue(used);
    }

    @ParameterizedTest
    @CsvSource({"''", "0", "-1", "wide", "9999999"})
    void other_columns_are_ignored(String columns) {
        assertThat(Terminal.columns(Map.of("COLUMNS", columns))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"24 80, 80, 24", "'50 132\n', 132, 50"})
    void the_size_is_what_stty_answers(String answer, int columns, int rows) {
        assertThat(Terminal.Size.parse(answer)).contains(new Terminal.Size(columns, rows));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "0 0", "24", "80 by 24", "99999 80"})
    void other_answers_are_no_size(String answer) {
        assertThat(Terminal.Size.parse(answer)).isEmpty();
    }

    @Test
    void colours_are_off_with_any_value_of_no_color() {
        assertThat(Terminal.isColored(Map.of())).isTrue();
        assertThat(Terminal.isColored(Map.of("NO_COLOR", ""))).isTrue();
        assertThat(Terminal.isColored(Map.of("NO_COLOR", "0"))).isFalse();
    }

    private Path link(String name, String target) throws Exception {
        return Files.createSymbolicLink(directory.resolve(name), Path.of(target));
    }
}
