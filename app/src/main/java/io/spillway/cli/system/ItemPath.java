package io.spillway.cli.system;

import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.cli.terminal.ScanProgress;
import io.spillway.config.Configuration;
import io.spillway.core.hashing.TenantHash;
import io.spillway.core.item.ItemState;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.Inputs;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Path of the items with an id, and of their deliveries to subscriptions: their records in all topics, including
 * consumed ones that are not purged yet, in the order of the lanes.
 *
 * @param steps      sorted by origin and lane; the first {@link #MAX_STEPS} that were found
 * @param deliveries how far the deliveries are, all of them; only those of which there is a record
 */
record ItemPath(List<StoredItem> steps, Map<Stage, Long> deliveries) {
    /** How far a delivery is. */
    enum Stage {
        /** Its records say only where it has been. */
        LEFT("left"),
        FINISHED("finished"),
        DEAD("dead letter"),
        WAITING("waiting");

        final String label;

        Stage(String label) {
            this.label = label;
        }

        static Stage of(StoredItem item) {
            return isEnd(item) ? FINISHED : !item.isWaiting() ? LEFT
                    : item.place() == ItemState.DEAD_LETTER ? DEAD : WAITING;
        }
    }

    /** Ids can repeat, and an item can have moved several times. */
    static final int MAX_STEPS = 1_000;

    /** Keys of JSON by the header with a number; those that end with At are times. */
    private static final Map<String, String> NUMBERS = ordered(
            ItemHeaders.ATTEMPT, "attempts", ItemHeaders.MOVES, "moves", ItemHeaders.DUE, "dueAt",
            ItemHeaders.DELIVER_AT, "deliverAt",
            ItemHeaders.FIRST_ATTEMPT_AT, "firstAttemptAt", ItemHeaders.REPLAYED_AT, "replayedAt",
            ItemHeaders.DEAD_AT, "deadAt", ItemHeaders.BLAME, "blameThousandths");
    private static final Map<String, String> TEXTS = ordered(
            ItemHeaders.LANE_REASON, "laneReason", ItemHeaders.DEAD_REASON, "reason", ItemHeaders.DEAD_DETAIL,
            "detail", ItemHeaders.DEAD_STAGE, "stage", ItemHeaders.DESTINATION, "destination",
            ItemHeaders.ORDER_KEY, "orderKey");

    /**
     * Finds the records.
     *
     * @param sinceMillis epoch milliseconds of the oldest records to read; empty for all
     * @param progress    counts every record that is read
     */
    static ItemPath find(
            Configuration configuration, String id, OptionalLong sinceMillis, InstantSource clock,
            ScanProgress progress) {
        List<StoredItem> found = new ArrayList<>();
        // By the hash of the origin. Bound: the deliveries that the topics have, 60 bytes each.
        Map<Long, Stage> stages = new HashMap<>();
        Consumer<StoredItem> visitor = item -> {
            progress.passed(item.topic(), item.partition());
            boolean isDelivery = item.isDeliveryOf(id);
            if (isDelivery) {
                stages.merge(TenantHash.of(item.origin(), 0), Stage.of(item), (one, other) ->
                        one.compareTo(other) > 0 ? one : other);
            }
            if (found.size() < MAX_STEPS && (isDelivery || item.id().equals(id) || item.origin().equals(id))) {
                found.add(item);
            }
        };
        try (Census census = new Census(configuration, clock, sinceMillis)) {
            census.forEachInIngress(true, visitor);
            census.forEach(true, visitor);
            census.forEachOnTrail(visitor);
        }
        found.sort(Comparator.comparing(StoredItem::origin).thenComparing(StoredItem::isWaiting)
                .thenComparing(StoredItem::place).thenComparing(StoredItem::offset));
        Map<Stage, Long> deliveries = new EnumMap<>(Stage.class);
        stages.values().forEach(stage -> deliveries.merge(stage, 1L, Long::sum));
        return new ItemPath(found, deliveries);
    }

    /** Returns how many deliveries there are and how far they are, as a sentence; empty without any. */
    Optional<String> progress() {
        return deliveries.isEmpty() ? Optional.empty()
                : Optional.of(deliveries.values().stream().mapToLong(Long::longValue).sum() + " deliveries: "
                        + deliveries.entrySet().stream().map(each -> each.getValue() + " " + each.getKey().label)
                                .collect(Collectors.joining(", ")) + ".");
    }

    /** Returns whether a record is of the trail: it says how the item finished. */
    static boolean isEnd(StoredItem item) {
        return item.place() == ItemState.DONE || item.place() == ItemState.DROPPED;
    }

    /**
     * Returns the JSON fields of a record, null for those that it does not have.
     *
     * @param policies of all tenants, for when an unfinished item ends
     */
    static Map<String, Object> fields(StoredItem item, TenantPolicies policies, long nowMillis) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("tenant", item.owner());
        fields.put("id", Printable.of(item.id()));
        fields.put("origin", Printable.of(item.origin()));
        fields.put("place", item.place() == ItemState.OUTSIDE ? "ingress" : item.place().label());
        fields.put("position", item.partition() + "-" + item.offset());
        fields.put("state", stateOf(item));
        fields.put("finishedAt", isEnd(item) ? iso(item.timestampMillis()) : null);
        fields.put("enqueuedAt", Inputs.isoOrNull(item.enqueuedAtMillis()));
        NUMBERS.forEach((header, key) -> {
            OptionalLong number = item.number(header);
            fields.put(key, number.isEmpty() ? null
                    : key.endsWith("At") ? iso(number.getAsLong()) : (Long) number.getAsLong());
        });
        TEXTS.forEach((header, key) -> fields.put(key, item.text(header).map(Printable::of).orElse(null)));
        if (item.progress() == StoredItem.Progress.FAILED) {
            fields.put("failedAt", iso(item.timestampMillis()));
            fields.put("detail", item.text(ItemHeaders.LAST_FAILURE).map(Printable::of).orElse(null));
        }
        if (isEnd(item)) {
            TrailCodec.End.of(item.value()).filter(end -> !end.reason().isEmpty())
                    .ifPresent(end -> fields.put("reason", Printable.of(end.reason())));
        }
        Optional<ItemEnds.Limit> end = endOf(item, policies, nowMillis);
        fields.put("endsAt", end.map(limit -> iso(limit.atMillis())).orElse(null));
        fields.put("endReason", end.map(ItemEnds.Limit::reason).orElse(null));
        return fields;
    }

    /** Returns a record as a line of text, without the fields that it does not have. */
    static String line(StoredItem item, TenantPolicies policies, long nowMillis) {
        Map<String, Object> fields = fields(item, policies, nowMillis);
        List.of("tenant", "id", "origin").forEach(fields::remove);
        fields.values().removeIf(Objects::isNull);
        return String.format(Locale.ROOT, "%-11s %-12s %-9s %s", fields.remove("place"), fields.remove("position"),
                fields.remove("state"), fields.isEmpty() ? "" : fields);
    }

    private static Optional<ItemEnds.Limit> endOf(StoredItem item, TenantPolicies policies, long nowMillis) {
        boolean isEnding = item.isWaiting() && !isEnd(item) && item.place() != ItemState.DEAD_LETTER;
        // An implausible time is replaced when the item is routed.
        return isEnding && item.reading() instanceof ParsedRecord.Item read
                        && ItemTimes.isPlausible(read.enqueuedAtMillis(), nowMillis)
                ? ItemEnds.next(ItemHeaders.times(read, item.headers(), item.timestampMillis(), nowMillis),
                        policies.of(item.owner(), read.workload()))
                : Optional.empty();
    }

    private static String stateOf(StoredItem item) {
        return isEnd(item) ? "finished"
                : item.progress() == StoredItem.Progress.FAILED ? "failed"
                : !item.isWaiting() ? "left"
                : item.place() == ItemState.DEAD_LETTER ? "dead" : switch (item.progress()) {
                    case TIMER -> "timer";
                    case PARKED -> "parked";
                    case WAITS, FINISHED, FAILED -> "waits";
                };
    }

    private static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    private static Map<String, String> ordered(String... headersAndKeys) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < headersAndKeys.length; i += 2) {
            map.put(headersAndKeys[i], headersAndKeys[i + 1]);
        }
        return map;
    }
}
