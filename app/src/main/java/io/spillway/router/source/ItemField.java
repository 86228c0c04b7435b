package io.spillway.router.source;

import io.spillway.config.RecordPlace;
import io.spillway.config.SourceSettings;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.EncodedName;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.UnreadableItem;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.function.Function;

/** Field of an item that a source sets as a header. */
enum ItemField {
    TENANT("tenant", ItemHeaders.TENANT, SourceSettings::tenant, EncodedName::of),
    ID("id", ItemHeaders.ID, SourceSettings::id, text -> text),
    WORKLOAD("workload", ItemHeaders.WORKLOAD, SourceSettings::workload, EncodedName::of),
    PRIORITY("priority", ItemHeaders.PRIORITY, SourceSettings::priority, text -> text),
    ENQUEUED_AT("enqueuedAt", ItemHeaders.ENQUEUED_AT, SourceSettings::enqueuedAt,
            text -> millis(text, DeadReason.BAD_ENQUEUED_AT)),
    DELIVER_AT("deliverAt", ItemHeaders.DELIVER_AT, SourceSettings::deliverAt,
            text -> millis(text, DeadReason.BAD_DELIVER_AT)),
    ORDER_KEY("orderKey", ItemHeaders.ORDER_KEY, SourceSettings::orderKey, text -> text),
    DEDUPE("dedupe", ItemHeaders.DEDUPE, source -> source.dedupe() ? "constant:true" : "", text -> text);

    private final String key;
    private final String header;
    private final Function<SourceSettings, String> places;
    private final Function<String, String> convert;

    ItemField(
            String key, String header, Function<SourceSettings, String> places, Function<String, String> convert) {
        this.key = key;
        this.header = header;
        this.places = places;
        this.convert = convert;
    }

    String header() {
        return header;
    }

    /** Returns the places in which a source has this field, in the order in which they are tried. */
    List<RecordPlace> places(SourceSettings source) {
        return RecordPlace.parse(key, places.apply(source));
    }

    /** Returns the value of the header for a text. */
    String headerValue(String text) {
        return convert.apply(text);
    }

    private static String millis(String text, DeadReason reason) {
        try {
            return !text.isEmpty() && text.chars().allMatch(each -> each >= '0' && each <= '9' || each == '-')
                    && text.lastIndexOf('-') <= 0 ? text
                    : Long.toString(OffsetDateTime.parse(text).toInstant().toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            throw new UnreadableItem(reason, "'" + text + "' is neither epoch milliseconds nor a time with an offset,"
                    + " such as 2026-01-31T08:00:00Z");
        }
    }
}
