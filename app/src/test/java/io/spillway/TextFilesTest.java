package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.CommandRun;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of users as editors and shells of all systems write them. */
class TextFilesTest {
    private static final String CONFIG = "# gr\u00fc\u00df\nmetrics:\n  port: 9500\nkafka:\n  prefix: p\n";
    private static final String SCENARIO =
            "duration: 1m\ntenants: [{name: r, arrivals: {type: trace, file: rows.csv}}]\n";
    private static final String TRACE = "atMillis,tenant\n5,a\n7,b\n";

    /** A way to write text. */
    private interface Writer {
        byte[] write(String text);
    }

    @TempDir
    Path folder;

    static Stream<Arguments> systems() {
        return Stream.of(
                system("CRLF", text -> utf8(text.replace("\n", "\r\n"))),
                system("lone CR", text -> utf8(text.replace("\n", "\r"))),
                system("UTF-8 with a mark", text -> utf8("\uFEFF" + text)),
                system("UTF-16", text -> ("\uFEFF" + text.replace("\n", "\r\n")).getBytes(StandardCharsets.UTF_16LE)),
                system("UTF-16, big endian", text -> ("\uFEFF" + text).getBytes(StandardCharsets.UTF_16BE)),
                system("no end", text -> utf8(text.strip())),
                system("spaces and empty lines at the end", text -> utf8(text.replace("\n", "  \n") + " \n\n")));
    }

    @ParameterizedTest
    @MethodSource("systems")
    void yaml_is_read_as_it_was_meant(String name, Writer writer) throws IOException {
        assertThat(load(writer.write(CONFIG))).isEqualTo(load(utf8(CONFIG)));
        assertThat(load(writer.write(CONFIG)).metrics().port()).isEqualTo(9500);
    }

    @ParameterizedTest
    @MethodSource("systems")
    void scenarios_and_traces_are_read_as_they_were_meant(String name, Writer writer) throws IOException {
        String expected = simulated(utf8(SCENARIO), utf8(TRACE));

        assertThat(simulated(writer.write(SCENARIO), writer.write(TRACE))).isEqualTo(expected).contains("2 items");
    }

    @Test
    void what_yaml_cannot_be_is_named_with_its_line() {
        assertThatThrownBy(() -> load(utf8("metrics:\n\tport: 9500\n"))).isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("(TAB)").hasMessageContaining("(line 2)");
        assertThatThrownBy(() -> load(utf8("metrics:\n  port: 9500\n\0\0\0")))
                .hasMessageEndingWith("(line 3 has a zero byte)");
        assertThatThrownBy(() -> load("metrics:\n  port: 9500\n".getBytes(StandardCharsets.UTF_16LE)))
                .hasMessageContaining("UTF-16 with a byte order mark (line 1 has a zero byte)");
        assertThatThrownBy(() -> load("metrics:\n  # \u00fc".getBytes(StandardCharsets.ISO_8859_1)))
                .hasMessageContaining("UTF-8").hasMessageEndingWith("(line 2)");
    }

    private String simulated(byte[] scenario, byte[] trace) throws IOException {
        Files.write(folder.resolve("rows.csv"), trace);
        return CommandRun.of("simulate", Files.write(folder.resolve("s.yml"), scenario).toString()).done().out();
    }

    private Configuration load(byte[] content) throws IOException {
        return ConfigurationLoader.load(
                Optional.of(Files.write(folder.resolve("c.yml"), content)), Map.of(), Map.of());
    }

    private static Arguments system(String name, Writer writer) {
        return Arguments.of(name, writer);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
