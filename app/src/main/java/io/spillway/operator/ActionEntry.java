package io.spillway.operator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.text.Printable;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of the action log: what an operator did. All texts are printable ASCII; longer ones are cut.
 *
 * @param atMillis epoch milliseconds
 * @param by       name of the user, or user and host of a command
 * @param action   name of the action
 * @param tenant   tenant or {@code *}; empty if it is not about one
 * @param options  what was asked for, as text by option
 * @param result   one sentence
 */
public record ActionEntry(
        long atMillis, String by, String action, String tenant, Map<String, String> options, String result) {
    private static final int MAX_BYTES = 64 * 1024;
    private static final int MAX_OPTIONS = 50;
    private static final int MAX_RESULT = 1_000;
    private static final JsonMapper JSON = new JsonMapper();

    public ActionEntry {
        by = printable(by, Printable.MAX_LENGTH);
        action = printable(action, Printable.MAX_LENGTH);
        tenant = printable(tenant, Printable.MAX_LENGTH);
        result = printable(result, MAX_RESULT);
        Map<String, String> printable = new LinkedHashMap<>();
        options.entrySet().stream().limit(MAX_OPTIONS).forEach(option -> printable.put(
                printable(option.getKey(), Printable.MAX_LENGTH), printable(option.getValue(), Printable.MAX_LENGTH)));
        options = Collections.unmodifiableMap(printable);
    }

    /** Creates an entry from options of any type. */
    public static ActionEntry of(
            long atMillis, String by, String action, String tenant, Map<String, ?> options, String result) {
        Map<String, String> texts = new LinkedHashMap<>();
        options.forEach((name, value) -> texts.put(name, String.valueOf(value)));
        return new ActionEntry(atMillis, by, action, tenant, texts, result);
    }

    /** Escapes only what needs it, so that a text that is read back stays the same. */
    private static String printable(String text, int maxLength) {
        return text.length() <= maxLength && text.chars().allMatch(c -> c >= ' ' && c <= '~')
                ? text : Printable.of(text, maxLength);
    }

    /** Returns the fields of the entry, for JSON. */
    public ObjectNode json() {
        ObjectNode json = JSON.createObjectNode()
                .put("at", Inputs.iso(atMillis))
                .put("by", by)
                .put("action", action)
                .put("tenant", tenant.isEmpty() ? null : tenant);
        json.set("options", JSON.valueToTree(options));
        return json.put("result", result);
    }

    byte[] encode() {
        try {
            return JSON.writeValueAsBytes(json());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A JSON tree could not be serialized", e);
        }
    }

    /** @throws IllegalArgumentException if the bytes are not an entry */
    static ActionEntry decode(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("more than " + MAX_BYTES + " bytes");
        }
        try {
            JsonNode json = JSON.readTree(bytes);
            Map<String, String> options = new LinkedHashMap<>();
            json.path("options").properties().forEach(option ->
                    options.put(option.getKey(), option.getValue().asText()));
            return new ActionEntry(
                    Instant.parse(text(json, "at")).toEpochMilli(), text(json, "by"), text(json, "action"),
                    json.path("tenant").isTextual() ? json.get("tenant").textValue() : "", options,
                    text(json, "result"));
        } catch (IOException | DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("not an entry of the action log", e);
        }
    }

    private static String text(JsonNode json, String name) {
        if (!json.path(name).isTextual()) {
            throw new IllegalArgumentException("no text " + name);
        }
        return json.get(name).textValue();
    }
}
