package io.spillway.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Numbers;
import io.spillway.core.text.Printable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Strict reader of one map of a YAML document or a JSON body, by key. Every error is an {@link InvalidSettingException}
 * that names the key, the value and what is allowed; a key that nothing has read is an error too. Owned by one thread.
 *
 * <p>In YAML every value is text as it is written, and null is an absent value. In JSON a number must be a number, and
 * null is refused: an absent condition widens a change.
 */
public final class DocumentMap {
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Origin origin;
    private final String path;
    private final JsonNode node;
    private final Set<String> known = new LinkedHashSet<>();

    /**
     * Document that the map is a part of.
     *
     * @param start start of every error, already escaped: the file, or nothing
     * @param aMap  what a map is called
     */
    private record Origin(String start, boolean isJson, String aMap) {}

    private DocumentMap(Origin origin, String path, JsonNode node) {
        this.origin = origin;
        this.path = path;
        this.node = node;
        if (!node.isObject() && (origin.isJson || !node.isNull() && !node.isMissingNode())) {
            throw wrong(path, shown(node), "must be " + origin.aMap);
        }
    }

    /**
     * Returns what the maker makes of a YAML document.
     *
     * @param name of the document in errors, already escaped
     */
    public static <T> T read(String name, JsonNode root, Function<DocumentMap, T> maker) {
        return new DocumentMap(new Origin(name + ": ", false, "a map"), "", root).made(maker);
    }

    /** Returns the object in a JSON body, whose keys {@link #end} checks; an empty body is an empty object. */
    public static DocumentMap ofJson(byte[] body) {
        Origin origin = new Origin("", true, "a JSON object");
        try {
            return new DocumentMap(origin, "", body.length == 0 ? STRICT.createObjectNode() : STRICT.readTree(body));
        } catch (JsonProcessingException e) {
            throw new InvalidSettingException("The body is not JSON"
                    + (e.getLocation() == null ? "" : " (column " + e.getLocation().getColumnNr() + ")") + ".");
        } catch (IOException e) {
            throw new IllegalStateException("An array cannot be read", e);
        }
    }

    /** Returns whether no key has a value. */
    public boolean isEmpty() {
        return node.properties().stream().allMatch(entry -> entry.getValue().isNull());
    }

    /** Returns whether a key has a value. */
    public boolean has(String key) {
        return !value(key).isNull() && !value(key).isMissingNode();
    }

    private JsonNode value(String key) {
        known.add(key);
        JsonNode value = node.path(key);
        if (origin.isJson && value.isNull()) {
            throw wrong(key, "must not be null: leave the key out");
        }
        return value;
    }

    /** Returns one value as text; empty if it is absent. */
    public Optional<String> text(String key) {
        if (value(key).isContainerNode()) {
            throw wrong(key, "must be one value");
        }
        return has(key) ? Optional.of(value(key).asText()) : Optional.empty();
    }

    /** Returns a text of at most so many characters, in JSON a string; empty if it is absent. */
    public Optional<String> text(String key, int mostCharacters) {
        String allowed = "must be text of at most " + mostCharacters + " characters";
        return typed(key, JsonNode::isTextual, allowed).map(text ->
                parsed(key, text, value -> value, value -> value.length() <= mostCharacters, allowed));
    }

    /** Returns one value as text. */
    public String required(String key) {
        return text(key).orElseThrow(() -> absent(key));
    }

    /** Returns the error of a value that must be there. */
    public InvalidSettingException absent(String key) {
        return wrong(key, "must be set");
    }

    /** Returns a whole number in a range; empty if it is absent. */
    public Optional<Long> whole(String key, long least, long most) {
        String allowed = "must be a whole number from " + least + " to " + most;
        return typed(key, JsonNode::isNumber, allowed).map(text ->
                parsed(key, text, Numbers::whole, value -> value >= least && value <= most, allowed));
    }

    /** Returns a number in a range; empty if it is absent. */
    public Optional<Double> number(String key, double least, double most) {
        String allowed = "must be a number from " + Numbers.plain(least) + " to " + Numbers.plain(most);
        return typed(key, JsonNode::isNumber, allowed).map(text ->
                parsed(key, text, Numbers::decimal, value -> value >= least && value <= most, allowed));
    }

    /** Returns true or false; false if it is absent. */
    public boolean flag(String key) {
        String allowed = "must be true or false";
        return typed(key, JsonNode::isBoolean, allowed).map(text -> parsed(
                key, text, Map.of("true", true, "false", false)::get, Objects::nonNull, allowed)).orElse(false);
    }

    /** Returns a duration in milliseconds; empty if it is absent. */
    public Optional<Long> millis(String key, long mostMillis) {
        return text(key).map(text -> parsed(key, text, Durations::parseMillis, millis -> millis <= mostMillis,
                "must be a duration such as 250ms, 30s, 5m or 1h, " + Durations.format(mostMillis) + " at most"));
    }

