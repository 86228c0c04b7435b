package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.ItemLimits;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/** Reads items from JSON objects, one at a time, and says what is wrong with those that are none. Thread-safe when its sources are. */
public final class JsonItems {
    private static final Set<String> KEYS = Set.of(
            "tenant", "id", "enqueuedAt", "workload", "channel", "contentType", "attributes", "payload");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String defaultTenant;
    private final String defaultWorkload;
    private final Supplier<Instant> defaultMadeAt;
    private final Supplier<String> defaultId;

    /** As the other one, with random ids. */
    public JsonItems(String defaultTenant, String defaultWorkload, Supplier<Instant> defaultMadeAt) {
        this(defaultTenant, defaultWorkload, defaultMadeAt, () -> UUID.randomUUID().toString());
    }

    /**
     * Makes a reader.
     *
     * @param defaultTenant   of items that name none
     * @param defaultWorkload of items that name none; may be empty
     * @param defaultMadeAt   when items were made that do not say
     * @param defaultId       ids for items without one
     */
    public JsonItems(
            String defaultTenant, String defaultWorkload, Supplier<Instant> defaultMadeAt, Supplier<String> defaultId) {
        this.defaultTenant = defaultTenant;
        this.defaultWorkload = defaultWorkload;
        this.defaultMadeAt = defaultMadeAt;
        this.defaultId = defaultId;
    }

    /**
     * The item in a line.
     *
     * @throws JsonProcessingException  when it is not JSON
     * @throws IllegalArgumentException when it is not an item; the message says why
     */
    public WorkItem parse(String line) throws JsonProcessingException {
        JsonNode node = JSON.readTree(line);
        if (!node.isObject()) {
            throw new IllegalArgumentException("not a JSON object");
        }
        node.fieldNames().forEachRemaining(key -> {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException("unknown key " + key + "; known are " + KEYS.stream().sorted().toList());
            }
        });
        if (!node.has("payload")) {
            throw new IllegalArgumentException("no payload");
        }
        String tenant = text(node, "tenant", defaultTenant);
        String workload = text(node, "workload", defaultWorkload);
        String id = text(node, "id", "");
        if (id.isEmpty()) {
            id = defaultId.get();
        }
        byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
        require(ItemLimits.isName(tenant), "tenant must be 1 to 128 of A-Z a-z 0-9 . _ -");
        require(workload.isEmpty() || ItemLimits.isName(workload), "workload must be empty or 1 to 128 of A-Z a-z 0-9 . _ -");
        require(ItemLimits.isId(idBytes, 0, idBytes.length), "id must be 1 to 256 printable ASCII characters");
        return new WorkItem(
                tenant,
                id,
                madeAt(node),
                workload,
                node.hasNonNull("channel") ? text(node, "channel", "") : null,
                text(node, "contentType", "application/octet-stream"),
                attributes(node),
                ByteBuffer.wrap(payload(node.get("payload"))));
    }

    private Instant madeAt(JsonNode node) {
        if (!node.hasNonNull("enqueuedAt")) {
            return defaultMadeAt.get();
        }
        require(node.get("enqueuedAt").isIntegralNumber() && node.get("enqueuedAt").canConvertToLong(), "enqueuedAt must be epoch milliseconds");
        return Instant.ofEpochMilli(node.get("enqueuedAt").longValue());
    }

    private static Map<String, String> attributes(JsonNode node) {
        Map<String, String> attributes = new HashMap<>();
        if (node.hasNonNull("attributes")) {
            require(node.get("attributes").isObject(), "attributes must be an object of texts");
            node.get("attributes").properties().forEach(entry -> attributes.put(entry.getKey(), entry.getValue().asText()));
        }
        return attributes;
    }

    /** A text is its UTF-8 bytes; any other JSON value is sent as its JSON. */
    private static byte[] payload(JsonNode payload) {
        return (payload.isTextual() ? payload.textValue() : payload.toString()).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(JsonNode node, String key, String absent) {
        if (!node.hasNonNull(key)) {
            return absent;
        }
        require(node.get(key).isTextual(), key + " must be a text");
        return node.get(key).textValue();
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
