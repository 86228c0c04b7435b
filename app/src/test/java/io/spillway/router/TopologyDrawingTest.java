package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TopologyDrawingTest {
    private static final Path DOCS = Path.of("..", "topology-docs");
    private static final String MEND = "write it anew with: ./spillway topology --write topology-docs";

    private final TopologyDrawing drawing = drawing(Map.of());

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

    @Test
    void the_stage_that_assigns_shards_is_drawn_where_it_is_configured_and_changes_nothing_else() {
        TopologyDrawing assigning = drawing(Map.of("shards.overlap", "1"));

        assertThat(assigning.mermaid().lines()).containsAll(drawing.mermaid().lines().toList()).contains(
                "    node-route[route] --> node-shard-request[shard-request]",
                "    topic-spillway.shard-requests[(spillway.shard-requests)] --> node-shard-asked[shard-asked]",
                "    node-shard[shard] --> node-shards[shards]",
                "    node-shards[shards] --> topic-spillway.shards[(spillway.shards)]");
        assertThat(assigning.text()).contains("shard-request").doesNotContain("KSTREAM", "0000000");
        assertThat(drawing.text()).doesNotContain("shard");
    }

    private static TopologyDrawing drawing(Map<String, String> settings) {
        return new TopologyDrawing(ConfigurationLoader.load(Optional.empty(), Map.of(), settings));
    }
}
