package io.spillway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.ConfigurationLoader;
import io.spillway.config.GatewaySettings;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.gateway.AdminKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminKeysTest {
    private static final String GOOD = "0123456789abcdef";

    @TempDir
    Path data;

    @Test
    void the_first_run_creates_it_readable_only_by_its_owner() throws IOException {
        AdminKeys.find(Map.of(), settings(""), data);
        Path file = data.resolve("admin.key");
        String made = Files.readString(file);

        assertThat(made).matches("spa_[A-Za-z0-9_-]{43}\n");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        AdminKeys.find(Map.of(), settings(""), data);
        assertThat(file).hasContent(made);
        assertThat(data.resolve("admin.key.new")).doesNotExist();
    }

    @Test
    void the_environment_and_a_configured_file_take_precedence() throws IOException {
        Path configured = Files.writeString(data.resolve("configured"), GOOD + "\n");
        AdminKeys.find(Map.of(), settings(configured.toString()), data);
        AdminKeys.find(Map.of("SPILLWAY_ADMIN_KEY", GOOD), settings(data.resolve("no-such-file").toString()), data);

        assertThat(data.resolve("admin.key")).doesNotExist();
    }

    @Test
    void a_key_that_is_too_short_is_refused_and_not_shown() throws IOException {
        assertThatThrownBy(() -> AdminKeys.find(Map.of("SPILLWAY_ADMIN_KEY", "hunter2"), settings(""), data))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("SPILLWAY_ADMIN_KEY")
                .hasMessageContaining("16 to 512")
                .message()
                .doesNotContain("hunter2");
        Path configured = Files.writeString(data.resolve("configured"), "hunter2");
        assertThatThrownBy(() -> AdminKeys.find(Map.of(), settings(configured.toString()), data))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("gateway.adminKeyFile")
                .hasMessageContaining("16 to 512")
                .message()
                .doesNotContain("hunter2");
        Files.writeString(data.resolve("admin.key"), "hunter2");
        assertThatThrownBy(() -> AdminKeys.find(Map.of(), settings(""), data))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("admin.key")
                .message()
                .doesNotContain("hunter2");
    }

    @Test
    void a_key_is_read_from_a_file_or_variable_of_any_system() throws IOException {
        for (byte[] written : List.of(
                (GOOD + " \r\n").getBytes(StandardCharsets.UTF_8), ("\uFEFF" + GOOD).getBytes(StandardCharsets.UTF_8),
                ("\uFEFF" + GOOD + "\r\n").getBytes(StandardCharsets.UTF_16LE))) {
            Path file = Files.write(data.resolve("key"), written);
            assertThat(AdminKeys.find(Map.of(), settings(file.toString()), data).isSameAs(AdminKey.of(GOOD))).isTrue();
        }
        assertThat(AdminKeys.find(Map.of("SPILLWAY_ADMIN_KEY", GOOD + "\r"), settings(""), data)
                .isSameAs(AdminKey.of(GOOD))).isTrue();
        Path file = Files.write(data.resolve("key"), (GOOD + "\0").getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> AdminKeys.find(Map.of(), settings(file.toString()), data))
                .hasMessageContaining("zero byte").message().doesNotContain(GOOD);
    }

    @Test
    void a_missing_configured_file_is_named() {
        assertThatThrownBy(() -> AdminKeys.find(Map.of(), settings(data.resolve("no-such-file").toString()), data))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage("gateway.adminKeyFile = " + data.resolve("no-such-file")
                        + ": cannot be read: no such file. Write a key into it, or remove the setting.");
    }

    @Test
    void there_are_no_viewers_unless_they_have_a_key_of_their_own() throws IOException {
        AdminKey admin = AdminKey.of(GOOD);
        Path viewers = Files.writeString(data.resolve("viewers"), "fedcba9876543210\n");
        assertThat(AdminKeys.findViewer(Map.of(), settings(""), admin)).isEmpty();
        assertThat(AdminKeys.findViewer(Map.of(), viewers(viewers.toString()), admin).orElseThrow()
                .isSameAs(AdminKey.of("fedcba9876543210"))).isTrue();
        assertThat(AdminKeys.findViewer(Map.of("SPILLWAY_VIEWER_KEY", "of-the-environment"), viewers("no-such-file"),
                admin).orElseThrow().isSameAs(AdminKey.of("of-the-environment"))).isTrue();

        assertThatThrownBy(() -> AdminKeys.findViewer(Map.of("SPILLWAY_VIEWER_KEY", GOOD), settings(""), admin))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("gateway.viewerKeyFile").hasMessageContaining("a key of their own")
                .message().doesNotContain(GOOD);
        assertThatThrownBy(() -> AdminKeys.findViewer(Map.of("SPILLWAY_VIEWER_KEY", "hunter2"), settings(""), admin))
                .hasMessageContaining("SPILLWAY_VIEWER_KEY").message().doesNotContain("hunter2");
        assertThatThrownBy(() -> AdminKeys.findViewer(Map.of(), viewers("no-such-file"), admin))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("gateway.viewerKeyFile");
    }

    private static GatewaySettings settings(String adminKeyFile) {
        return settings("gateway.adminKeyFile", adminKeyFile);
    }

    private static GatewaySettings viewers(String viewerKeyFile) {
        return settings("gateway.viewerKeyFile", viewerKeyFile);
    }

    private static GatewaySettings settings(String key, String value) {
        return ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(key, value)).gateway();
    }
}