    /** Returns one of the constants by its name in lower case. */
    public <E extends Enum<E>> E choice(String key, Class<E> of) {
        Map<String, E> choices = new LinkedHashMap<>();
        for (E constant : of.getEnumConstants()) {
            choices.put(constant.name().toLowerCase(Locale.ROOT), constant);
        }
        return parsed(key, required(key), choices::get, Objects::nonNull,
                "must be one of " + String.join(", ", choices.keySet()));
    }

    /** Returns the stored values of those of these policy fields that are set. */
    public Map<PolicyField, Object> policy(Collection<PolicyField> fields) {
        Map<PolicyField, Object> values = new EnumMap<>(PolicyField.class);
        fields.forEach(field -> text(field.key()).ifPresent(text -> values.put(
                field, parsed(field.key(), text, field::parse, any -> true, "must be " + field.allowed()))));
        return values;
    }

    private Optional<String> typed(String key, Predicate<JsonNode> isOfType, String allowed) {
        if (origin.isJson && has(key) && !isOfType.test(value(key))) {
            throw wrong(key, allowed);
        }
        return text(key);
    }

    private <T> T parsed(
            String key, String text, Function<String, T> parser, Predicate<T> isAllowed, String allowed) {
        try {
            T value = parser.apply(text);
            if (isAllowed.test(value)) {
                return value;
            }
        } catch (IllegalArgumentException e) {
            // The same error as for a value out of range.
        }
        throw wrong(path(key), text, allowed + Numbers.hint(text));
    }

    /** Returns the texts of an array, 1 to {@code most}; none if it is absent. */
    public Set<String> texts(String key, int most) {
        Set<String> texts = new LinkedHashSet<>();
        JsonNode array = value(key);
        array.forEach(element -> texts.add(element.isTextual() ? element.textValue() : ""));
        if (has(key) && (!array.isArray() || texts.isEmpty() || array.size() > most || texts.contains(""))) {
            throw wrong(key, "must be a list of 1 to " + most + " texts");
        }
        return texts;
    }

    /** Returns what the maker makes of the map under a key. */
    public <T> T one(String key, Function<DocumentMap, T> maker) {
        JsonNode value = value(key);
        return new DocumentMap(
                origin, path(key), origin.isJson && value.isMissingNode() ? STRICT.createObjectNode() : value)
                .made(maker);
    }

    /** Returns what the maker makes of each map of a list; a single map is a list of one. */
    public <T> List<T> list(String key, Function<DocumentMap, T> maker) {
        JsonNode value = value(key);
        if (value.isObject()) {
            return List.of(one(key, maker));
        }
        if (!value.isArray() && has(key)) {
            throw wrong(key, "must be a list of maps");
        }
        List<T> made = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            made.add(new DocumentMap(origin, path(key) + "[" + i + "]", value.get(i)).made(maker));
        }
        return made;
    }

    /** Returns what the maker makes of the map under each key of this one, by key. */
    public <T> SortedMap<String, T> each(Predicate<String> isKey, String allowed, Function<DocumentMap, T> maker) {
        SortedMap<String, T> made = new TreeMap<>();
        node.fieldNames().forEachRemaining(key -> {
            if (!isKey.test(key)) {
                throw wrong(key, allowed);
            }
            made.put(key, one(key, maker));
        });
        return made;
    }

    /** Adds the path of this map to errors in its values. */
    private <T> T made(Function<DocumentMap, T> maker) {
        T made;
        try {
            made = maker.apply(this);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(
                    origin.start + (path.isEmpty() ? "" : Printable.of(path) + ": ") + Printable.of(e.getMessage()));
        }
        end();
        return made;
    }

    /** Refuses keys that were not read, so that a misspelt key never changes what is done. */
    public void end() {
        node.fieldNames().forEachRemaining(key -> {
            if (!known.contains(key)) {
                throw wrong(key, "unknown key; known here: " + String.join(", ", known));
            }
        });
    }

    /** Returns the error of a value. */
    public InvalidSettingException wrong(String key, String allowed) {
        return wrong(path(key), shown(node.path(key)), allowed);
    }

    private InvalidSettingException wrong(String fullPath, String value, String allowed) {
        return fullPath.isEmpty() && !node.isObject()
                ? new InvalidSettingException(origin.start + (origin.isJson ? "The body " : "") + allowed)
                : InvalidSettingException.in(origin.start, fullPath, value, allowed);
    }

    private String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    /** Returns a value for an error. */
    static String shown(JsonNode node) {
        return node.isObject() ? "{...}" : node.isArray() ? "[...]" : node.isMissingNode() ? "(absent)" : node.asText();
    }
}
