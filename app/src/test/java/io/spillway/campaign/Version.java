package io.spillway.campaign;

import io.spillway.cli.CommandRun;
import io.spillway.guarantee.ChildJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A version of Spillway that can be started.
 *
 * @param name for reports
 * @param java command up to and without the main class
 */
record Version(String name, List<String> java) {
    /** Returns the version that is on the class path of this JVM. */
    static Version current() {
        return new Version("this version", ChildJvm.command());
    }

    /**
     * Returns the version of a runnable jar.
     *
     * @param handlers directory to which the handler of the drill is copied, because the class path of this JVM has
     *                 this version too
     */
    static Version of(Path jar, Path handlers) throws IOException {
        for (Class<?> type : List.of(UpgradeHandler.class, CampaignHandler.class)) {
            String file = type.getName().replace('.', '/') + ".class";
            Path copy = handlers.resolve(file);
            Files.createDirectories(copy.getParent());
            try (var in = type.getClassLoader().getResourceAsStream(file)) {
                Files.write(copy, in.readAllBytes());
            }
        }
        List<String> own = ChildJvm.command();
        List<String> command = new ArrayList<>(own.subList(0, own.indexOf("-cp")));
        // An archive of this version's classes does not fit.
        command.removeIf(option -> option.startsWith("-XX:SharedArchiveFile"));
        command.addAll(List.of("-cp", jar.toAbsolutePath() + ":" + handlers));
        return new Version("earlier version", List.copyOf(command));
    }

    /** Runs a command in a process of its own, and returns how it ended. */
    CommandRun command(Path directory, List<String> command) throws IOException, InterruptedException {
        Path out = Files.createTempFile(directory, "command", ".out");
        Path err = Files.createTempFile(directory, "command", ".err");
        int exitCode = new ProcessBuilder(
                Stream.of(java, List.of("io.spillway.cli.Main"), command).flatMap(List::stream).toList())
                .redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
        return new CommandRun(exitCode, Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8));
    }
}
