package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The launcher in a directory of a test, with what it sources. */
public final class InstalledLauncher {
    private InstalledLauncher() {}

    /** Installs the launcher and returns its path. */
    public static Path in(Path home) throws IOException {
        Files.copy(Path.of("../deploy/jdk"), Files.createDirectories(home.resolve("deploy")).resolve("jdk"));
        Path launcher = Files.copy(Path.of("../spillway"), home.resolve("spillway"));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        return launcher;
    }
}
