package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.topic.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TopologyDrawingTest {
    private static final Path DOCS = Path.of("..", "topology-docs");
    private static final String MEND = "write it anew with: ./spillway topology --write topology-docs";

    private final TopologyDrawing drawing =
            new TopologyDrawing(new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of())));

    @Test
    void the_described_topology_in_the_documents_is_the_one_that_runs() throws IOException {
        assertThat(drawing.text()).as(MEND).isEqualTo(Files.readString(DOCS.resolve("topology.txt")));
    }

    @Test
    void the_drawing_in_the_documents_is_the_one_that_runs() throws IOException {
        assertThat(drawing.mermaid()).as(MEND).isEqualTo(Files.readString(DOCS.resolve("topology.mmd")));
    }

    @Test
    void every_node_has_a_name_of_its_own() {
        assertThat(drawing.text()).doesNotContain("KSTREAM", "0000000");
    }
}
