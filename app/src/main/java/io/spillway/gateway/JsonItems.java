package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Parser of items in JSON, with defaults for absent fields. Thread-safe if the suppliers of its defaults are.
 *
 * <p>A payload that is text is stored as its UTF-8 bytes. Any other payload is stored as it is written in the line,
 * from its first to its last character: nothing is reformatted, and its content is not interpreted.
 *
 * @param defaultWorkload may be empty
 */
public record JsonItems(
        String defaultTenant, String defaultWorkload, Supplier<Instant> defaultEnqueuedAt,
        Supplier<String> defaultId) {
    private static final Set<String> KEYS = Set.of(
            "tenant", "id", "enqueuedAt", "workload", "channel", "contentType", "attributes", "payload", "priority",
            "deliverAt", "deliverWithin", "orderKey", "dedupe");
    private static final Instant EARLIEST = Instant.ofEpochMilli(Long.MIN_VALUE);
    private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE);
    private static final String TIMES = " must be epoch milliseconds, or a time such as 2026-11-21T08:00:00Z";
    private static final JsonFactory JSON = new JsonFactory();

    /** Creates a parser that gives random ids to items without an id. */
    public JsonItems(String defaultTenant, String defaultWorkload, Supplier<Instant> defaultEnqueuedAt) {
        this(defaultTenant, defaultWorkload, defaultEnqueuedAt, () -> UUID.randomUUID().toString());
    }

    /** Parses one item without its priority and time, as {@link #read} does. */
    public WorkItem parse(String line) throws JsonProcessingException {
        return read(line).item();
    }

    /**
     * Parses one item.
     *
     * @throws JsonProcessingException  if the text is not JSON
     * @throws IllegalArgumentException if it is not an item; the message contains the reason
     */
    public WrittenItem read(String line) throws JsonProcessingException {
        try (JsonParser json = JSON.createParser(line)) {
            Fields fields = new Fields();
            require(json.nextToken() == JsonToken.START_OBJECT, "not a JSON object");
            Set<String> seen = new HashSet<>();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                require(KEYS.contains(key),
                        "unknown key " + key + "; known keys are " + KEYS.stream().sorted().toList());
                requireNew(seen.add(key), json);
                json.nextToken();
                fields.set(key, json, line);
            }
            if (json.nextToken() != null) {
                throw new Misplaced(json, "more than one value");
            }
            return new WrittenItem(item(fields), fields.priority, fields.deliverAtMillis,
                    fields.texts.getOrDefault("orderKey", ""), fields.dedupe, Map.of()).within(fields.withinMillis);
        } catch (JsonProcessingException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException("Text in memory could not be read", e);
        }
    }

    /** Returns the attributes in a JSON object; throws {@link IllegalArgumentException} if it is not one of texts. */
    static Map<String, String> attributes(String name, String text) {
        try (JsonParser json = JSON.createParser(text)) {
            Fields fields = new Fields();
            json.nextToken();
            fields.readAttributes(json);
            require(json.nextToken() == null, name + " must be one JSON object");
            return fields.attributes;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(name + " is " + problemOf(e));
        } catch (IOException e) {
            throw new UncheckedIOException("Text in memory could not be read", e);
        }
    }

    /** Returns what is wrong with the text, and where: not the parser's own message, which names its internals. */
    public static String problemOf(JsonProcessingException e) {
        return "not JSON" + (e instanceof Misplaced ? ": " + Printable.of(e.getOriginalMessage()) : "")
                + (e.getLocation() == null ? "" : " (column " + e.getLocation().getColumnNr() + ")");
    }

    /** Text of which each part is JSON, but not the whole; its message is for users. */
    private static final class Misplaced extends JsonParseException {
        private static final long serialVersionUID = 1;

        Misplaced(JsonParser json, String message) {
            super(json, message);
        }
    }

    private WorkItem item(Fields fields) {
        require(fields.payload != null, "payload is missing");
        String tenant = fields.texts.getOrDefault("tenant", defaultTenant);
        String workload = fields.texts.getOrDefault("workload", defaultWorkload);
        String id = fields.texts.getOrDefault("id", "");
        if (id.isEmpty()) {
            require(!fields.dedupe, "dedupe needs an id, which is the same each time the item is sent");
            id = defaultId.get();
        }
        String orderKey = fields.texts.getOrDefault("orderKey", "");
        require(ItemLimits.isName(tenant), "tenant must be " + ItemLimits.NAME_ALLOWED);
        require(workload.isEmpty() || ItemLimits.isName(workload),
                "workload must be empty or " + ItemLimits.NAME_ALLOWED);
        requireId("id", id);
        if (!orderKey.isEmpty()) {
            requireId("orderKey", orderKey);
        }
        return new WorkItem(
                tenant, id, fields.enqueuedAt == null ? defaultEnqueuedAt.get() : fields.enqueuedAt, workload,
                fields.texts.get("channel"), fields.texts.getOrDefault("contentType", ItemsApi.OCTETS),
                fields.attributes, fields.payload);
    }

    /** Fields found in a line; null where absent. */
    private static final class Fields {
        private final Map<String, String> texts = new HashMap<>();
        private final Map<String, String> attributes = new HashMap<>();
        private Instant enqueuedAt;
        private ByteBuffer payload;
        private int priority = ItemLimits.NORMAL_PRIORITY;
        private long deliverAtMillis;
        private boolean dedupe;
        private long withinMillis;

        /** Reads the value at which the parser stands. */
        void set(String key, JsonParser json, String line) throws IOException {
            if (key.equals("payload")) {
                payload = utf8(key, json.hasToken(JsonToken.VALUE_STRING) ? json.getText() : raw(json, line));
            } else if (json.hasToken(JsonToken.VALUE_NULL)) {
                return;
            } else if (key.equals("attributes")) {
                readAttributes(json);
            } else if (key.equals("priority")) {
                priority = json.hasToken(JsonToken.VALUE_NUMBER_INT) ? (int) json.getValueAsDouble() : -1;
                require(priority >= 0 && priority <= ItemLimits.MAX_PRIORITY, "priority must be a number from 0 to 9");
            } else if (key.equals("enqueuedAt")) {
                enqueuedAt = time(key, json);
                // An ISO 8601 year can exceed what 64 bits hold.
                require(!enqueuedAt.isBefore(EARLIEST) && !enqueuedAt.isAfter(LATEST), key + TIMES);
            } else if (key.equals("deliverAt")) {
                deliverAtMillis = deliverAtMillis(time(key, json));
            } else if (key.equals("dedupe")) {
                require(json.currentToken().isBoolean(), "dedupe must be true or false");
                dedupe = json.getBooleanValue();
            } else if (key.equals("deliverWithin")) {
                withinMillis = windowMillis(key, json.getText());
            } else {
                require(json.hasToken(JsonToken.VALUE_STRING), key + " must be text");
                texts.put(key, encodable(key, json.getText()));
            }
        }

        private static Instant time(String key, JsonParser json) throws IOException {
            if (json.hasToken(JsonToken.VALUE_STRING)) {
                return iso(key, json.getText());
            }
            require(json.hasToken(JsonToken.VALUE_NUMBER_INT)
                    && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER, key + TIMES);
            return number(key, json.getLongValue());
        }

        /** Numbers and booleans are accepted too, with the characters as they are written. */
        private void readAttributes(JsonParser json) throws IOException {
            String expected = "attributes must be an object with text values";
            require(json.hasToken(JsonToken.START_OBJECT), expected);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = encodable("attributes", json.currentName());
                requireNew(!attributes.containsKey(name), json);
                require(json.nextToken().isScalarValue() && !json.hasToken(JsonToken.VALUE_NULL), expected);
                attributes.put(name, encodable("attributes", json.getText()));
            }
        }
    }

    private static Instant iso(String key, String text) {
        try {
            return OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MILLIS);
        } catch (DateTimeException notATime) {
            throw new IllegalArgumentException(key + TIMES);
        }
    }

    /** Returns a time in epoch milliseconds; 0 is none. A number in another unit, such as seconds, is refused. */
    private static Instant number(String key, long millis) {
        require(millis == 0 || ItemLimits.isTime(millis), key + TIMES);
        return Instant.ofEpochMilli(millis);
    }

    /** Returns the time of a header for the first attempt: epoch milliseconds, or ISO 8601. */
    static long deliverAtMillis(String name, String text) {
        return deliverAtMillis(
                text.matches("[0-9]{1,18}") ? number(name, Long.parseLong(text)) : iso(name, text));
    }

    /** Returns the length of a window, a duration such as {@code 5m}. */
    public static long windowMillis(String name, String text) {
        try {
            long millis = Durations.parseMillis(text);
            require(millis <= ItemLimits.MAX_AHEAD_MILLIS, "must be at most 14d");
            return millis;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + " " + e.getMessage(), e);
        }
    }

    private static long deliverAtMillis(Instant time) {
        // An ISO 8601 year can exceed what 64 bits hold; the latest time is refused as too far ahead.
        return inRange(time.isBefore(EARLIEST) ? 0 : time.isAfter(LATEST) ? Long.MAX_VALUE : time.toEpochMilli());
    }

    /** Returns a time that the router takes for one: any before 2000 is as past as 2000. */
    public static long inRange(long millis) {
        return Math.clamp(millis, ItemLimits.EARLIEST_MILLIS, ItemLimits.LATEST_MILLIS);
    }

    /** Requires that a time for the first attempt, 0 for none, is not too far ahead. */
    public static void requireSoon(String name, long deliverAtMillis, long nowMillis) {
        require(deliverAtMillis - nowMillis <= ItemLimits.MAX_AHEAD_MILLIS, name + " must be at most "
                + Durations.format(ItemLimits.MAX_AHEAD_MILLIS) + " ahead of now");
    }

    /** Returns the characters of the value at which the parser stands, and moves the parser to its end. */
    private static String raw(JsonParser json, String line) throws IOException {
        int start = (int) json.currentTokenLocation().getCharOffset();
        if (!json.currentToken().isStructStart()) {
            return line.substring(start, start + json.getTextLength());
        }
        json.skipChildren();
        return line.substring(start, (int) json.currentLocation().getCharOffset());
    }

    private static String encodable(String key, String text) {
        utf8(key, text);
        return text;
    }

    /** Returns the UTF-8 bytes of a text. An escape such as {@code \ud800} can produce text that has none. */
    private static ByteBuffer utf8(String key, String text) {
        try {
            return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(key + " contains half of a surrogate pair, which is not a character");
        }
    }

    private static void requireNew(boolean isNew, JsonParser json) throws IOException {
        if (!isNew) {
            throw new Misplaced(json, "the key " + json.currentName() + " appears twice");
        }
    }

    /** Returns an id or an order key; throws {@link IllegalArgumentException} if it cannot be one. */
    static String requireId(String name, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        require(ItemLimits.isId(bytes, 0, bytes.length),
                name + " must be 1 to " + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters");
        return text;
    }

    /** Throws {@link IllegalArgumentException} with a message if an input is invalid. */
    static void require(boolean isValid, String message) {
        if (!isValid) {
            throw new IllegalArgumentException(message);
        }
    }
}
