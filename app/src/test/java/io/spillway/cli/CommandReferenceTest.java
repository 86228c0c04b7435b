package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CommandReferenceTest {
    private static final Path PAGE = Path.of("..", "docs", "commands.md");

    @Test
    void the_page_is_what_the_commands_declare() throws IOException {
        if (Boolean.getBoolean("spillway.docs.write")) {
            Files.writeString(PAGE, CommandReference.markdown());
        }
        assertThat(Files.readString(PAGE))
                .as("write it again with -Dspillway.docs.write=true")
                .isEqualTo(CommandReference.markdown());
    }
}
