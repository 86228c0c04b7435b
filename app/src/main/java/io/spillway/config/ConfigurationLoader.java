package io.spillway.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.spillway.policy.PolicyField;
import io.spillway.policy.PolicySettings;
import io.spillway.policy.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads the configuration: defaults, over them a YAML file, over it the environment, over that the command line.
 *
 * <p>An environment variable is {@code SPILLWAY_} and the key in upper case with underscores, where a capital letter
 * inside a key may or may not have one before it: {@code SPILLWAY_TOPICS_MAX_BYTES}. Below a map it is a property's
 * name with underscores for dots: {@code SPILLWAY_KAFKA_PROPERTIES_SECURITY_PROTOCOL}.
 */
public final class ConfigurationLoader {
    /** Environment variables with our prefix that are no settings: the launcher's, and the admin key. */
    private static final Set<String> NOT_SETTINGS =
            Set.of("SPILLWAY_JAVA_HOME", "SPILLWAY_JAVA_OPTS", "SPILLWAY_HOME", "SPILLWAY_ADMIN_KEY");
    /** What Kubernetes puts into the environment for a service that is called spillway. */
    private static final Pattern KUBERNETES =
            Pattern.compile("SPILLWAY_(.*_)?(SERVICE_(HOST|PORT.*)|PORT|PORT_\\d+_(TCP|UDP).*)");
    private static final long MAX_FILE_BYTES = 1024 * 1024;
    private static final String ENVIRONMENT_PREFIX = "SPILLWAY_";

    private ConfigurationLoader() {}

    /**
     * Loads the configuration.
     *
     * @param file        the YAML file, or empty for none
     * @param environment all environment variables; those without our prefix are ignored
     * @param overrides   settings by key, from the command line
     * @throws InvalidSettingException when anything in it is unknown or not allowed
     */
    public static Configuration load(
            Optional<Path> file, Map<String, String> environment, Map<String, String> overrides) {
        KeyReader schema = new KeyReader(Map.of());
        read(schema);
        Map<String, String> values = new TreeMap<>();
        file.ifPresent(path -> values.putAll(readFile(path, schema)));
        environment.forEach((name, value) -> {
            if (isSetting(name)) {
                values.put(keyOf(name, schema), value);
            }
        });
        values.putAll(overrides);
        return read(new KeyReader(values));
    }

    private static Configuration read(KeyReader keys) {
        return new Configuration(
                new KafkaSettings(
                        keys.text("kafka.bootstrapServers", ""),
                        keys.text("kafka.prefix", "spillway"),
                        keys.integer("kafka.embeddedPort", 19_092),
                        keys.map("kafka.properties")),
                new TopicSettings(
                        keys.integer("topics.partitions", 12),
                        keys.integer("topics.replication", 3),
                        keys.integer("topics.maxBytes", 1_114_112)),
                readDefaults(keys),
                new RouterSettings(
                        keys.duration("router.commitInterval", "50ms"),
                        keys.integer("router.threads", 2),
                        keys.text("router.stateDir", ""),
                        keys.integer("router.maxTenants", 1_000_000),
                        keys.map("router.properties")),
                new MetricsSettings(
                        keys.text("metrics.host", "127.0.0.1"),
                        keys.integer("metrics.port", 9404),
                        keys.integer("metrics.tenants", 100)));
    }

    private static PolicySettings readDefaults(KeyReader keys) {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (PolicyField field : PolicyField.values()) {
            String key = "defaults." + field.key();
            String text = keys.text(key, "");
            if (!text.isEmpty()) {
                try {
                    settings = settings.with(field, text);
                } catch (IllegalArgumentException e) {
                    throw new InvalidSettingException(key, text, "must be " + field.allowed());
                }
            }
        }
        return settings;
    }

    private static Map<String, String> readFile(Path file, KeyReader schema) {
        String name = Printable.of(file.toString());
        JsonNode root;
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new InvalidSettingException(name + ": must be at most " + MAX_FILE_BYTES + " bytes");
            }
            root = YAMLMapper.builder()
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                    .build()
                    .readTree(Files.readAllBytes(file));
        } catch (JsonProcessingException e) {
            throw new InvalidSettingException(name + ": not valid YAML: " + Printable.of(e.getOriginalMessage())
                    + (e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")"));
        } catch (IOException e) {
            throw new InvalidSettingException(name + ": cannot be read: " + Printable.of(e.toString()));
        }
        Map<String, String> values = new TreeMap<>();
        flatten("", root, values, schema, name);
        return values;
    }

    private static void flatten(
            String path, JsonNode node, Map<String, String> values, KeyReader schema, String fileName) {
        if (node.isObject()) {
            node.properties().forEach(entry ->
                    flatten(path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(),
                            entry.getValue(), values, schema, fileName));
        } else if (node.isArray()) {
            throw new InvalidSettingException(fileName + ": " + Printable.of(path) + " is a list: must be one value");
        } else if (!node.isNull() && !node.isMissingNode()) {
            if (!schema.isKnown(path)) {
                throw new InvalidSettingException(fileName + ": " + Printable.of(path) + " = "
                        + Printable.of(node.asText()) + ": unknown key; " + nearest(path, schema));
            }
            values.put(path, node.asText());
        }
    }

    private static String nearest(String path, KeyReader schema) {
        String section = path.contains(".") ? path.substring(0, path.indexOf('.') + 1) : "";
        String known = String.join(", ", schema.known().stream()
                .filter(key -> key.startsWith(section) && !section.isEmpty())
                .toList());
        return known.isEmpty() ? "known sections are kafka, topics, defaults, router, metrics" : "known here: " + known;
    }

    private static boolean isSetting(String name) {
        return name.startsWith(ENVIRONMENT_PREFIX)
                && !NOT_SETTINGS.contains(name)
                && !KUBERNETES.matcher(name).matches();
    }

    private static String keyOf(String name, KeyReader schema) {
        String flat = name.substring(ENVIRONMENT_PREFIX.length());
        for (String key : schema.known()) {
            if (squeeze(key).equals(squeeze(flat))) {
                return key;
            }
        }
        for (String map : schema.knownMaps()) {
            String start = map.toUpperCase(Locale.ROOT).replace('.', '_');
            if (flat.startsWith(start) && flat.length() > start.length()) {
                return map + flat.substring(start.length()).toLowerCase(Locale.ROOT).replace('_', '.');
            }
        }
        throw new InvalidSettingException("environment variable " + Printable.of(name)
                + ": no such setting; must be SPILLWAY_ and a key of the configuration, such as SPILLWAY_TOPICS_PARTITIONS");
    }

    private static String squeeze(String key) {
        return key.replace(".", "").replace("_", "").toUpperCase(Locale.ROOT);
    }
}
