package io.spillway.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ActionLogTest {
    private static ActionEntry entry(long atMillis, String result) {
        return ActionEntry.of(atMillis, "zoe", "pause", "acme", Map.of("workload", "mail"), result);
    }

    @Test
    void the_newest_thousand_entries_are_kept_newest_first() {
        ActionLog log = new ActionLog(Integer.MAX_VALUE);
        for (int i = 0; i < 1_500; i++) {
            // In any order: writers have clocks of their own.
            int at = i * 7 % 1_500;
            log.put(ActionLog.key(at, i), entry(at, "n" + at).encode());
        }
        assertThat(log.size()).isEqualTo(1_000);
        assertThat(log.newest(3)).extracting(ActionEntry::result).containsExactly("n1499", "n1498", "n1497");
        assertThat(log.newest(10_000)).hasSize(1_000);
        log.remove(ActionLog.key(1_499, 1_500 / 7));
        assertThat(log.size()).isLessThanOrEqualTo(1_000);
    }

    @Test
    void a_view_with_few_entries_still_takes_new_ones() {
        ActionLog log = new ActionLog(10);
        for (int i = 0; i < 20; i++) {
            assertThat(log.size()).isLessThan(10);
            log.put(ActionLog.key(i, 0), entry(i, "n" + i).encode());
        }
        assertThat(log.newest(1).getFirst().result()).isEqualTo("n19");
    }

    @Test
    void an_entry_is_read_as_it_was_written() {
        ActionEntry written = ActionEntry.of(1_800_000_000_123L, "zo\u00eb\r\n", "set", "acme", Map.of("rate", 5.5),
                "a\\b \u001b[31m" + "x".repeat(5_000));
        ActionEntry read = ActionEntry.decode(written.encode());
        assertThat(read).isEqualTo(written);
        assertThat(read.by()).isEqualTo("zo\\u00eb\\u000d\\u000a");
        assertThat(read.result()).hasSizeLessThanOrEqualTo(1_000).matches("[ -~]+");
        assertThat(read.json().get("at").textValue()).isEqualTo("2027-01-15T08:00:00.123Z");
    }

    @Test
    void an_entry_of_another_writer_is_escaped_and_bounded() {
        Map<String, Object> options = new LinkedHashMap<>();
        for (int i = 0; i < 1_000; i++) {
            options.put("o" + i, "\n");
        }
        ActionEntry entry = ActionEntry.of(0, "", "a", "", options, "");
        assertThat(entry.options()).hasSize(50).containsEntry("o0", "\\u000a");
        String other = "{\"at\":\"2027-01-15T08:00:00Z\",\"by\":\"\\u202e\",\"action\":\"x\",\"result\":\"\\n\"}";
        ActionEntry read = ActionEntry.decode(other.getBytes(StandardCharsets.UTF_8));
        assertThat(read.by()).isEqualTo("\\u202e");
        assertThat(read.tenant()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "x", "[]", "{}", "{\"at\":1,\"by\":\"a\",\"action\":\"x\",\"result\":\"r\"}",
        "{\"at\":\"+999999999-01-01T00:00:00Z\",\"by\":\"a\",\"action\":\"x\",\"result\":\"r\"}",
        "{\"at\":\"soon\",\"by\":\"a\",\"action\":\"x\",\"result\":\"r\"}",
        "{\"at\":\"2027-01-15T08:00:00Z\",\"by\":[],\"action\":\"x\",\"result\":\"r\"}"
    })
    void what_is_not_an_entry_is_refused(String text) {
        assertThatThrownBy(() -> ActionEntry.decode(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
