package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextLinesTest {
    @Test
    void lines_end_as_on_any_system_and_the_last_with_the_stream() throws IOException {
        TextLines lines = lines("one\r\n\na\r\rb\n");

        assertThat(lines.next()).isEqualTo("one");
        assertThat(lines.next()).isEmpty();
        assertThat(lines.next()).isEqualTo("a");
        assertThat(lines.next()).isEmpty();
        assertThat(lines.next()).isEqualTo("b");
        assertThat(lines.number()).isEqualTo(5);
        assertThat(lines.next()).isNull();
        assertThat(lines.number()).as("an end is no line").isEqualTo(5);
        assertThat(lines("a\r\n").next()).isEqualTo("a");
    }

    @Test
    void a_byte_order_mark_is_no_part_of_the_first_line_and_utf_16_is_refused_as_a_whole() throws IOException {
        assertThat(lines("\uFEFFa\n").next()).isEqualTo("a");
        assertThat(lines("").next()).isNull();
        for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            TextLines lines = new TextLines(new ByteArrayInputStream("\uFEFF{}\n".getBytes(charset)), 8);
            assertThatThrownBy(lines::next).isInstanceOf(CommandFailure.class).hasMessageContaining("UTF-16");
        }
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
