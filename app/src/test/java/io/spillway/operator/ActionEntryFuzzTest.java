package io.spillway.operator;

import io.spillway.Fuzz;
import io.spillway.deadletter.DeadLetterCursor;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ProgressMark;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Entries of the action log, and texts with a format of their own, of any bytes. See {@link Fuzz}. */
class ActionEntryFuzzTest {
    private static final String[] TEXTS = {
        "operator", "tenants set", "acme", "*", "", "caf\u00e9", "\u001b[31m", "\\u0041", "x".repeat(300),
        "\ud83d\ude00",
        "+1000000000-12-31T23:59:59.999999999Z", "-1000000000-01-01T00:00:00Z", "null", "{}", "[".repeat(2_000)
    };

    @Test
    void an_entry_is_refused_or_is_encoded_to_the_same() {
        Fuzz.of("action log", ActionEntryFuzzTest::entry).withTexts(TEXTS).check(this::isEntry);
    }

    @Test
    void a_cursor_a_mark_and_a_key_are_refused_or_have_the_same_text() {
        Fuzz.of("cursors, marks, keys", ActionEntryFuzzTest::text).check(this::isText);
    }

    private boolean isEntry(byte[] bytes) {
        ActionEntry entry;
        try {
            entry = ActionEntry.decode(bytes);
        } catch (IllegalArgumentException refused) {
            return false;
        }
        Fuzz.require(ActionEntry.decode(entry.encode()).equals(entry), "encoded to another entry", entry);
        Fuzz.require(new String(entry.encode(), StandardCharsets.UTF_8).matches("[ -~]*"), "not printable", entry);
        return true;
    }

    private static byte[] entry(SplittableRandom random) {
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            options.put(some(random), some(random));
        }
        ActionEntry entry = new ActionEntry(random.nextLong() >> random.nextInt(8, 64), some(random), some(random),
                some(random), options, some(random));
        Fuzz.require(ActionEntry.decode(entry.encode()).equals(entry), "decoded to another entry", entry);
        return random.nextInt(10) > 0 ? entry.encode()
                : new String(entry.encode(), StandardCharsets.UTF_8).replaceFirst("\"at\":\"[^\"]*", "\"at\":\""
                        + TEXTS[random.nextInt(10, 13)]).getBytes(StandardCharsets.UTF_8);
    }

    private static String some(SplittableRandom random) {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    private boolean isText(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        Optional<ProgressMark> mark = ProgressMark.parse(text);
        mark.ifPresent(each ->
                Fuzz.require(ProgressMark.parse(each.text()).equals(mark), "mark", each));
        Optional<ApiKey> key = ApiKey.parse(text);
        key.ifPresent(each -> Fuzz.require(each.text().equals(text) && !each.toString().contains(text), "key", text));
        try {
            DeadLetterCursor cursor = DeadLetterCursor.parse(text);
            Fuzz.require(DeadLetterCursor.parse(cursor.text()).equals(cursor), "cursor", text);
            return true;
        } catch (IllegalArgumentException refused) {
            return mark.isPresent() || key.isPresent();
        }
    }

    private static byte[] text(SplittableRandom random) {
        String text = switch (random.nextInt(3)) {
            case 0 -> new ProgressMark(random.nextLong(), "1.2.3").text();
            case 1 -> ApiKey.make(random).text();
            default -> {
                TreeMap<Integer, Long> below = new TreeMap<>();
                for (int i = random.nextInt(1, 5); i > 0; i--) {
                    below.put(random.nextInt(1_000_000_000), random.nextLong(1_000_000_000_000_000_000L));
                }
                yield new DeadLetterCursor(below).text();
            }
        };
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
