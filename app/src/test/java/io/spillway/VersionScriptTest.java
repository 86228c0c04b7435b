package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code .ci/version}, in this repository and in a copy of the files that it changes. */
class VersionScriptTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    private Path copy;

    private record Run(int exitCode, String output) {}

    @BeforeAll
    static void requirePython() {
        try {
            assumeTrue(new ProcessBuilder("python3", "--version").start().waitFor() == 0);
        } catch (IOException | InterruptedException e) {
            assumeTrue(false, "no python3");
        }
    }

    @Test
    void all_files_of_the_repository_have_one_version() throws Exception {
        assertThat(run(ROOT)).isEqualTo(new Run(0, versionOf(ROOT) + "\n"));
    }

    @Test
    void a_release_and_the_next_snapshot_are_set_in_every_file() throws Exception {
        List<Path> files = copyFiles();
        // The number of a release may stand elsewhere too.
        String before = versionOf(ROOT).endsWith("-SNAPSHOT") ? versionOf(ROOT) : "0-SNAPSHOT";

        assertThat(run(copy, "7.8.9")).isEqualTo(new Run(0, "7.8.9\n"));
        assertThat(run(copy, "--check", "v7.8.9").exitCode()).isZero();
        assertThat(run(copy, "--check", "v7.8.8")).isEqualTo(new Run(1, "The tag is v7.8.8, but the version is 7.8.9.\n"
                + "Set them with .ci/version VERSION.\n"));
        for (Path file : files) {
            assertThat(Files.readString(file)).as(file.toString()).doesNotContain(before);
        }
        assertThat(read("pom.xml")).contains("<version>7.8.9</version>\n  <packaging>pom");
        assertThat(read("clients/python/pyproject.toml")).contains("version = \"7.8.9\"\n");
        assertThat(read("CHANGELOG.md")).containsPattern("\n## 7\\.8\\.9 - \\d{4}-\\d\\d-\\d\\d\n\n");

        assertThat(run(copy, "7.9.0-SNAPSHOT")).isEqualTo(new Run(0, "7.9.0-SNAPSHOT\n"));
        assertThat(read("clients/python/pyproject.toml")).contains("version = \"7.9.0.dev0\"\n");
        assertThat(read("clients/node/package.json")).contains("\"version\": \"7.9.0-dev.0\",\n");
        assertThat(read("docs/kubernetes.md")).contains("REGISTRY/spillway, tag: 7.9.0}");
        assertThat(read("CHANGELOG.md")).contains("\n## Unreleased (7.9.0-SNAPSHOT)\n\n## 7.8.9 - ");
    }

    @Test
    void a_file_with_another_version_is_named() throws Exception {
        copyFiles();
        run(copy, "7.8.9");
        Path bom = copy.resolve("bom/pom.xml");
        Files.writeString(bom, Files.readString(bom).replace("7.8.9", "7.8.8"));
        Files.writeString(copy.resolve("CHANGELOG.md"), "## Unreleased (7.8.9-SNAPSHOT)\n");

        Run run = run(copy);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).startsWith("bom/pom.xml has 7.8.8, not 7.8.9.\n"
                + "CHANGELOG.md begins with ## Unreleased (7.8.9-SNAPSHOT), not with 7.8.9.\n");
        assertThat(run(copy, "7.8").output()).contains(".ci/version VERSION");
    }

    /** Copies the script, and returns copies of all files that could have the version. */
    private List<Path> copyFiles() throws IOException {
        Files.copy(ROOT.resolve(".ci/version"), Files.createDirectories(copy.resolve(".ci")).resolve("version"));
        List<Path> sources = new ArrayList<>(Stream.of("CHANGELOG.md", "clients/python/pyproject.toml",
                "clients/node/package.json", "deploy/helm/spillway/Chart.yaml").map(ROOT::resolve).toList());
        try (Stream<Path> poms = Files.find(ROOT, 3, (file, is) -> file.endsWith("pom.xml") && !file.toString()
                        .contains("/target/")); Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            poms.forEach(sources::add);
            pages.filter(file -> file.toString().endsWith(".md")).forEach(sources::add);
        }
        List<Path> copies = new ArrayList<>();
        for (Path source : sources) {
            Path target = copy.resolve(ROOT.relativize(source));
            Files.createDirectories(target.getParent());
            copies.add(Files.copy(source, target));
        }
        return copies;
    }

    private String read(String file) throws IOException {
        return Files.readString(copy.resolve(file));
    }

    private static String versionOf(Path root) throws IOException {
        return Files.readString(root.resolve("pom.xml")).replaceAll("(?s).*?<version>(.+?)</version>.*", "$1");
    }

    private static Run run(Path root, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("python3", root.resolve(".ci/version").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }
}
