package io.spillway.cli.system;

import io.spillway.cli.options.ConfigurationOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.router.TopologyDrawing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway topology}: describes the topology that results from the configuration. */
@Command(name = "topology", footer = "  spillway topology --write topology", description = {
    "Describes the topology: the stages of the router as Kafka Streams prints them, their changelogs, and "
            + "the other clients.",
    "Then it prints the same as a Mermaid diagram. The shard stage is included if shards.overlap is set. "
            + "Needs no Kafka."
})
public final class TopologyCommand implements Runnable {
    static final String TEXT_FILE = "topology.txt";
    static final String DRAWING_FILE = "topology.mmd";

    @Mixin
    private ConfigurationOptions common;

    @Option(names = "--write", paramLabel = "DIR",
            description = "Write " + TEXT_FILE + " and " + DRAWING_FILE + " to this directory instead.")
    private Path directory;

    @Override
    public void run() {
        TopologyDrawing drawing = new TopologyDrawing(common.configuration());
        if (directory != null) {
            write(drawing);
        } else {
            common.printer().result(() -> Map.of("text", drawing.text(), "mermaid", drawing.mermaid()), printer -> {
                printer.line(drawing.text());
                printer.line(drawing.mermaid());
            });
        }
    }

    private void write(TopologyDrawing drawing) {
        try {
            Files.createDirectories(directory);
            Path text = Files.writeString(directory.resolve(TEXT_FILE), drawing.text());
            Path mermaid = Files.writeString(directory.resolve(DRAWING_FILE), drawing.mermaid());
            common.printer().result(Map.of("written", List.of(text.toString(), mermaid.toString())),
                    "Wrote " + text + " and " + mermaid + ".");
        } catch (IOException e) {
            throw CommandFailure.failed("--write " + directory + ": cannot be written (" + e + "). Choose another "
                    + "directory.");
        }
    }
}
