package io.spillway.campaign;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Another release of Kafka, whose brokers run as its own main classes, which are the same from 4.0 to 4.4.
 *
 * @param jars directory of its jars
 */
record ReleasedKafka(Path jars) {
    /** Returns the one that is asked for. */
    static Optional<ReleasedKafka> asked() {
        return Optional.ofNullable(System.getProperty("spillway.campaign.brokers"))
                .filter(text -> !text.isEmpty()).map(Path::of).map(ReleasedKafka::new);
    }

    /** Formats the directory of a broker, as operators do it. */
    void format(Path settings, String cluster, String voters, Path log) throws IOException {
        Process format = new ProcessBuilder(java("kafka.tools.StorageTool", "format",
                "-c", settings.toString(), "-t", cluster, "--initial-controllers", voters))
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (format.onExit().join().exitValue() != 0) {
            throw new IllegalStateException("cannot format: " + Files.readString(log));
        }
    }

    /** Returns the command that runs a broker. */
    List<String> broker(Path settings) {
        return java("kafka.Kafka", settings.toString());
    }

    private List<String> java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(), "-Xmx384m", "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "-cp", jars + "/*"));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Returns whether a broker accepts connections. Its process does not tell. */
    static boolean isOpen(String host, int port) {
        try (Socket socket = new Socket(host, port)) {
            return socket.isConnected();
        } catch (IOException closed) {
            return false;
        }
    }
}
