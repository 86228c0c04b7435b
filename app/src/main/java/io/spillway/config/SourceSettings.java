package io.spillway.config;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Source: an existing topic whose records become items. Its settings are below {@code router.sources.NAME}. */
public record SourceSettings(
        @Setting(key = "topic", allowed = "an existing topic",
                doc = "Topic to read. It is never changed, and nothing is deleted from it.") String topic,
        @Setting(key = "format", defaultValue = "bytes", allowed = "bytes, json, avro, registry or cloudevents",
                doc = "Format of the values: bytes, json, avro (single-object encoding), registry (Avro or JSON behind"
                        + " the id of its schema in a registry) or cloudevents (binary or structured).") Format format,
        @Setting(key = "tenant", allowed = RecordPlace.ALLOWED, doc = "Where the tenant is. The first place with a"
                + " value counts.") String tenant,
        @Setting(key = "id", allowed = RecordPlace.ALLOWED, defaultNote = "the position of the record",
                doc = "Where the id of the item is.") String id,
        @Setting(key = "workload", allowed = RecordPlace.ALLOWED, doc = "Where the workload is.") String workload,
        @Setting(key = "priority", allowed = RecordPlace.ALLOWED, doc = "Where the priority is, 0 to 9.")
                String priority,
        @Setting(key = "enqueuedAt", allowed = RecordPlace.ALLOWED, defaultNote = "the timestamp of the record",
                doc = "Where the time is at which the item was made: epoch milliseconds, or ISO 8601 with an offset.")
                String enqueuedAt,
        @Setting(key = "deliverAt", allowed = RecordPlace.ALLOWED,
                doc = "Where the earliest time of the first attempt is, as for enqueuedAt.") String deliverAt,
        @Setting(key = "orderKey", allowed = RecordPlace.ALLOWED, doc = "Where the order key is, 1 to 256 printable"
                + " ASCII characters. Items of a tenant with the same one are handled one at a time.") String orderKey,
        @Setting(key = "dedupe", defaultValue = "false", doc = "Whether a record is dropped whose id its tenant has"
                + " sent before, within dedupeWindow of its policy. It needs id.") boolean dedupe,
        @Setting(key = "schemas", allowed = "files with commas between them",
                doc = "With the format avro: the schemas of the writers.") String schemas,
        @Setting(key = "registry", allowed = "an http or https URL",
                doc = "With the format registry: its address, if a field is in the value.") String registry,
        @Setting(key = "registryCredentials", allowed = "a scheme and its credentials",
                doc = "What it gets in the header Authorization: Basic and user:password in base64, or Bearer and a"
                        + " token.") String registryCredentials,
        @Setting(key = "start", defaultValue = "earliest", allowed = "earliest, latest or a time such as"
                + " 2026-01-31T08:00:00Z", doc = "Where the source begins when it starts for the first time.")
                String start) {
    /** Key of the map of all sources. */
    public static final String KEY = "router.sources";
    /** Value of {@code start}. */
    public static final String EARLIEST = "earliest";
    /** Value of {@code start}. */
    public static final String LATEST = "latest";

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,40}");
    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    /** Format of the values of a topic. */
    public enum Format {
        BYTES, JSON, AVRO, REGISTRY, CLOUDEVENTS
    }

    public SourceSettings {
        if (!TOPIC.matcher(topic).matches()) {
            throw new InvalidSettingException("topic", topic, "must be the name of an existing topic");
        }
        if (tenant.isBlank()) {
            throw new InvalidSettingException("tenant", tenant, "must be " + RecordPlace.ALLOWED);
        }
        checkPlaces(format, registry, "tenant", tenant);
        checkPlaces(format, registry, "id", id);
        checkPlaces(format, registry, "workload", workload);
        checkPlaces(format, registry, "priority", priority);
        checkPlaces(format, registry, "enqueuedAt", enqueuedAt);
        checkPlaces(format, registry, "deliverAt", deliverAt);
        checkPlaces(format, registry, "orderKey", orderKey);
        if (dedupe && id.isBlank()) {
            throw new InvalidSettingException("dedupe", "true", "needs id, because positions of records never repeat");
        }
        if (format == Format.AVRO && schemas.isBlank()) {
            throw new InvalidSettingException("schemas", schemas, "must name the files with the schemas of the writers,"
                    + " as format = avro");
        }
        if (!registry.isEmpty() && !isAddress(registry)) {
            throw new InvalidSettingException("registry", registry.contains("@") ? "***" : registry,
                    "must be an http or https URL without a query. A login belongs in registryCredentials");
        }
        if (!registryCredentials.matches("[!-~ ]*")) {
            throw new InvalidSettingException("registryCredentials", "", "must be printable ASCII");
        }
        if (!start.equals(EARLIEST) && !start.equals(LATEST)) {
            try {
                Instant.parse(start);
            } catch (DateTimeParseException e) {
                throw new InvalidSettingException("start", start,
                        "must be earliest, latest or a time such as 2026-01-31T08:00:00Z");
            }
        }
    }

    private static boolean isAddress(String text) {
        try {
            URI address = new URI(text);
            return ("http".equals(address.getScheme()) || "https".equals(address.getScheme()))
                    && address.getHost() != null && address.getRawUserInfo() == null
                    && address.getRawQuery() == null && address.getRawFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static void checkPlaces(Format format, String registry, String key, String text) {
        for (RecordPlace place : RecordPlace.parse(key, text)) {
            boolean isInValue = place instanceof RecordPlace.Value;
            if (isInValue && format == Format.BYTES) {
                throw new InvalidSettingException(key, text, "a field of the value needs a format: json, avro,"
                        + " registry or cloudevents");
            }
            if (isInValue && format == Format.REGISTRY && registry.isEmpty()) {
                throw new InvalidSettingException(key, text, "a field of the value needs registry, the address of the"
                        + " schema registry");
            }
            if (place instanceof RecordPlace.Attribute && format != Format.CLOUDEVENTS) {
                throw new InvalidSettingException(key, text, "an attribute needs format = cloudevents");
            }
        }
    }

    /**
     * Returns the sources by name.
     *
     * @param values settings by their keys below {@link #KEY}
     * @throws InvalidSettingException with the full key, for a value that is not allowed and for an unknown key
     */
    public static SortedMap<String, SourceSettings> parse(Map<String, String> values) {
        SortedMap<String, Map<String, String>> byName = new TreeMap<>();
        values.forEach((key, value) -> {
            int dot = key.indexOf('.');
            String name = dot < 0 ? key : key.substring(0, dot);
            if (!NAME.matcher(name).matches() || dot < 0) {
                throw new InvalidSettingException(KEY + "." + key, value,
                        "must be below the name of a source, which is 1 to 40 of a-z, 0-9 and -");
            }
            byName.computeIfAbsent(name, none -> new TreeMap<>()).put(known(key.substring(dot + 1)), value);
        });
        SortedMap<String, SourceSettings> sources = new TreeMap<>();
        byName.forEach((name, settings) -> sources.put(name, bind(KEY + "." + name + ".", settings)));
        return sources;
    }

    private static SourceSettings bind(String section, Map<String, String> values) {
        try {
            SettingsBinder binder = new SettingsBinder(values);
            SourceSettings settings = binder.bind(SourceSettings.class);
            for (String key : binder.unused()) {
                throw new InvalidSettingException(key, values.get(key), "unknown key; known here: "
                        + String.join(", ", keys()));
            }
            return settings;
        } catch (InvalidSettingException e) {
            throw new InvalidSettingException(section + e.getMessage());
        }
    }

    /** Returns a key as it is declared: environment variables have no capital letters. */
    private static String known(String key) {
        return keys().stream().filter(key::equalsIgnoreCase).findFirst().orElse(key);
    }

    private static List<String> keys() {
        return Arrays.stream(SourceSettings.class.getRecordComponents())
                .flatMap(component -> Stream.ofNullable(component.getAnnotation(Setting.class)))
                .map(Setting::key).toList();
    }

    /** Returns a text without the credentials. */
    @Override
    public String toString() {
        return topic + " (" + format + ")";
    }

    /** Returns the time at which it begins, epoch milliseconds; empty for the earliest or the latest record. */
    public OptionalLong startMillis() {
        return start.equals(EARLIEST) || start.equals(LATEST) ? OptionalLong.empty()
                : OptionalLong.of(Instant.parse(start).toEpochMilli());
    }
}
