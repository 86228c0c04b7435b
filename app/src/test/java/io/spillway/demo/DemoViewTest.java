package io.spillway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.ItemState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemoViewTest {
    private static final DemoPlan PLAN = new DemoPlan(40);

    private final StringWriter shown = new StringWriter();

    @Test
    void without_a_terminal_there_are_plain_lines_every_other_second() {
        DemoView view = view(false);
        for (int second = 0; second < 6; second++) {
            view.show(at(second));
        }

        assertThat(shown.toString()).doesNotContain("\u001b");
        assertThat(shown.toString().lines().filter(line -> line.contains("quiet p99"))).hasSize(3)
                .first().asString().contains("250 ms (FIFO -)", "noisy 7 of 9 done (FIFO 8)", "overflow 1,234");
        assertThat(shown.toString().lines().filter(line -> line.contains("warming up"))).hasSize(1);
    }

    @Test
    void on_a_terminal_each_block_replaces_the_previous_one() {
        DemoView view = view(true);
        view.show(at(1));
        long linesOfBlock = shown.toString().lines().count() - 1; // The event stays.
        shown.getBuffer().setLength(0);
        view.show(at(2));

        assertThat(shown.toString()).startsWith("\u001b[" + linesOfBlock + "A\u001b[J");
        assertThat(shown.toString().lines().count()).isEqualTo(linesOfBlock);
        assertThat(shown.toString().lines()).allSatisfy(line ->
                assertThat(line.replaceAll("\u001b\\[[?0-9]*[A-Za-z]", "").length()).as(line).isLessThanOrEqualTo(80));
    }

    private DemoView view(boolean isTerminal) {
        return new DemoView(new Printer(new PrintWriter(System.out), new PrintWriter(shown), false), PLAN, isTerminal);
    }

    private static DemoSample at(int second) {
        return new DemoSample(second * 1_000L, Map.of(ItemState.OVERFLOW, 1_234L), 0, 0, 250, -1, 9, 7, 8, 1, 2);
    }
}
