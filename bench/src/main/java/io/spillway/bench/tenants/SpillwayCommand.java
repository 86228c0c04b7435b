package io.spillway.bench.tenants;

import io.spillway.bench.support.Scene;
import io.spillway.cli.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One command of Spillway in a JVM of its own, as a user runs it. */
final class SpillwayCommand {
    private static final long LIMIT_SECONDS = 1_800;
    private static final long LOOK_MILLIS = 100;

    private SpillwayCommand() {}

    /**
     * Runs it.
     *
     * @param heap the limit of its heap, such as {@code 1g}
     * @param directory where it runs and its output goes
     * @throws IllegalStateException if it fails, with the end of what it said
     */
    static Step run(Scene scene, String heap, Path directory, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"), "-Xmx" + heap, "-cp",
                System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(arguments);
        command.addAll(List.of("--bootstrap-servers", scene.bootstrapServers(), "--prefix", scene.prefix()));
        Path out = directory.resolve("out");
        Path errors = directory.resolve("errors");
        long nanos = System.nanoTime();
        try {
            Process process = new ProcessBuilder(command).directory(directory.toFile())
                    .redirectOutput(Redirect.to(out.toFile())).redirectError(Redirect.to(errors.toFile())).start();
            double cpuSeconds = 0;
            while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                cpuSeconds = process.info().totalCpuDuration().map(each -> each.toMillis() / 1e3).orElse(cpuSeconds);
                if (System.nanoTime() - nanos > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                    process.destroyForcibly();
                }
            }
            String name = "`" + String.join(" ", arguments) + "`, -Xmx" + heap;
            if (process.exitValue() != 0) {
                List<String> said = Files.readAllLines(errors);
                System.out.println(name + " ended with " + process.exitValue() + ": "
                        + said.subList(Math.max(0, said.size() - 3), said.size()));
                name += ", FAILED";
            }
            return new Step(name + " (answer)", (System.nanoTime() - nanos) / 1e9, cpuSeconds, Files.size(out));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
