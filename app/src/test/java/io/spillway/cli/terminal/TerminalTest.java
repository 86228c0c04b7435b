package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    private Path link(String name, String target) throws Exception {
        return Files.createSymbolicLink(directory.resolve(name), Path.of(target));
    }
}
