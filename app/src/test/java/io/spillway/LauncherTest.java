package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher with a Java that only prints its arguments, and a Maven that only creates the jar. */
class LauncherTest {
    @TempDir
    private Path home;

    @TempDir
    private Path directory;

    private record Run(int exitCode, List<String> out, String err) {}

    @BeforeEach
    void installWithoutSources() throws IOException {
        InstalledLauncher.in(home);
        Files.createFile(Files.createDirectories(home.resolve("app/target")).resolve("spillway.jar"));
        Path java = Files.createDirectories(home.resolve("jdk/bin")).resolve("java");
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nenv | grep ^SPILLWAY_ || true\n");
        executable(java);
    }

    @Test
    void the_jar_is_run_with_unchanged_arguments() throws Exception {
        Run run = run(Map.of(), "send", "--file", "a b*");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).endsWith("-jar", jar(), "send", "--file", "a b*")
                .doesNotContain("-cp").noneMatch(line -> line.startsWith("SPILLWAY_"));
    }

    @Test
    void the_class_path_of_a_handler_follows_the_jar_and_is_not_passed_as_a_setting() throws Exception {
        Files.createDirectories(home.resolve("my classes"));
        Files.createFile(Files.createDirectories(home.resolve("lib")).resolve("a.jar"));
        String classPath = home + "/my classes:" + home + "/lib/*:" + home + "/lib/a.jar";

        Run run = run(Map.of("SPILLWAY_CLASSPATH", classPath, "SPILLWAY_JAVA_OPTS", "-Xmx1g -Da=*"),
                "run", "--roles", "worker");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .endsWith("-Xmx1g", "-Da=*", "-cp", jar() + ":" + classPath,
                        "io.spillway.cli.Main", "run", "--roles", "worker")
                .doesNotContain("-jar").noneMatch(line -> line.startsWith("SPILLWAY_"));
    }

    @Test
    void a_missing_class_path_entry_is_reported_before_java_starts() throws Exception {
        for (String missing : List.of(home + "/none.jar", home + "/none/*")) {
            Run run = run(Map.of("SPILLWAY_CLASSPATH", home + ":" + missing), "run");

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).isEqualTo("spillway: SPILLWAY_CLASSPATH contains " + missing
                    + ", which does not exist. Correct or remove this entry. A colon ends one.\n");
        }
        assertThat(run(Map.of("SPILLWAY_CLASSPATH", ""), "run").out()).endsWith("-jar", jar(), "run");
    }

    @Test
    void a_directory_that_java_or_maven_cannot_use_is_refused_with_the_character() throws Exception {
        installIn("a:b");
        assertThat(run(Map.of(), "run").err()).isEqualTo("spillway: The directory " + home.toRealPath()
                + " has a colon in its name, which ends an entry of Java's class path. Rename or move it.\n");
        for (String name : List.of("a\\b", "a\nb")) {
            installIn(name);
            Files.createDirectories(home.resolve("app/src/main"));
            Files.delete(home.resolve("app/target/spillway.jar"));
            assertThat(run(Map.of(), "run").err()).isEqualTo("spillway: Maven cannot build in " + home.toRealPath()
                    + ": its name has a backslash or a newline. Rename or move it.\n");
        }
    }

    @Test
    void a_newline_and_a_leading_dash_are_part_of_a_name() throws Exception {
        installIn("-a\n*[b]\n");
        Path classes = Files.createDirectories(home.resolve("my\nclasses"));

        Run run = run(Map.of("SPILLWAY_CLASSPATH", classes + ":" + home, "SPILLWAY_JAVA_OPTS", "-Da=b\r\n"), "run");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(String.join("\n", run.out())).endsWith(
                "-Da=b\n-cp\n" + jar() + ":" + classes + ":" + home + "\nio.spillway.cli.Main\nrun");
    }

    @Test
    void the_heap_is_bounded_without_options_for_it() throws Exception {
        List<String> bound = List.of("-XX:+UseSerialGC", "-Xmx512m");
        assertThat(run(Map.of(), "run").out()).containsAll(bound);
        for (String other : List.of("-Da=b -XX:+UseCompactObjectHeaders", "-XX:+HeapDumpOnOutOfMemoryError",
                "-XX:HeapDumpPath=/tmp/a-XX:MaxHeapSize=1", "-XX:+UseCompactObjectHeaders -XX:+DisableExplicitGC")) {
            assertThat(run(Map.of("SPILLWAY_JAVA_OPTS", other), "run").out()).as(other).containsAll(bound);
        }
        for (String other : List.of("-Xmx4g", "-Xms1g", "-Xmn1g", "-XX:MaxHeapSize=4g", "-XX:InitialHeapSize=1g",
                "-XX:MaxRAM=2g", "-XX:MaxRAMPercentage=50", "-XX:+UseZGC", "-XX:+UseG1GC -Da=b",
                "-XX:+HeapDumpOnOutOfMemoryError\n-XX:SoftMaxHeapSize=1g", "'-XX:+UseParallelGC'")) {
            for (String variable : List.of("SPILLWAY_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")) {
                assertThat(run(Map.of(variable, other), "run").out()).as(variable + "=" + other)
                        .doesNotContainAnyElementsOf(bound);
            }
        }
    }

    private void installIn(String name) throws IOException {
        home = Files.createDirectory(directory.resolve(name));
        installWithoutSources();
    }

    @Test
    void an_archive_of_this_java_that_is_newer_than_the_jar_is_used() throws Exception {
        Path archive = Files.createFile(home.resolve("app/target/spillway-25000001.archive"));
        String option = "-XX:AOTCache=" + archive.toRealPath();
        Files.setLastModifiedTime(archive, FileTime.from(Instant.now().plusSeconds(60)));

        assertThat(run(Map.of(), "run").out()).contains(option, "-Xlog:aot*=off");
        assertThat(run(Map.of("SPILLWAY_ARCHIVE", "off"), "run").out()).doesNotContain(option)
                .noneMatch(line -> line.startsWith("SPILLWAY_"));
        for (String other : List.of("-XX:SharedArchiveFile=x", "-XX:AOTMode=off", "-Xshare:off")) {
            assertThat(run(Map.of("SPILLWAY_JAVA_OPTS", other), "run").out()).contains(other).doesNotContain(option);
        }
        Files.setLastModifiedTime(archive, FileTime.from(Instant.EPOCH));
        assertThat(run(Map.of(), "run").out()).as("older than the jar").doesNotContain(option);
        javaWriting("24.0.2");
        Files.setLastModifiedTime(archive, FileTime.from(Instant.now().plusSeconds(60)));
        assertThat(run(Map.of(), "run").out()).as("of another Java").doesNotContain(option);
        Path shared = Files.createFile(home.resolve("app/target/spillway-24000002.archive"));
        Files.setLastModifiedTime(shared, FileTime.from(Instant.now().plusSeconds(60)));
        assertThat(run(Map.of(), "run").out()).contains("-XX:SharedArchiveFile=" + shared.toRealPath());
    }

    @Test
    void an_archive_is_made_by_a_run_that_has_no_settings_of_the_user() throws Exception {
        Path archive = home.resolve("app/target/spillway-25000001.archive");
        javaWriting("25.0.1");

        Run run = run(Map.of("SPILLWAY_ARCHIVE", "make", "SPILLWAY_KAFKA_BOOTSTRAPSERVERS", "kafka:9092",
                "OTEL_TRACES_EXPORTER", "otlp"), "run");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEmpty();
        assertThat(Files.readAllLines(archive)).contains("-cp", jar(), "io.spillway.cli.Training", "data")
                .as("a JVM without room for the heap of linked classes starts too").contains("-XX:-AOTClassLinking")
                .filteredOn(line -> line.matches("(SPILLWAY|OTEL)_.*")).containsExactlyInAnyOrder(
                        "SPILLWAY_GATEWAY_PORT=0", "SPILLWAY_METRICS_PORT=0", "SPILLWAY_KAFKA_EMBEDDEDPORT=0");
        try (Stream<Path> left = Files.list(home.resolve("app/target"))) {
            assertThat(left).containsExactlyInAnyOrder(archive, home.resolve("app/target/spillway.jar"));
        }
    }

    @Test
    void a_training_run_without_an_archive_is_an_error_of_make_and_none_of_a_start() throws Exception {
        Run run = run(Map.of("SPILLWAY_ARCHIVE", "make"));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("spillway: No archive was created. See "
                + home.toRealPath().resolve("app/target/.training/log") + ".\n");
        assertThat(run(Map.of(), "run").out()).endsWith("-jar", jar(), "run").noneMatch(line -> line.contains("AOT"));
    }

    /** A Java that writes its arguments and settings to the archive that it should create, or prints them. */
    private void javaWriting(String version) throws IOException {
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"" + version + "\"\n");
        Files.writeString(home.resolve("jdk/bin/java"), """
                #!/bin/sh
                case $1 in
                  -XX:AOTCacheOutput=*) exec >"${1#*=}" ;;
                esac
                printf '%s\\n' "$@"
                env | grep -E '^(SPILLWAY|OTEL)_' || true
                """);
    }

    @Test
    void a_changed_source_of_any_module_causes_a_build() throws Exception {
        FileTime old = FileTime.from(Instant.EPOCH);
        Path maven = Files.createDirectories(home.resolve("maven/bin")).resolve("mvn");
        // The modules after the application are not built with it.
        Files.writeString(maven, """
                #!/bin/sh
                case "$*" in *" -pl app -am package") touch app/target/spillway.jar ;; *) exit 1 ;; esac
                """);
        executable(maven);
        List<Path> sources = new ArrayList<>(List.of(Files.createFile(home.resolve("pom.xml"))));
        for (String module : modules()) {
            sources.add(Files.createFile(Files.createDirectories(home.resolve(module)).resolve("pom.xml")));
            Path folder = home.resolve(module.equals("schemas") ? module : module + "/src/main/java");
            sources.add(Files.createFile(Files.createDirectories(folder).resolve("A.java")));
        }
        for (Path source : sources) {
            Files.setLastModifiedTime(source, old);
        }
        Map<String, String> environment = Map.of("PATH", maven.getParent() + ":" + System.getenv("PATH"));
        assertThat(run(environment, "run").err()).as("no build without a change").isEmpty();

        for (Path source : sources) {
            Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(60)));
            Run run = run(environment, "run");
            Files.setLastModifiedTime(source, old);

            assertThat(run.err()).as("%s", source)
                    .isEqualTo("spillway: Building Spillway. This takes about a minute…\n");
            assertThat(run.out()).endsWith("-jar", jar(), "run");
        }
    }

    /** Returns the modules that the application is built from. Those after it are for users, and depend on it. */
    private static List<String> modules() throws IOException {
        String pom = Files.readString(Path.of("../pom.xml"));
        List<String> all = Pattern.compile("<module>(.+)</module>").matcher(pom.substring(0, pom.indexOf("</modules>")))
                .results().map(found -> found.group(1)).toList();
        return all.subList(0, all.indexOf("app") + 1);
    }

    private Run run(Map<String, String> environment, String... arguments) throws Exception {
        Path out = home.resolve("out");
        Path err = home.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(home.resolve("spillway").toString())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.command().addAll(List.of(arguments));
        builder.environment().keySet().removeIf(name -> name.startsWith("SPILLWAY_"));
        builder.environment().put("SPILLWAY_JAVA_HOME", home.resolve("jdk").toString());
        builder.environment().putAll(environment);
        int exitCode = builder.start().waitFor();
        return new Run(exitCode, Files.readAllLines(out), Files.readString(err));
    }

    private String jar() throws IOException {
        return home.toRealPath().resolve("app/target/spillway.jar").toString();
    }

    private static void executable(Path file) {
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
