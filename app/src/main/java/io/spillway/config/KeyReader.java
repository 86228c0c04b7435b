package io.spillway.config;

import io.spillway.policy.Durations;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads typed settings from flat text by key, and remembers every key it was asked for: what is left over at the end
 * is unknown. Owned by one call of the loader.
 */
final class KeyReader {
    private final Map<String, String> values;
    private final Set<String> known = new LinkedHashSet<>();
    private final Set<String> knownMaps = new LinkedHashSet<>();

    KeyReader(Map<String, String> values) {
        this.values = values;
    }

    String text(String key, String absent) {
        known.add(key);
        return values.getOrDefault(key, absent);
    }

    int integer(String key, int absent) {
        String text = text(key, Integer.toString(absent));
        try {
            return Integer.parseInt(text.replace("_", ""));
        } catch (NumberFormatException e) {
            throw new InvalidSettingException(key, text, "must be a whole number");
        }
    }

    long longInteger(String key, long absent) {
        String text = text(key, Long.toString(absent));
        try {
            return Long.parseLong(text.replace("_", ""));
        } catch (NumberFormatException e) {
            throw new InvalidSettingException(key, text, "must be a whole number of 64 bits");
        }
    }

    /** Whole numbers with commas between them; none when it is absent or empty. */
    List<Integer> integers(String key) {
        String text = text(key, "");
        try {
            return text.isBlank() ? List.of() : Arrays.stream(text.split(",", -1)).map(String::strip).map(Integer::valueOf).toList();
        } catch (NumberFormatException e) {
            throw new InvalidSettingException(key, text, "must be whole numbers with commas between them");
        }
    }

    double number(String key, double absent) {
        String text = text(key, Double.toString(absent));
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new InvalidSettingException(key, text, "must be a number");
        }
    }

    <E extends Enum<E>> E choice(String key, E absent) {
        String text = text(key, absent.name().toLowerCase(Locale.ROOT));
        for (E each : absent.getDeclaringClass().getEnumConstants()) {
            if (each.name().equalsIgnoreCase(text)) {
                return each;
            }
        }
        throw new InvalidSettingException(key, text, "must be one of "
                + Arrays.toString(absent.getDeclaringClass().getEnumConstants()).toLowerCase(Locale.ROOT));
    }

    Duration duration(String key, String absent) {
        String text = text(key, absent);
        try {
            return Duration.ofMillis(Durations.parseMillis(text));
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(key, text, e.getMessage());
        }
    }

    /** All settings below a key, whatever they are called. */
    Map<String, String> map(String key) {
        knownMaps.add(key + ".");
        Map<String, String> below = new TreeMap<>();
        values.forEach((path, value) -> {
            if (path.startsWith(key + ".")) {
                below.put(path.substring(key.length() + 1), value);
            }
        });
        return below;
    }

    Set<String> known() {
        return known;
    }

    /** Whether it is the beginning of known keys, and so cannot have a value itself. */
    boolean isSection(String path) {
        return known.stream().anyMatch(key -> key.startsWith(path + "."))
                || knownMaps.stream().anyMatch(map -> map.startsWith(path + "."));
    }

    Set<String> knownMaps() {
        return knownMaps;
    }

    boolean isKnown(String path) {
        return known.contains(path) || knownMaps.stream().anyMatch(map -> path.startsWith(map) && path.length() > map.length());
    }
}
