package io.spillway.guarantee;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Command lines of the JVMs that tests start. When the jar is built, they share an archive of its loaded and verified
 * classes (class data sharing), which saves more than a third of the CPU time of a start. The first test of a build
 * that starts a JVM creates the archive, next to the jar.
 */
public final class ChildJvm {
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final List<String> FLAGS = List.of(
            "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+IgnoreUnrecognizedVMOptions",
            "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED");

    private ChildJvm() {}

    /** The archive of this JVM's class path, created at the first use. */
    private static final class Archive {
        static final List<String> OPTIONS = options();

        private static List<String> options() {
            return Stream.of(CLASS_PATH.split(":"))
                    .map(Path::of)
                    .filter(entry -> entry.endsWith("spillway.jar"))
                    .findFirst()
                    .map(Archive::of)
                    .orElse(List.of());
        }

        private static List<String> of(Path jar) {
            Path archive = jar.resolveSibling("spillway-" + Runtime.version().feature() + ".jsa");
            Path lock = jar.resolveSibling("spillway.jsa.lock");
            // Other JVMs of the build that want the archive wait until it is there.
            try (FileChannel channel =
                    FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                channel.lock(); // until it is closed
                if (!isNewer(archive, jar) && !create(archive, jar)) {
                    return List.of();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            // An archive that does not fit the JVM is ignored, which the JVM would print on standard output.
            return List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:disable", "-cp", jar + ":" + CLASS_PATH);
        }

        private static boolean isNewer(Path archive, Path jar) throws IOException {
            return Files.exists(archive)
                    && Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) > 0;
        }

        /**
         * Starts a whole system and stops it: the classes that it loaded are written at its end. Returns whether they
         * were; without them the tests only take longer.
         */
        private static boolean create(Path archive, Path jar) throws IOException, InterruptedException {
            Path directory = Files.createTempDirectory("spillway-archive");
            Path written = archive.resolveSibling(archive.getFileName() + ".new");
            List<String> command = new ArrayList<>(List.of(JAVA));
            command.addAll(FLAGS);
            command.addAll(List.of("-XX:ArchiveClassesAtExit=" + written, "-Xlog:disable", "-cp", jar.toString(),
                    "io.spillway.cli.Main", "run", "--data", directory.resolve("data").toString()));
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(directory.resolve("log").toFile());
            builder.environment().putAll(Map.of("SPILLWAY_METRICS_PORT", "0", "SPILLWAY_GATEWAY_PORT", "0",
                    "SPILLWAY_KAFKA_EMBEDDEDPORT", "0"));
            Process process = builder.start();
            String ready = process.inputReader().readLine();
            process.toHandle().destroy();
            if (ready == null || !process.waitFor(120, TimeUnit.SECONDS) || !Files.exists(written)) {
                process.destroyForcibly().waitFor();
                System.err.println("No class archive: see " + directory.resolve("log"));
                return false;
            }
            Files.move(written, archive, StandardCopyOption.REPLACE_EXISTING);
            delete(directory);
            return true;
        }

        private static void delete(Path directory) throws IOException {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Returns the command up to and without the main class, for a JVM with the class path of this one. */
    public static List<String> command() {
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(FLAGS);
        command.addAll(Archive.OPTIONS.isEmpty() ? List.of("-cp", CLASS_PATH) : Archive.OPTIONS);
        return command;
    }

    /** Returns a value of {@code SPILLWAY_JAVA_OPTS} for the launcher, with the same archive. */
    public static String launcherOptions() {
        // The launcher splits its options at blanks, which the path of the archive may contain.
        Stream<String> archive = Archive.OPTIONS.stream().limit(2).filter(option -> !option.contains(" "));
        return String.join(" ", Stream.concat(FLAGS.stream().limit(3), archive).toList());
    }
}
