package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonDialectTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "topology --config no-such.yml --output json", "topology --config no-such.yml --output=JSON",
        "topology --nonsense --output json", "--output json fly", "send --count 0 --output json"
    })
    void an_error_is_json_too(String commandLine) throws Exception {
        CommandRun run = CommandRun.of(commandLine.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        JsonNode error = new JsonMapper().readTree(run.err());
        assertThat(run.err().lines()).hasSize(1);
        assertThat(error.get("detail").textValue()).isNotBlank().doesNotStartWith("spillway");
        assertThat(error.get("exitCode").intValue()).isEqualTo(2);
    }

    @Test
    void an_error_without_json_is_a_line_of_text() {
        assertThat(CommandRun.of("topology", "--config", "no-such.yml").failedWith(2)).contains("no-such.yml");
        assertThat(CommandRun.of("topology", "--config", "json", "--output", "text").failedWith(2)).contains("json");
    }

    @Test
    void null_stands_for_none() {
        JsonNode shards =
                CommandRun.of("shards", "--slots", "8", "--per-tenant", "2", "--output", "json").done().json();

        assertThat(List.of("maxOverlap", "assignment"))
                .allSatisfy(key -> assertThat(shards.hasNonNull(key)).as(key).isFalse())
                .allSatisfy(key -> assertThat(shards.has(key)).as(key).isTrue());
    }
}
