package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TextLinesTest {
    @Test
    void lines_end_with_lf_or_crlf_and_the_last_with_the_stream() throws IOException {
        TextLines lines = lines("one\r\n\na\rb");

        assertThat(lines.next()).isEqualTo("one");
        assertThat(lines.next()).isEmpty();
        assertThat(lines.next()).isEqualTo("a\rb");
        assertThat(lines.number()).isEqualTo(3);
        assertThat(lines.next()).isNull();
        assertThat(lines.number()).as("an end is no line").isEqualTo(3);
    }

    @Test
    void a_line_that_is_too_long_is_skipped() throws IOException {
        TextLines lines = lines("12345678\n" + "x".repeat(100_000) + "\n123456789\nlast\n");

        assertThat(lines.next()).isEqualTo("12345678");
        assertThatThrownBy(lines::next).isInstanceOf(IllegalArgumentException.class).hasMessage("longer than 8 bytes");
        assertThatThrownBy(lines::next).isInstanceOf(IllegalArgumentException.class);
        assertThat(lines.next()).isEqualTo("last");
        assertThat(lines.number()).isEqualTo(4);
        assertThat(lines.next()).isNull();
    }

    @Test
    void a_line_that_is_not_utf_8_is_refused() throws IOException {
        TextLines lines = new TextLines(new ByteArrayInputStream(new byte[] {'a', (byte) 0xFC, '\n', 'b', '\n'}), 8);

        assertThatThrownBy(lines::next).isInstanceOf(IllegalArgumentException.class).hasMessage("not UTF-8");
        assertThat(lines.next()).isEqualTo("b");
    }

    private static TextLines lines(String text) {
        return new TextLines(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 8);
    }
}
