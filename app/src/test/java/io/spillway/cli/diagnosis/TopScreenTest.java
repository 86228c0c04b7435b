package io.spillway.cli.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.operator.report.QueueReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopScreenTest {
    private static final String TITLE = "spillway orders at kafka-1:9092";

    private static SystemState flood() {
        return new States()
                .tenant("noisy", Map.of(ItemState.HOT, 40L, ItemState.OVERFLOW, 12_000L, ItemState.AGED, 8L,
                        ItemState.DELAY, 200L, ItemState.DEAD_LETTER, 3L), 500, 100)
                .tenant("quiet", 20, 0, 1, 2).ttl("quiet", "5s")
                .readings(new QueueReader.Readings(
                        1_500, 0, Map.of("hot", 4_200L, "ingress", 65_000L),
                        States.instances(2, 3, 1, 32, 102.5 / 3)))
                .state();
    }

    @Test
    void a_wide_screen_shows_all() {
        assertThat(new TopScreen(120, 40, false).lines(TITLE, flood(), "")).containsExactly(
                "spillway orders at kafka-1:9092  2025-11-23T12:13:20Z",
                "12,268 waiting   in 501.0/s   out 102.0/s   never drained at these rates",
                "1 of 2 tenants late   2 tenants with a backlog   3 dead letters",
                "2 routers   3 workers (96 slots, 102.5 attempts/s)   1 gateway",
                "",
                "lane      waiting  oldest  in/s  out/s  drained in",
                "ingress     1,500   1m 5s",
                "hot            60    4.2s   0.0    0.0       never",
                "overflow   12,000           0.0    0.0       never",
                "aged            8           0.0    0.0       never",
                "delay         200           0.0    0.0",
                "",
                "tenant  waiting  hot  overflow  aged  delay   in/s  out/s  drained in  dead",
                "quiet        20   20         0     0      0    1.0    2.0       20.0s     0  late",
                "noisy    12,248   40    12,000     8    200  500.0  100.0       never     3");
    }

    @Test
    void items_that_wait_for_their_time_have_no_forecast() {
        SystemState state = new States().tenant("later", 0, 7, 1.0, 0).ttl("later", "1m").state();
        assertThat(new TopScreen(120, 40, false).lines(TITLE, state, ""))
                .contains("7 waiting   in 1.0/s   out 0.0/s", "0 of 1 tenant late   1 tenant with a backlog   0 dead letters")
                .noneMatch(line -> line.contains("never") || line.endsWith("late"));
    }

    @Test
    void the_whole_queue_is_not_drained_before_each_lane() {
        States states = new States().tenant("a", 0, 0, 0, 10);
        states.flows.sample(States.NOW_MILLIS - 2_000);
        states.tenant("a", 100, 0, 0, 10);
        states.flows.sample(States.NOW_MILLIS - 1_000);
        SystemState state = states.state();
        assertThat(state.lane("hot").drainSeconds()).isNull();
        assertThat(state.total().drainSeconds()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 80, 60, 40, 20, 1})
    void no_line_is_wider_than_the_terminal(int columns) {
        assertThat(new TopScreen(columns, 40, false).lines(TITLE, flood(), ""))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "78 | tenant  waiting  hot  overflow  aged  delay   in/s  out/s  drained in",
        "60 | tenant  waiting  hot   in/s  out/s  drained in",
        "46 | tenant  waiting   in/s  drained in",
        "36 | tenant  waiting  drained in",
        "22 | tenant  waiting"
    })
    void a_narrow_screen_keeps_what_matters(int columns, String head) {
        assertThat(new TopScreen(columns, 40, false).lines(TITLE, flood(), ""))
                .filteredOn(line -> line.startsWith("tenant ")).containsExactly(head);
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 16, 15, 14, 13, 5, 1})
    void no_more_lines_than_the_terminal_has(int rows) {
        assertThat(new TopScreen(100, rows, false).lines(TITLE, flood(), "")).hasSizeLessThanOrEqualTo(rows);
    }

    @Test
    void tenants_that_do_not_fit_are_counted() {
        States states = new States();
        for (int i = 0; i < 30; i++) {
            states.tenant("t" + i, 10 + i, 0, 0, 1);
        }
        List<String> lines = new TopScreen(100, 20, false).lines(TITLE, states.state(), "");

        assertThat(lines).hasSize(20).last().isEqualTo("24 more tenants have a backlog.");
        assertThat(lines.get(13)).startsWith("t29 ");
    }

    @Test
    void trouble_has_a_colour_and_only_with_colours() {
        List<String> lines = new TopScreen(100, 40, true).lines(TITLE, flood(), "");

        assertThat(lines.getFirst()).startsWith("\u001b[1m").endsWith("\u001b[0m");
        assertThat(lines).filteredOn(line -> line.contains("late")).hasSize(2)
                .allSatisfy(line -> assertThat(line).startsWith("\u001b[31m").endsWith("\u001b[0m"));
        assertThat(new TopScreen(100, 40, false).lines(TITLE, flood(), "")).noneMatch(line -> line.contains("\u001b"));
    }

    @Test
    void a_queue_without_a_worker_is_red() {
        SystemState stopped = new States().readings(States.NONE).state();

        assertThat(new TopScreen(100, 40, true).lines(TITLE, stopped, ""))
                .anySatisfy(line -> assertThat(line).startsWith("\u001b[31m0 routers   0 workers"))
                .last().asString().contains("No tenant has a backlog or sends items.");
    }

    @Test
    void a_state_that_is_old_says_why_in_the_place_of_an_empty_line() {
        List<String> now = new TopScreen(100, 40, true).lines(TITLE, flood(), "");
        List<String> old = new TopScreen(100, 40, true).lines(TITLE, flood(), "Old state: no\nanswer");

        assertThat(old).hasSameSizeAs(now);
        assertThat(old.get(4)).isEqualTo("\u001b[31mOld state: no answer\u001b[0m");
    }

    @Test
    void a_name_cannot_control_the_terminal() {
        SystemState state = new States().tenant("a\u001b[2J", 1, 0, 0, 1).state();

        assertThat(new TopScreen(100, 40, false).lines(TITLE, state, "")).noneMatch(line -> line.contains("\u001b"));
    }
}
