package io.spillway.core.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileTextTest {
    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
    void a_byte_order_mark_names_the_encoding_and_is_no_part_of_the_text(String encoding) {
        for (String text : new String[] {"", "a", "gr\u00fc\u00df: \ud83d\ude00\r\nb\rc \t"}) {
            assertThat(FileText.of(("\uFEFF" + text).getBytes(Charset.forName(encoding)))).isEqualTo(text);
        }
    }

    @Test
    void text_without_a_mark_is_utf_8() {
        assertThat(FileText.of("gr\u00fc\u00df\n".getBytes(StandardCharsets.UTF_8))).isEqualTo("gr\u00fc\u00df\n");
        assertThat(FileText.of(new byte[0])).isEmpty();
    }

    @Test
    void the_mark_of_utf_8_takes_three_bytes() {
        assertThat(FileText.utf8MarkBytes("\uFEFFa".getBytes(StandardCharsets.UTF_8))).isEqualTo(3);
        assertThat(FileText.utf8MarkBytes("a".getBytes(StandardCharsets.UTF_8))).isZero();
        assertThat(FileText.utf8MarkBytes("\uFEFFa".getBytes(StandardCharsets.UTF_16BE))).isZero();
    }

    @Test
    void anything_else_is_refused_with_its_line() {
        assertThatThrownBy(() -> FileText.of("a\nb\n\u00fc\n".getBytes(StandardCharsets.ISO_8859_1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be text in UTF-8, or in UTF-16 with a byte order mark (line 3)");
        assertThatThrownBy(() -> FileText.of("cut off\n\0\0\0".getBytes(StandardCharsets.UTF_8)))
                .hasMessageEndingWith("(line 2 has a zero byte)");
        assertThatThrownBy(() -> FileText.of("\0\n".getBytes(StandardCharsets.UTF_8)))
                .hasMessageEndingWith("(line 1 has a zero byte)");
        assertThatThrownBy(() -> FileText.of("without a mark".getBytes(StandardCharsets.UTF_16LE)))
                .hasMessageEndingWith("(line 1 has a zero byte)");
        assertThatThrownBy(() -> FileText.of(new byte[] {(byte) 0xFF, (byte) 0xFE, 'a', 0, 'b'}))
                .as("half a character").hasMessageEndingWith("(line 1)");
        assertThatThrownBy(() -> FileText.of("\uFEFFa".getBytes(Charset.forName("UTF-32LE"))))
                .as("its mark begins like that of UTF-16").hasMessageContaining("zero byte");
    }
}
