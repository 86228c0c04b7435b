package io.spillway.cli.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.Printable;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.Numbers;
import io.spillway.sim.scenario.ScenarioLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Reader of one map of a scenario file, by key. Every error is wrong usage and names the key, the value and the allowed
 * values. Owned by one call of the loader.
 */
final class ScenarioSection {
    private final String path;
    private final JsonNode node;
    private final Set<String> known = new LinkedHashSet<>();

    private ScenarioSection(String path, JsonNode node) {
        this.path = path;
        this.node = node;
    }

    /** Returns what the maker makes of the whole file. */
    static <T> T read(JsonNode root, Function<ScenarioSection, T> maker) {
        return of("", root).made(maker);
    }

    private static ScenarioSection of(String path, JsonNode node) {
        if (!node.isObject() && !node.isNull() && !node.isMissingNode()) {
            throw wrong(path, shown(node), "must be a map");
        }
        return new ScenarioSection(path, node);
    }

    /** Returns whether no key has a value. */
    boolean isEmpty() {
        return node.properties().stream().allMatch(entry -> entry.getValue().isNull());
    }

    boolean has(String key) {
        known.add(key);
        return node.hasNonNull(key);
    }

    String text(String key) {
        if (!has(key)) {
            throw wrong(path(key), "(absent)", "must be set");
        }
        return text(key, "");
    }

    String text(String key, String absent) {
        known.add(key);
        JsonNode value = node.path(key);
        if (value.isContainerNode()) {
            throw wrong(path(key), shown(value), "must be one value");
        }
        return value.isNull() || value.isMissingNode() ? absent : value.asText();
    }

    long whole(String key, long absent, long least, long most) {
        return parsed(key, text(key, Long.toString(absent)), Numbers::whole,
                value -> value >= least && value <= most, "must be a whole number from " + least + " to " + most);
    }

    double number(String key, double absent, double least, double most) {
        return number(key, text(key, Double.toString(absent)), least, most);
    }

    double number(String key, double least, double most) {
        return number(key, text(key), least, most);
    }

    private double number(String key, String text, double least, double most) {
        return parsed(key, text, Numbers::decimal,
                value -> value >= least && value <= most,
                "must be a number from " + ScenarioLimits.plain(least) + " to " + ScenarioLimits.plain(most));
    }

    boolean flag(String key) {
        String text = text(key, "false");
        if (!text.equals("true") && !text.equals("false")) {
            throw wrong(path(key), text, "must be true or false");
        }
        return text.equals("true");
    }

    long millis(String key, String absent) {
        return millisOf(key, text(key, absent));
    }

    long millis(String key) {
        return millisOf(key, text(key));
    }

    private long millisOf(String key, String text) {
        return parsed(key, text, Durations::parseMillis, millis -> millis <= ScenarioLimits.MAX_RUN_MILLIS,
                "must be a duration such as 250ms, 30s, 5m or 1h, 31d at most");
    }

    <E extends Enum<E>> E choice(String key, Class<E> of) {
        Map<String, E> choices = new LinkedHashMap<>();
        for (E each : of.getEnumConstants()) {
            choices.put(each.name().toLowerCase(Locale.ROOT), each);
        }
        return parsed(key, text(key), choices::get, Objects::nonNull,
                "must be one of " + String.join(", ", choices.keySet()));
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

    /** Returns what the maker makes of the map under a key; keys that the maker does not read are errors. */
    <T> T one(String key, Function<ScenarioSection, T> maker) {
        known.add(key);
        return of(path(key), node.path(key)).made(maker);
    }

    /** Returns what the maker makes of each map of a list; a single map is a list of one. */
    <T> List<T> list(String key, Function<ScenarioSection, T> maker) {
        known.add(key);
        JsonNode value = node.path(key);
        if (value.isObject()) {
            return List.of(of(path(key), value).made(maker));
        }
        if (!value.isArray() && !value.isNull() && !value.isMissingNode()) {
            throw wrong(path(key), shown(value), "must be a list of maps");
        }
        List<T> made = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            made.add(of(path(key) + "[" + i + "]", value.get(i)).made(maker));
        }
        return made;
    }

    /** Adds the path of this map to errors in its values. */
    private <T> T made(Function<ScenarioSection, T> maker) {
        T made;
        try {
            made = maker.apply(this);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(
                    (path.isEmpty() ? "" : Printable.of(path) + ": ") + Printable.of(e.getMessage()));
        }
        end();
        return made;
    }

    /** Rejects keys that were not read, before other errors, so that a misspelt key is reported first. */
    void end() {
        node.properties().stream().filter(entry -> !known.contains(entry.getKey())).findFirst().ifPresent(entry -> {
            throw wrong(entry.getKey(), "unknown key; known here: " + String.join(", ", known));
        });
    }

    /** Returns policy settings, under the keys of the configuration. */
    PolicySettings policy(String key) {
        return one(key, ScenarioSection::policy);
    }

    private PolicySettings policy() {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (PolicyField field : PolicyField.values()) {
            if (has(field.key())) {
                PolicySettings before = settings;
                String value = text(field.key());
                if (field == PolicyField.GROWTH && !value.equals("none")) {
                    throw wrong(field.key(), "must be none: limits that grow are not simulated");
                }
                if (field == PolicyField.PAUSED && !value.equals("false")) {
                    throw wrong(field.key(), "must be false: pauses are not simulated");
                }
                settings = parsed(field.key(), value, text -> before.with(field, text), any -> true,
                        "must be " + field.allowed());
            }
        }
        return settings;
    }

    CommandFailure wrong(String key, String allowed) {
        return wrong(path(key), shown(node.path(key)), allowed);
    }

    private static CommandFailure wrong(String path, String value, String allowed) {
        return CommandFailure.usage(Printable.of(path) + " = " + Printable.of(value) + ": " + allowed);
    }

    private String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private static String shown(JsonNode node) {
        return node.isObject() ? "{...}" : node.isArray() ? "[...]" : node.isMissingNode() ? "(absent)" : node.asText();
    }
}
