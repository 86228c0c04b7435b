package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileTest {
    @TempDir
    Path folder;

    @Test
    void a_secret_is_the_text_of_a_file_of_any_system() throws IOException {
        assertThat(textOf(" gr\u00fc\u00df \r\n", StandardCharsets.UTF_8)).isEqualTo("gr\u00fc\u00df");
        for (Charset charset :
                new Charset[] {StandardCharsets.UTF_8, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE}) {
            assertThat(textOf("\uFEFFgr\u00fc\u00df\r\n", charset)).isEqualTo("gr\u00fc\u00df");
        }
    }

    @Test
    void a_secret_that_is_no_text_is_refused_and_not_shown() {
        assertThatThrownBy(() -> textOf("gehe\u00efm", StandardCharsets.ISO_8859_1))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("UTF-8")
                .message().doesNotContain("gehe");
        assertThatThrownBy(() -> textOf("cut\0\0", StandardCharsets.UTF_8)).hasMessageContaining("zero byte");
    }

    @Test
    void a_pem_file_may_have_a_mark_and_a_binary_file_stays_as_it_is() throws IOException {
        byte[] pem = "-----BEGIN X-----\nAA==".getBytes(StandardCharsets.US_ASCII);
        for (Charset charset : new Charset[] {StandardCharsets.UTF_8, StandardCharsets.UTF_16LE}) {
            Path file = Files.write(folder.resolve("pem"), "\uFEFF-----BEGIN X-----\nAA==".getBytes(charset));
            assertThat(SecretFile.pem("key", file.toString())).isEqualTo(pem);
        }
        byte[] binary = {0x30, (byte) 0x82, 0, 1};
        assertThat(SecretFile.pem("key", Files.write(folder.resolve("der"), binary).toString())).isEqualTo(binary);
    }

    private String textOf(String content, Charset charset) throws IOException {
        return SecretFile.text("key", Files.write(folder.resolve("secret"), content.getBytes(charset)).toString());
    }
}
