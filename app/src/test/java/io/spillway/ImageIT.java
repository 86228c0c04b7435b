package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The image that {@code mvn -Pimage -Dimage.base=scratch verify} builds, compared with the Dockerfile's. */
@EnabledIfSystemProperty(named = "spillway.test.image", matches = ".+")
class ImageIT {
    private static final Path HOME = Path.of("/opt/spillway");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode manifest;
    private static JsonNode config;
    private static String dockerfile;
    /** Files of all layers by path, with their modes. */
    private static final Map<String, Integer> FILES = new TreeMap<>();
    private static final List<List<String>> NAMES = new ArrayList<>();
    private static final List<byte[]> LAYERS = new ArrayList<>();
    private static byte[] jar;

    @BeforeAll
    static void read() throws IOException {
        Map<String, byte[]> parts = new LinkedHashMap<>();
        forEachFile(Files.newInputStream(Path.of(System.getProperty("spillway.test.image"))),
                (entry, content) -> parts.put(entry.getName(), content.readAllBytes()));
        manifest = JSON.readTree(parts.get("manifest.json")).get(0);
        config = JSON.readTree(parts.get(manifest.get("Config").textValue()));
        for (JsonNode layer : manifest.get("Layers")) {
            List<String> names = new ArrayList<>();
            forEachFile(new GZIPInputStream(new ByteArrayInputStream(parts.get(layer.textValue()))),
                    (entry, content) -> {
                        names.add(path(entry));
                        FILES.put(path(entry), entry.getMode() & 0777);
                        if (path(entry).endsWith("/app/target/spillway.jar")) {
                            jar = content.readAllBytes();
                        }
                    });
            NAMES.add(names);
            LAYERS.add(parts.get(layer.textValue()));
        }
        dockerfile = Files.readString(Path.of("../Dockerfile"));
    }

    @Test
    void it_runs_as_the_user_of_the_dockerfile_which_is_not_root() {
        String user = config.at("/config/User").textValue();

        assertThat(user).matches("[1-9]\\d+");
        assertThat(dockerfile).contains("USER " + user + "\n");
    }

    @Test
    void it_starts_as_the_image_of_the_dockerfile_does() {
        JsonNode settings = config.get("config");

        assertThat(settings.get("Entrypoint").toString()).isEqualTo("[\"" + HOME.resolve("spillway") + "\"]");
        assertThat(dockerfile).contains("ENTRYPOINT [\"spillway\"]\n",
                "CMD " + settings.get("Cmd") + "\n",
                "WORKDIR " + settings.get("WorkingDir").textValue() + "\n",
                "VOLUME " + settings.get("Volumes").fieldNames().next() + "\n",
                "ENV " + settings.get("Env").get(0).textValue() + "\n");
        assertThat(settings.get("ExposedPorts").properties()).extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrder("8080/tcp", "9404/tcp");
        assertThat(dockerfile).contains("EXPOSE 8080 9404\n");
    }

    @Test
    void it_contains_the_launcher_the_jar_and_exactly_the_libraries_of_the_build() throws IOException {
        List<String> expected = new ArrayList<>(Stream.of(
                        "spillway", "LICENSE", "NOTICE", "deploy/healthy", "deploy/jdk", "app/target/spillway.jar")
                .map(name -> HOME.resolve(name).toString()).toList());
        try (Stream<Path> libraries = Files.list(Path.of("target/lib"))) {
            libraries.map(each -> HOME.resolve("app/target/lib").resolve(each.getFileName()))
                    .forEach(each -> expected.add(each.toString()));
        }

        assertThat(FILES.keySet()).containsExactlyInAnyOrderElementsOf(expected).hasSizeGreaterThan(50);
        assertThat(jar).isEqualTo(Files.readAllBytes(Path.of("target/spillway.jar")));
    }

    @Test
    void nobody_but_root_can_change_its_files_and_two_can_be_executed() {
        assertThat(FILES).allSatisfy((path, mode) -> assertThat(mode).as(path)
                .isEqualTo(path.endsWith("/spillway") || path.endsWith("/healthy") ? 0755 : 0644));
    }

    @Test
    void libraries_that_rarely_change_are_in_a_layer_of_their_own() {
        assertThat(NAMES).hasSize(3);
        assertThat(NAMES.getFirst()).allMatch(path -> path.startsWith(HOME.resolve("app/target/lib").toString()));
    }

    @Test
    void two_builds_are_equal_since_no_time_is_that_of_the_build() throws IOException {
        assertThat(Files.readString(Path.of("../pom.xml"))).contains("<project.build.outputTimestamp>"
                + config.get("created").textValue() + "</project.build.outputTimestamp>");
    }

    /** The launcher finds the jar and the libraries where the image has them. */
    @Test
    void its_launcher_runs(@TempDir Path root) throws Exception {
        for (byte[] layer : LAYERS) {
            forEachFile(new GZIPInputStream(new ByteArrayInputStream(layer)), (entry, content) -> {
                Path file = root.resolve(path(entry).substring(1));
                Files.createDirectories(file.getParent());
                Files.copy(content, file);
            });
        }
        ProcessBuilder launcher = new ProcessBuilder(
                "bash", root + HOME.resolve("spillway").toString(), "topology").redirectErrorStream(true);
        launcher.environment().put("SPILLWAY_JAVA_HOME", System.getProperty("java.home"));

        Process process = launcher.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("spillway.ingress");
    }

    private interface Visitor {
        void visit(TarArchiveEntry entry, InputStream content) throws IOException;
    }

    private static void forEachFile(InputStream tar, Visitor visitor) throws IOException {
        try (TarArchiveInputStream entries = new TarArchiveInputStream(tar)) {
            for (TarArchiveEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
                if (!entry.isDirectory()) {
                    visitor.visit(entry, entries);
                }
            }
        }
    }

    private static String path(TarArchiveEntry entry) {
        return "/" + entry.getName().replaceFirst("^/", "");
    }
}
