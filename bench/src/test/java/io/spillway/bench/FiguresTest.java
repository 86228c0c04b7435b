package io.spillway.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bench.comparison.PeerScenario;
import io.spillway.bench.comparison.PeerTable;
import io.spillway.bench.load.Contestant;
import io.spillway.bench.load.Goodput;
import io.spillway.bench.support.Median;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of the figures of rounds. */
public class FiguresTest {
    private static final String AGE = "p99, ms";
    private static final List<PeerScenario.Figure> FIGURES = List.of(new PeerScenario.Figure(AGE, "%.1f"));

    @ParameterizedTest
    @CsvSource({
        "'3', 3",
        "'4,2', 3",
        "'9,1,2', 2",
        "'1,9,3,2', 2.5",
        "'1,Infinity,2', 2",
        "'Infinity,Infinity,2', Infinity"
    })
    void the_median_is_the_middle_one_or_between_the_two(String figures, double median) {
        assertThat(Median.of(doubles(figures))).isEqualTo(median);
    }

    @Test
    void of_nothing_there_is_no_median() {
        assertThat(Median.of(List.of())).isNaN();
    }

    @ParameterizedTest
    @CsvSource({
        "'100,100,100', 0",
        "'95,100,100', 0",
        "'94,95,100', 1",
        // A second that reaches it by chance is not its return when those after it do not.
        "'96,10,10,100,100,100', 3",
        // One that falls below it is, when the rest makes up for it.
        "'100,90,100,110', 0",
        "'10,20,30', Infinity",
        "'100,100,0', Infinity",
        "'', Infinity",
    })
    void goodput_is_back_with_the_first_second_from_which_on_it_stays(String perSecond, double seconds) {
        List<Integer> done = doubles(perSecond).stream().map(Double::intValue).toList();
        assertThat(Goodput.backAfterSeconds(done, 100)).isEqualTo(seconds);
    }

    @Test
    void disturbed_rounds_are_shown_and_not_counted() {
        PeerTable table = new PeerTable(FIGURES);
        table.add(Contestant.SPILLWAY, result(10, false));
        table.add(Contestant.SPILLWAY, result(500, true));
        table.add(Contestant.SPILLWAY, result(20, false));

        assertThat(table.median(Contestant.SPILLWAY, AGE)).isEqualTo(15);
        assertThat(table.markdown()).contains("| p99, ms | 15.0 |").contains("| 2 of 3 |");
        assertThat(table.rounds()).contains("10.0  500.0*  20.0\n");
    }

    @Test
    void where_all_rounds_were_disturbed_they_count_and_the_table_says_so() {
        PeerTable table = new PeerTable(FIGURES);
        table.add(Contestant.FIFO_POOL, result(Double.POSITIVE_INFINITY, true));

        assertThat(table.markdown()).contains("| p99, ms | never |").contains("0 of 1: all DISTURBED");
    }

    @Test
    void a_figure_that_a_contestant_does_not_have_is_a_dash() {
        PeerTable table = new PeerTable(FIGURES);
        table.add(Contestant.SPILLWAY, new PeerScenario.Result(Map.of(), false, List.of()));

        assertThat(table.markdown()).contains("| p99, ms | – |");
    }

    private static PeerScenario.Result result(double age, boolean disturbed) {
        return new PeerScenario.Result(Map.of(AGE, age), disturbed, List.of());
    }

    private static List<Double> doubles(String figures) {
        return figures.isEmpty() ? List.of() : List.of(figures.split(",")).stream().map(Double::valueOf).toList();
    }
}
