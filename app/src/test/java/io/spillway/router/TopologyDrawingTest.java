package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TopologyDrawingTest {
    private static final Path DOCS = Path.of("..", "topology-docs");
    /** Enables every optional stage, because the documents show the whole topology. */
    private static final Map<String, String> EVERYTHING = Map.of("shards.overlap", "1");
    private static final String HOW_TO_FIX =
            "regenerate it with: SPILLWAY_SHARDS_OVERLAP=1 ./spillway topology --write topology-docs";

    private final TopologyDrawing drawing = drawing(Map.of());
    private final TopologyDrawing whole = drawing(EVERYTHING);

    @Test
    void the_described_topology_in_the_documents_is_the_one_that_runs() throws IOException {
        assertThat(whole.text()).as(HOW_TO_FIX).isEqualTo(Files.readString(DOCS.resolve("topology.txt")));
    }

    @Test
    void the_drawing_in_the_documents_is_the_one_that_runs() throws IOException {
        assertThat(whole.mermaid()).as(HOW_TO_FIX).isEqualTo(Files.readString(DOCS.resolve("topology.mmd")));
    }

    @Test
    void every_node_has_an_explicit_name() {
        assertThat(drawing.text()).doesNotContain("KSTREAM", "0000000");
    }

    @Test
    void every_stage_is_named_with_its_store_and_changelog() {
        assertThat(whole.text()).contains(
                "   Sub-topology 0: route stage\n",
                "   Sub-topology 1: delay stage\n      store timers (changelog: spillway.router-timers-changelog)\n",
                "   Sub-topology 2: ledger fold\n      store books (changelog: spillway.router-books-changelog)\n",
                "   Sub-topology 3: schedule stage\n      store schedules"
                        + " (changelog: spillway.router-schedules-changelog)\n",
                "   Sub-topology 4: shard stage\n      store shards (changelog: spillway.router-shards-changelog)\n");
        assertThat(whole.mermaid())
                .contains(
                        "subgraph stage-0[route stage]",
                        "subgraph stage-1[delay stage]",
                        "subgraph stage-2[ledger fold]",
                        "subgraph stage-3[schedule stage]",
                        "subgraph stage-4[shard stage]",
                        "store-timers[(timers)] <-->"
                                + " topic-spillway.router-timers-changelog[(spillway.router-timers-changelog)]");
    }

    @Test
    void every_declared_topic_is_in_the_text_and_in_the_drawing() {
        for (Map<String, String> settings : List.of(Map.<String, String>of(), EVERYTHING)) {
            TopologyDrawing drawn = drawing(settings);
            for (TopicSpec topic : new Topics(configuration(settings).queue()).all()) {
                if (!topic.name().equals("spillway.shards") || settings.equals(EVERYTHING)) {
                    assertThat(drawn.text()).contains(topic.name());
                    assertThat(drawn.mermaid()).contains("topic-" + topic.name() + "[(" + topic.name() + ")]");
                }
            }
        }
    }

    @Test
    void the_clients_outside_kafka_streams_are_drawn_with_what_they_read_and_write() {
        assertThat(drawing.mermaid()).contains(
                "    client-gateway([gateway]) --> topic-spillway.ingress[(spillway.ingress)]",
                "    topic-spillway.hot[(spillway.hot)] --> client-worker([worker])",
                "    client-worker([worker]) --> topic-spillway.delay[(spillway.delay)]",
                "    topic-spillway.policies[(spillway.policies)] -.-> client-router([router])");
        assertThat(drawing.text()).contains("""
               Client: gateway
                  follows: spillway.policies, spillway.sweeps, spillway.keys, spillway.depths, \
            spillway.actions, spillway.demand
                  writes: spillway.ingress, spillway.demand
            """);
    }

    @Test
    void the_stage_that_assigns_shards_is_drawn_where_it_is_configured_and_changes_nothing_else() {
        TopologyDrawing assigning = whole;

        assertThat(assigning.mermaid().lines()).containsAll(drawing.mermaid().lines().toList()).contains(
                "    node-route[route] --> node-shard-request[shard-request]",
                "    topic-spillway.shard-requests[(spillway.shard-requests)] --> node-shard-asked[shard-asked]",
                "    node-shard[shard] --> node-shards[shards]",
                "    node-shards[shards] --> topic-spillway.shards[(spillway.shards)]");
        assertThat(assigning.text()).contains("shard-request").doesNotContain("KSTREAM", "0000000");
        assertThat(drawing.text()).doesNotContain("shard");
    }

    private static TopologyDrawing drawing(Map<String, String> settings) {
        return new TopologyDrawing(configuration(settings));
    }

    private static Configuration configuration(Map<String, String> settings) {
        return ConfigurationLoader.load(Optional.empty(), Map.of(), settings);
    }
}
