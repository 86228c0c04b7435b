package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parser of items in JSON, with defaults for absent fields. Thread-safe if the suppliers of its defaults are.
 *
 * @param defaultWorkload may be empty
 */
public record JsonItems(
        String defaultTenant, String defaultWorkload, Supplier<Instant> defaultEnqueuedAt,
        Supplier<String> defaultId) {
    private static final Set<String> KEYS = Set.of(
            "tenant", "id", "enqueuedAt", "workload", "channel", "contentType", "attributes", "payload");
    private static final Pattern DUPLICATE = Pattern.compile("Duplicate (?:field|Object property) ['\"](.*)['\"]");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Creates a parser that gives random ids to items without an id. */
    public JsonItems(String defaultTenant, String defaultWorkload, Supplier<Instant> defaultEnqueuedAt) {
        this(defaultTenant, defaultWorkload, defaultEnqueuedAt, () -> UUID.randomUUID().toString());
    }

    /**
     * Parses one item.
     *
     * @throws JsonProcessingException  if the text is not JSON
     * @throws IllegalArgumentException if it is not an item; the message contains the reason
     */
    public WorkItem parse(String line) throws JsonProcessingException {
        JsonNode node = JSON.readTree(line);
        require(node.isObject(), "not a JSON object");
        node.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                        "unknown key " + key + "; known keys are " + KEYS.stream().sorted().toList());
            }
        });
        require(node.has("payload"), "payload is missing");
        String tenant = text(node, "tenant", defaultTenant);
        String workload = text(node, "workload", defaultWorkload);
        String id = text(node, "id", "");
        if (id.isEmpty()) {
            id = defaultId.get();
        }
        byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
        require(ItemLimits.isName(tenant), "tenant must be 1 to 128 of A-Z a-z 0-9 . _ -");
        require(workload.isEmpty() || ItemLimits.isName(workload),
                "workload must be empty or 1 to 128 of A-Z a-z 0-9 . _ -");
        require(ItemLimits.isId(idBytes, 0, idBytes.length), "id must be 1 to 256 printable ASCII characters");
        return new WorkItem(
                tenant, id, enqueuedAt(node), workload, text(node, "channel", null),
                text(node, "contentType", ItemsApi.OCTETS), attributes(node),
                ByteBuffer.wrap(payload(node.get("payload"))));
    }

    /** Returns what is wrong with the text, and where: not the parser's own message, which names its internals. */
    public static String problemOf(JsonProcessingException e) {
        Matcher duplicate = DUPLICATE.matcher(String.valueOf(e.getOriginalMessage()));
        String what = e instanceof MismatchedInputException ? ": more than one value"
                : duplicate.lookingAt() ? ": the key " + Printable.of(duplicate.group(1)) + " appears twice" : "";
        return "not JSON" + what
                + (e.getLocation() == null ? "" : " (column " + e.getLocation().getColumnNr() + ")");
    }

    private Instant enqueuedAt(JsonNode node) {
        if (!node.hasNonNull("enqueuedAt")) {
            return defaultEnqueuedAt.get();
        }
        JsonNode time = node.get("enqueuedAt");
        try {
            if (time.isTextual()) {
                return OffsetDateTime.parse(time.textValue()).toInstant().truncatedTo(ChronoUnit.MILLIS);
            }
        } catch (DateTimeException notATime) {
            // The message below covers it.
        }
        require(time.isIntegralNumber() && time.canConvertToLong(),
                "enqueuedAt must be epoch milliseconds, or a time such as 2026-11-21T08:00:00Z");
        return Instant.ofEpochMilli(time.longValue());
    }

    private static Map<String, String> attributes(JsonNode node) {
        Map<String, String> attributes = new HashMap<>();
        if (node.hasNonNull("attributes")) {
            require(node.get("attributes").isObject(), "attributes must be an object with text values");
            node.get("attributes").properties()
                    .forEach(entry -> attributes.put(entry.getKey(), entry.getValue().asText()));
        }
        return attributes;
    }

    /** Returns the UTF-8 bytes of a text, and the JSON of any other value. */
    private static byte[] payload(JsonNode payload) {
        return (payload.isTextual() ? payload.textValue() : payload.toString()).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(JsonNode node, String key, String absent) {
        if (!node.hasNonNull(key)) {
            return absent;
        }
        require(node.get(key).isTextual(), key + " must be text");
        return node.get(key).textValue();
    }

    /** Throws {@link IllegalArgumentException} with a message if an input is invalid. */
    static void require(boolean isValid, String message) {
        if (!isValid) {
            throw new IllegalArgumentException(message);
        }
    }
}
