package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveScreenTest {
    private final StringWriter out = new StringWriter();
    private final Printer printer = new Printer(new PrintWriter(out), new PrintWriter(new StringWriter()), false);

    @Test
    void what_was_on_the_terminal_comes_back_with_its_cursor() {
        LiveScreen.open(printer).close();

        assertThat(out).hasToString("\u001b[?1049h\u001b[?25l\u001b[?25h\u001b[?1049l");
    }

    @Test
    void nothing_is_drawn_on_the_terminal_that_came_back() {
        LiveScreen screen = LiveScreen.open(printer);
        screen.close();
        out.getBuffer().setLength(0);
        screen.draw(List.of("late"));
        screen.close();

        assertThat(out.toString()).isEmpty();
    }

    @Test
    void a_drawing_replaces_each_line_and_clears_what_is_below() {
        try (LiveScreen screen = LiveScreen.open(printer)) {
            out.getBuffer().setLength(0);
            screen.draw(List.of("one", "two"));

            assertThat(out).hasToString("\u001b[Hone\u001b[K\ntwo\u001b[K\u001b[J");
        }
    }
}
