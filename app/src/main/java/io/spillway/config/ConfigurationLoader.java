package io.spillway.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Loader of the configuration. Precedence, lowest first: defaults, YAML file, environment, command line.
 *
 * <p>An environment variable is {@code SPILLWAY_} and the key in upper case with underscores. An underscore before a
 * capital letter inside a key is optional: {@code SPILLWAY_TOPICS_MAX_BYTES}. Below a map, underscores stand for the
 * dots of the property's name: {@code SPILLWAY_KAFKA_PROPERTIES_SECURITY_PROTOCOL}.
 */
public final class ConfigurationLoader {
    /** Environment variables with the prefix that are not settings: the launcher's, the keys, and the log's. */
    private static final Set<String> NOT_SETTINGS = Set.of(
            "SPILLWAY_JAVA_HOME", "SPILLWAY_JAVA_OPTS", "SPILLWAY_CLASSPATH", "SPILLWAY_HOME", "SPILLWAY_ADMIN_KEY",
            "SPILLWAY_VIEWER_KEY", "SPILLWAY_LOG_FORMAT");
    /** Environment variables that Kubernetes sets for services whose names start with spillway. */
    private static final Pattern KUBERNETES =
            Pattern.compile("SPILLWAY_(.*_)?(SERVICE_(HOST|PORT.*)|PORT_\\d+_(TCP|UDP|SCTP)(_.*)?)");
    /** For a service spillway-metrics, Kubernetes sets SPILLWAY_METRICS_PORT, also a setting, to an address. */
    private static final Pattern KUBERNETES_ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*");
    private static final String ENVIRONMENT_PREFIX = "SPILLWAY_";
    private static final Pattern LINE_END = Pattern.compile("[\\r\\n]+$");
    private static final String VARIABLE = "environment variable ";

    private ConfigurationLoader() {}

    /**
     * Loads the configuration.
     *
     * @param file        the YAML file; empty for none
     * @param environment all environment variables; those without the prefix are ignored
     * @param overrides   settings by key, from the command line
     * @throws InvalidSettingException if a key is unknown or a value is not allowed
     */
    public static Configuration load(
            Optional<Path> file, Map<String, String> environment, Map<String, String> overrides) {
        Map<String, String> values = new TreeMap<>(file.map(ConfigurationLoader::readFile).orElse(Map.of()));
        values.putAll(readEnvironment(environment));
        overrides.forEach((key, value) -> {
            if (!SettingDefinition.isKnown(key)) {
                throw unknown("", key, value);
            }
            values.put(key, value);
        });
        return new SettingsBinder(values).bind(Configuration.class);
    }

    private static Map<String, String> readEnvironment(Map<String, String> environment) {
        Map<String, String> values = new TreeMap<>();
        new TreeMap<>(environment).forEach((name, text) -> {
            // Files of variables may have line ends of Windows.
            String value = LINE_END.matcher(text).replaceFirst("");
            if (isSetting(name, value)) {
                String key = keyOf(name, value);
                if (values.put(key, value) != null) {
                    throw InvalidSettingException.in(
                            VARIABLE, name, value, key + " is also set by another variable; must be set once");
                }
            }
        });
        return values;
    }

    private static Map<String, String> readFile(Path file) {
        String name = Printable.of(file.toString());
        JsonNode root = YamlDocument.read(file);
        if (!root.isObject() && !root.isNull() && !root.isMissingNode()) {
            throw new InvalidSettingException(name + ": must be a map of settings; " + knownAt(""));
        }
        Map<String, String> values = new TreeMap<>();
        root.properties().forEach(entry -> flatten(entry.getKey(), entry.getValue(), values, name + ": "));
        return values;
    }

    private static void flatten(String path, JsonNode node, Map<String, String> values, String source) {
        boolean isSection = SettingDefinition.isSection(path);
        if (node.isObject() && (isSection || SettingDefinition.isKnown(path + ".any"))) {
            node.properties().forEach(
                    entry -> flatten(path + "." + entry.getKey(), entry.getValue(), values, source));
        } else if (isSection) {
            // A section with only commented-out lines is null, which is equal to an absent one.
            if (!node.isNull()) {
                throw InvalidSettingException.in(
                        source, path, DocumentMap.shown(node), "must be a map of settings; " + knownAt(path + "."));
            }
        } else if (!SettingDefinition.isKnown(path)) {
            throw unknown(source, path, DocumentMap.shown(node));
        } else if (node.isContainerNode()) {
            throw InvalidSettingException.in(source, path, DocumentMap.shown(node), "must be one value");
        } else if (node.isNull()) {
            // Of a setting it is the default; an entry of a map has none, and would be missing without a word.
            if (SettingDefinition.isEntry(path)) {
                throw InvalidSettingException.in(
                        source, path, "null", "must have a value; in quotes if it is this word");
            }
        } else if (values.put(path, node.asText()) != null) {
            throw InvalidSettingException.in(source, path, DocumentMap.shown(node), "must be set once");
        }
    }

    private static InvalidSettingException unknown(String source, String key, String value) {
        return InvalidSettingException.in(source, key, value, "unknown key; " + knownAt(key));
    }

    private static String knownAt(String path) {
        if (settings(true).anyMatch(key -> path.equals(key + "."))) {
            return "any key";
        }
        String section = path.substring(0, path.indexOf('.') + 1);
        String known = settings(false).filter(key -> key.startsWith(section)).collect(Collectors.joining(", "));
        return !section.isEmpty() && !known.isEmpty() ? "known here: " + known
                : "known sections: " + settings(false).map(key -> key.substring(0, key.indexOf('.'))).distinct()
                        .collect(Collectors.joining(", "));
    }

    private static Stream<String> settings(boolean maps) {
        return SettingDefinition.ALL.stream().filter(setting -> setting.isMap() == maps).map(SettingDefinition::key);
    }

    private static boolean isSetting(String name, String value) {
        return name.startsWith(ENVIRONMENT_PREFIX) && !NOT_SETTINGS.contains(name)
                && !KUBERNETES.matcher(name).matches()
                && !(name.endsWith("PORT") && KUBERNETES_ADDRESS.matcher(value).matches());
    }

    private static String keyOf(String name, String value) {
        String flat = name.substring(ENVIRONMENT_PREFIX.length());
        for (SettingDefinition setting : SettingDefinition.ALL) {
            String start = setting.key().toUpperCase(Locale.ROOT).replace('.', '_') + "_";
            if (setting.isMap() && flat.startsWith(start) && flat.length() > start.length()) {
                return setting.key() + "." + flat.substring(start.length()).toLowerCase(Locale.ROOT).replace('_', '.');
            }
            if (!setting.isMap() && squeeze(setting.key()).equals(squeeze(flat))) {
                return setting.key();
            }
        }
        throw InvalidSettingException.in(VARIABLE, name, value,
                "unknown setting; must be SPILLWAY_ and a configuration key, such as SPILLWAY_TOPICS_PARTITIONS");
    }

    private static String squeeze(String key) {
        return key.replace(".", "").replace("_", "").toUpperCase(Locale.ROOT);
    }
}
