package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands of a page, and which outputs are refused. */
class ConsolePageTest {
    @Test
    void only_console_blocks_hold_commands() {
        ConsolePage page = parse(
                "# Page", "```", "$ not run", "```", "```console", "$ ls", "a", "", "b", "$ true", "```", "$ no");

        assertThat(page.commands()).containsExactly(
                new ConsolePage.Command(6, "ls", List.of("a", "", "b")),
                new ConsolePage.Command(10, "true", List.of()));
    }

    @Test
    void a_command_goes_on_after_a_backslash_and_at_an_angle_bracket() {
        ConsolePage page = parse(
                "```console", "$ echo a \\", "    b", "a b", "$ echo c |", ">   cat", "c", "> d", "```");

        assertThat(page.commands()).containsExactly(
                new ConsolePage.Command(2, "echo a \\\n    b", List.of("a b")),
                new ConsolePage.Command(5, "echo c |\n  cat", List.of("c", "> d")));
    }

    @Test
    void a_block_that_is_not_a_session_is_refused() {
        assertThatThrownBy(() -> parse("```console", "ls", "```"))
                .hasMessage("page.md:2: a block begins with `$ ` and a command");
        assertThatThrownBy(() -> parse("text", "```console", "$ ls")).hasMessage("page.md:2: this block does not end");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '|', value = {
        "sent 1000 items in 3.5 s, sent 1000 items in 12 s",
        "took 250ms, took 3ms",
        "oldest 33.8s gone, oldest     1s gone",
        "id 01a203bf-f438-7336-880d-3bdd992ac101., id 01a203d4-42d8-7b8e-b3c6-a8c93b62e4c0.",
        "send-8602a5a6-0, send-0123abcd-0",
        "key a46003b1d0f53dc4, key 7bb5d0199f5539bc",
        "at 2026-11-22T14:56:11.978Z, at 2027-01-01T00:00:00Z",
        "|Date: Sun, 22 Nov 2026 15:16:03 GMT|, |Date: Mon, 01 Feb 2027 00:00:00 GMT|",
        "ready gateway=8080 ..., ready gateway=8080 pid=7 more",
        "a ... b, a b",
        "a(b)*[c], a(b)*[c]",
        "no blanks at the end, |no blanks at the end  |"})
    void what_differs_between_two_runs_matches(String shown, String real) {
        assertThat(matches(List.of(shown), List.of(real))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '|', value = {
        "sent 1000 items in 3.5 s, sent 1001 items in 3.5 s",
        "sent 1000 items in 3.5 s, sent 1000 items in 3.5 hours",
        "done 2010, done 2009",
        "rate=10, rate=10.0",
        "hot 0, hot 0 0",
        "id 01a203bf-f438-7336-880d-3bdd992ac101, id order-1",
        "key a46003b1d0f53dc4, key a46003b1d0f53dc",
        "at 2026-11-22T14:56:11.978Z, at yesterday",
        "ready ..., starting",
        "a.b, axb",
        "lane  waiting, lanewaiting",
        "item, item2"})
    void what_is_wrong_is_refused(String shown, String real) {
        assertThat(matches(List.of(shown), List.of(real))).isFalse();
    }

    @Test
    void lines_are_compared_one_by_one_and_all_of_them() {
        List<String> shown = List.of("a ...", "", "b");

        assertThat(matches(shown, List.of("a 1", "", "b", "", ""))).isTrue();
        assertThat(matches(
                        shown,
                        List.of("275 of 1000 sent", "354 of 1000 sent (349/s)", "6 of 6 looked at",
                                "assigned 9 of 10 ...", "a 1", "", "b")))
                .as("with progress lines").isTrue();
        assertThat(matches(shown, List.of("a 1", "b"))).as("without the empty line").isFalse();
        assertThat(matches(shown, List.of("a 1", "", "c"))).isFalse();
        assertThat(matches(shown, List.of("a 1", "", "b", "spillway: failed"))).as("with a line more").isFalse();
        assertThat(matches(shown, List.of("", "b", "a 1"))).isFalse();
        assertThat(matches(shown, List.of())).isFalse();
        assertThat(matches(List.of(), List.of("failed"))).isFalse();
    }

    @Test
    void every_page_can_be_read() throws Exception {
        assertThat(Stream.concat(DocumentedCommandsIT.readme(), DocumentedCommandsIT.pages()))
                .extracting(ConsolePage::name)
                .contains("README.md", "docs/getting-started.md", "docs/gateway.md", "docs/sharding.md");
    }

    private static boolean matches(List<String> shown, List<String> real) {
        return new ConsolePage.Command(1, "ls", shown).isMatchedBy(real);
    }

    private static ConsolePage parse(String... lines) {
        return ConsolePage.parse("page.md", List.of(lines));
    }
}
