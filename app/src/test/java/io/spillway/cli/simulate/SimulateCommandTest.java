package io.spillway.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.CommandRun;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.sim.scenario.RecordedTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SimulateCommandTest {
    private static final String SMALL = """
        name: small
        duration: 1m
        workers: {count: 2, slots: 5}
        handler:
          latency: {type: exponential, mean: 20ms}
        phases:
          - {name: end, from: 30s, to: 1m}
        tenants:
          - name: quiet
            count: 5
            arrivals: {type: poisson, rate: 2}
          - name: noisy
            arrivals: {type: burst, size: 2000, at: 10s}
            policy: {rate: 10}
        """;

    @TempDir
    private Path folder;

    static List<String> shipped() {
        return ScenarioLoader.SHIPPED;
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void every_shipped_scenario_is_valid_and_has_a_description(String name) {
        assertThat(ScenarioLoader.load(name).name()).isEqualTo(name);
        assertThat(ScenarioLoader.load(name).description()).isNotEmpty();
        assertThat(CommandRun.of("simulate", "--help").out()).contains(name);
    }

    @Test
    void a_scenario_has_the_partitions_of_a_queue_by_default_and_the_tests_of_the_simulator_too() throws IOException {
        assertThat(ScenarioLoader.load(scenario(SMALL)).cluster().partitions()).isEqualTo(24)
                .isEqualTo(Integer.parseInt(TopicSettings.DEFAULT_PARTITIONS));
    }

    @Test
    void the_table_has_groups_phases_and_the_tenants_that_waited_longest() throws IOException {
        CommandRun run = CommandRun.of("simulate", scenario(SMALL)).done();

        assertThat(run.out())
                .startsWith("small through Spillway, seed 0\n")
                .containsPattern("quiet +x 5")
                .containsPattern("end +quiet")
                .containsPattern("noisy +2,000 +2,000 +0 +0 +0")
                .contains("Tenants whose items waited longest:", "Jain's index");
    }

    @Test
    void the_advice_is_the_smallest_fleet_for_a_target() throws IOException {
        String file = scenario(SMALL);
        assertThat(CommandRun.of("simulate", file, "--advise", "1m").done().out())
                .startsWith("Smallest fleet for 1m: 1 worker of ").contains("24 partitions, p99 ");
        CommandRun none = CommandRun.of("simulate", file, "--advise", "1ms");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err()).contains("spillway: No fleet meets 1ms.");
        assertThat(CommandRun.of("simulate", file, "--advise", "soon").failedWith(2)).contains("--advise soon: ");
        assertThat(CommandRun.of("simulate", file, "--advise", "1m", "--group", "x").failedWith(2))
                .contains("the scenario has no group x");
        assertThat(CommandRun.of("simulate", file, "--group", "quiet").failedWith(2)).contains("--group: ");
        assertThat(CommandRun.of("simulate", file, "--fifo", "--advise", "1m").failedWith(2)).contains("--fifo");
    }

    @Test
    void the_same_seed_gives_the_same_json_byte_for_byte_and_another_seed_does_not() throws IOException {
        String file = scenario(SMALL);
        CommandRun first = CommandRun.of("simulate", file, "--seed", "7", "--output", "json").done();

        assertThat(CommandRun.of("simulate", file, "--seed", "7", "--output", "json")
                        .done()
                        .out())
                .isEqualTo(first.out());
        assertThat(CommandRun.of("simulate", file, "--seed", "8", "--output", "json")
                        .done()
                        .out())
                .isNotEqualTo(first.out());
        assertThat(first.err()).isEmpty();
        JsonNode json = first.json();
        assertThat(json.at("/groups/1/done").intValue()).isEqualTo(2_000);
        assertThat(json.at("/samples/depths/overflow").size())
                .isEqualTo(json.at("/samples/atMillis").size())
                .isPositive();
        assertThat(json.at("/jain").doubleValue()).isBetween(0.0, 1.0);
    }

    @Test
    void fifo_has_one_queue() throws IOException {
        JsonNode json = CommandRun.of("simulate", scenario(SMALL), "--fifo", "--output", "json").done().json();

        assertThat(json.get("queue").textValue()).isEqualTo("fifo");
        assertThat(json.at("/peakDepths/overflow").intValue()).isZero();
        assertThat(json.at("/samples/depths").has("queue")).isTrue();
    }

    @Test
    void charts_are_drawn_as_png_and_as_svg() throws IOException {
        Path png = folder.resolve("chart.png");
        Path svg = folder.resolve("chart.svg");

        CommandRun.of("simulate", scenario(SMALL), "--chart", png.toString(), "--chart", svg.toString()).done();

        assertThat(ImageIO.read(png.toFile()).getWidth()).isEqualTo(1_000);
        assertThat(Files.readString(svg).startsWith("<?xml")).isTrue();
        assertThat(Files.readString(svg).contains("<path")).as("words and lines are shapes").isTrue();
    }

    @Test
    void recorded_traffic_is_read_from_csv() throws IOException {
        Files.writeString(
                folder.resolve("rows.csv"), "atMillis,tenant,handlingMillis\n0,a,10\n1500,b,20.5\n2000,a,30\n");
        Files.writeString(
                folder.resolve("counts.csv"), "HashApp,HashOwner,minute_1,minute_2\nx,o1,5,7\ny,o2,0,1\nz,o1,1,0\n");
        Files.writeString(
                folder.resolve("times.csv"),
                "HashOwner,percentile_Average_0,percentile_Average_50,percentile_Average_100\no1,1,1,1\n");

        JsonNode rows = CommandRun.of(
                        "simulate",
                        scenario("duration: 1m\ntenants: [{name: r, arrivals: {type: trace, file: rows.csv}}]\n"),
                        "--output", "json")
                .done()
                .json();
        JsonNode counts = CommandRun.of(
                        "simulate",
                        scenario("duration: 2m\n"
                                + "tenants: [{name: c, arrivals: {type: trace, file: counts.csv, durations:"
                                + " times.csv}}]\n"),
                        "--output", "json")
                .done()
                .json();

        assertThat(rows.at("/groups/0/done").intValue()).isEqualTo(3);
        assertThat(rows.at("/slotUse").doubleValue()
                        * 50
                        * rows.at("/endMillis").longValue())
                .isCloseTo(60.5, within(0.01));
        assertThat(counts.at("/groups/0/done").intValue()).isEqualTo(14);
        assertThat(counts.at("/groups/0/tenants").intValue()).isEqualTo(2);
    }

    @Test
    void recorded_traffic_may_have_quotes_a_byte_order_mark_and_windows_line_ends() throws IOException {
        Files.writeString(
                folder.resolve("rows.csv"),
                "\ufeffatMillis,\"tenant\",note\r\n0,\"a\",\"one, two\"\r\n1500,b,\"say \"\"x\"\"\"\r\n");

        JsonNode rows = CommandRun.of(
                        "simulate",
                        scenario("duration: 1m\ntenants: [{name: r, arrivals: {type: trace, file: rows.csv}}]\n"),
                        "--output", "json")
                .done()
                .json();

        assertThat(rows.at("/groups/0/done").intValue()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        duration: 1m                         | duration: 1x                       | "duration = 1x: must be a duration"
        duration: 1m                         | duration: 40d                      | "duration = 40d: must be a duration"
        duration: 1m                         | drain: 1m                          | "duration = (absent): must be set"
        slots: 5                             | slots: 0                           | "workers.slots = 0: must be a whole number from 1 to 100000"
        slots: 5                             | slotz: 5                           | "workers.slotz = 5: unknown key; known here: slots"
        count: 2                             | count: 1001                        | "workers.count = 1001: must be a whole number from 1 to 1000"
        count: 2                             | count: 010                         | "workers.count = 010: must be a whole number from 1 to 1000 (without leading zeros)"
        "name: small"                        | "nome: small"                      | "nome = small: unknown key; known here: name"
        "{type: poisson, rate: 2}"           | "{type: bogus, rate: 2}"           | "tenants[0].arrivals.type = bogus: must be one of constant, poisson, burst, trace"
        "{type: poisson, rate: 2}"           | "{type: poisson}"                  | "tenants[0].arrivals.rate = (absent): must be set"
        "{type: poisson, rate: 2}"           | "{type: poisson, rate: -1}"        | "tenants[0].arrivals.rate = -1: must be a number from"
        "{type: poisson, rate: 2}"           | "{type: trace, file: none.csv}"    | "none.csv: no such file"
        "latency: {type: exponential, mean: 20ms}" | "failureRate: 0.5"            | "handler.latency.type = (absent): must be set"
        "{type: exponential, mean: 20ms}"    | "{type: exponential, mean: long}"  | "handler.latency.mean = long: must be a duration"
        "{type: exponential, mean: 20ms}"    | "{type: uniform, min: 2s, max: 1s}" | "max = 1000.0: must be min or more"
        "policy: {rate: 10}"                 | "policy: {rate: fast}"             | "tenants[1].policy.rate = fast: must be 0.001 to 10000000, or none"
        "policy: {rate: 10}"                 | "policy: {speed: 10}"              | "tenants[1].policy.speed = 10: unknown key"
        "name: noisy"                        | "name: quiet"                      | "two groups are called quiet"
        "name: noisy"                        | "name: a b"                        | "tenants[1].name = a b: must be 1 to 128 printable"
        "from: 30s"                          | "from: 2m"                         | "phases[0]: from 120000 ms to 60000 ms: must end after it begins"
        "tenants:"                           | "tenants: 5\\nx:"                  | "tenants = 5: must be a list of maps"
        "name: small"                        | "name: [small"                     | "must be one YAML document"
        """)
    void a_bad_scenario_is_wrong_usage_that_names_the_key_the_value_and_the_allowed_values(
            String good, String bad, String named) throws IOException {
        String file = scenario(SMALL.replaceFirst(Pattern.quote(good),
                Matcher.quoteReplacement(bad.translateEscapes())));

        CommandRun run = CommandRun.of("simulate", file);

        assertThat(run.failedWith(2)).contains("scenario.yml: ").contains(named.translateEscapes());
        assertThat(run.out()).isEmpty();
    }

    @Test
    void a_missing_file_or_an_unknown_chart_format_is_wrong_usage() {
        assertThat(CommandRun.of("simulate", "nowhere.yml").failedWith(2))
                .contains("nowhere.yml: must be a scenario file, or one of noisy-neighbour, outage-one-hour");
        assertThat(CommandRun.of("simulate", "retry-storm", "--chart", "x.gif").failedWith(2))
                .contains("x.gif", ".png or .svg");
        assertThat(CommandRun.of("simulate", "retry-storm", "--seed", "x").failedWith(2)).contains("'--seed'");
        assertThat(CommandRun.of("simulate").failedWith(2)).contains("FILE");
    }

    @Test
    void an_attempt_of_a_recording_may_have_taken_a_day() throws IOException {
        Files.writeString(folder.resolve("day.csv"), "atMillis,tenant,handlingMillis\n0,acme,86400000\n");
        assertThat(new TraceLoader(folder).load("day.csv", "")).isInstanceOfSatisfying(RecordedTrace.Rows.class,
                rows -> assertThat((double) rows.handlingMicros()[0]).isEqualTo(86_400_000_000.0));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        "atMillis,tenant\\n5,a\\n4,a\\n"  | "line 3: atMillis = 4: must not be before"
        "atMillis,tenant\\n5,a,9\\n"      | "line 2: 3 columns, must be 2"
        "atMillis,tenant\\nx,a\\n"        | "line 2: atMillis = x: must be a number"
        "atMillis,tenant,handlingMillis\\n5,a,86400001\\n" | "must be a number from 0 to 86400000"
        "atMillis,tenant\\n5,a b\\n"      | "line 2: tenant = a b: must be 1 to 128"
        "owner,minute_1\\na,5\\n"         | "the header must have a column tenant or HashOwner"
        "tenant,number\\na,5\\n"          | "the header must have atMillis and tenant, or"
        ""                                | "must have a header line"
        """)
    void a_bad_trace_is_wrong_usage_that_names_line_and_column(String csv, String named) throws IOException {
        Files.writeString(folder.resolve("trace.csv"), csv.translateEscapes());

        CommandRun run = CommandRun.of("simulate", scenario(
                "duration: 1m\ntenants: [{name: t, arrivals: {type: trace, file: trace.csv}}]\n"));

        assertThat(run.failedWith(2)).contains("trace.csv").contains(named);
    }

    private String scenario(String text) throws IOException {
        return Files.writeString(folder.resolve("scenario.yml"), text).toString();
    }
}
