package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class DemoIT {
    @Test
    void the_shortest_demo_shows_every_lane_and_loses_nothing() {
        CommandRun run = CommandRun.of("demo", "--seconds", "3", "--output", "json").done();
        JsonNode sent = run.json().get("sent");
        JsonNode lanes = run.json().get("lanes");

        assertThat(run.err()).isEmpty();
        for (String quiet : new String[] {"quiet-1", "quiet-2", "quiet-3"}) {
            assertThat(lanes.at("/" + quiet + "/hot").longValue()).isEqualTo(sent.get(quiet).longValue());
        }
        assertThat(lanes.at("/noisy/hot").longValue() + lanes.at("/noisy/overflow").longValue())
                .isEqualTo(sent.get("noisy").longValue());
        assertThat(lanes.at("/noisy/overflow").longValue()).isPositive();
        assertThat(lanes.at("/old/aged").longValue()).isEqualTo(sent.get("old").longValue());
        assertThat(lanes.at("/broken/dead-letter").longValue()).isEqualTo(sent.get("broken").longValue());
        assertThat(lanes.has("swept")).as("dropped by its sweep").isFalse();
        assertThat(sent.get("swept").longValue()).isPositive();
    }
}
