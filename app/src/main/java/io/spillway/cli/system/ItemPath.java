package io.spillway.cli.system;

import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.cli.terminal.ScanProgress;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Printable;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ParsedRecord;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Path of the items with an id: their records in all topics, including consumed ones that are not purged yet, in the
 * order of the lanes.
 */
final class ItemPath {
    /** Ids can repeat, and an item can have moved several times. */
    static final int MAX_STEPS = 1_000;

    private static final List<String> NUMBERS = List.of(
            ItemHeaders.ATTEMPT, ItemHeaders.MOVES, ItemHeaders.DUE, ItemHeaders.FIRST_ATTEMPT_AT,
            ItemHeaders.REPLAYED_AT, ItemHeaders.DEAD_AT);
    private static final List<String> TEXTS = List.of(
            ItemHeaders.LANE_REASON, ItemHeaders.DEAD_REASON, ItemHeaders.DEAD_DETAIL, ItemHeaders.DEAD_STAGE);

    private ItemPath() {}

    /**
     * Finds the records, sorted by origin and lane; at most {@link #MAX_STEPS}.
     *
     * @param sinceMillis epoch milliseconds of the oldest records to read; empty for all
     * @param progress    counts every record that is read
     */
    static List<StoredItem> find(
            Configuration configuration, String id, OptionalLong sinceMillis, InstantSource clock,
            ScanProgress progress) {
        List<StoredItem> found = new ArrayList<>();
        Consumer<StoredItem> visitor = item -> {
            progress.passed(item.topic(), item.partition());
            if (found.size() < MAX_STEPS && (item.id().equals(id) || item.origin().equals(id))) {
                found.add(item);
            }
        };
        try (Census census = new Census(configuration, clock, sinceMillis)) {
            census.forEachInIngress(true, visitor);
            census.forEach(true, visitor);
        }
        found.sort(Comparator.comparing(StoredItem::origin).thenComparing(StoredItem::isWaiting)
                .thenComparing(StoredItem::place).thenComparing(StoredItem::offset));
        return found;
    }

    /** Returns the JSON fields of a record. */
    static Map<String, Object> fields(StoredItem item) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("tenant", item.owner());
        fields.put("id", Printable.of(item.id()));
        fields.put("origin", Printable.of(item.origin()));
        fields.put("place", item.place() == ItemState.OUTSIDE ? "ingress" : item.place().label());
        fields.put("position", item.partition() + "-" + item.offset());
        fields.put("state", !item.isWaiting() ? "left"
                : item.place() == ItemState.DEAD_LETTER ? "dead" : item.isTimer() ? "timer" : "waits");
        if (item.reading() instanceof ParsedRecord.Item read) {
            fields.put("enqueuedAt", Instant.ofEpochMilli(read.enqueuedAtMillis()).toString());
        }
        for (String name : NUMBERS) {
            item.number(name).ifPresent(number ->
                    fields.put(nameOf(name), isTime(name) ? Instant.ofEpochMilli(number).toString() : number));
        }
        for (String name : TEXTS) {
            item.text(name).ifPresent(text -> fields.put(nameOf(name), Printable.of(text)));
        }
        return fields;
    }

    /** Returns a record as a line of text. */
    static String line(StoredItem item) {
        Map<String, Object> fields = fields(item);
        List.of("tenant", "id", "origin").forEach(fields::remove);
        return "%-11s %-12s %-9s %s".formatted(fields.remove("place"), fields.remove("position"),
                fields.remove("state"), fields.isEmpty() ? "" : fields);
    }

    private static boolean isTime(String header) {
        return !header.equals(ItemHeaders.ATTEMPT) && !header.equals(ItemHeaders.MOVES);
    }

    private static String nameOf(String header) {
        return header.substring("spillway-".length());
    }
}
