package io.spillway.kafka.topics;

import io.spillway.core.settings.InvalidSettingException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * Rules for configured properties of Kafka's clients: Kafka must know the name, and the value must not break a
 * guarantee. Kafka itself ignores unknown names, so a misspelt {@code security.protocol} would connect in plain text.
 */
public final class ClientProperties {
    private static final String BYTES = "because records of Spillway are bytes";
    /** Reads secrets from files and variables; Kafka accepts any names below it. */
    private static final String CONFIG_PROVIDERS = "config.providers";

    /** Rules by the name of a property on which guarantees rest: each is the end of the error. */
    private static final Map<String, String> GUARANTEED = Map.ofEntries(
            Map.entry("acks", only("all", "because a stored item must be on every in-sync replica")),
            Map.entry("enable.idempotence", only("true", "because a repeated send would store an item twice")),
            Map.entry("isolation.level",
                    only("read_committed", "because items of aborted transactions would be handled")),
            Map.entry("enable.auto.commit", only("false", "because unfinished items would be committed")),
            Map.entry("auto.offset.reset", only("none", "because lost offsets would skip or repeat items")),
            Map.entry("allow.auto.create.topics",
                    only("false", "because such topics have the cluster's defaults")),
            Map.entry("transaction.two.phase.commit.enable",
                    only("false", "because a transaction of a killed process would never end")),
            Map.entry("partitioner.ignore.keys",
                    only("false", "because records of one key must be in one partition")),
            Map.entry("partitioner.class", unset("because records of one key must be in one partition")),
            Map.entry("bootstrap.servers", unset("set kafka.bootstrapServers instead")),
            Map.entry("bootstrap.controllers", unset("set kafka.bootstrapServers instead")),
            Map.entry("transactional.id",
                    unset("because two producers with one id fence each other; set worker.id instead")),
            Map.entry("group.id", unset("because offsets are stored under it; set kafka.prefix instead")),
            Map.entry("max.request.size", unset("set topics.maxBytes instead")),
            Map.entry("interceptor.classes",
                    unset("because an interceptor can change or drop records that the ledger has counted")),
            Map.entry("key.serializer", unset(BYTES)),
            Map.entry("value.serializer", unset(BYTES)),
            Map.entry("key.deserializer", unset(BYTES)),
            Map.entry("value.deserializer", unset(BYTES)));

    private final String section;
    private final Set<String> known = new HashSet<>();
    private final Map<String, String> fixed = new HashMap<>(GUARANTEED);
    private List<String> prefixes = List.of();

    /** Creates the rules for all clients. The section is the key of the map, such as {@code kafka.properties}. */
    public ClientProperties(String section) {
        this.section = section;
        known.addAll(AdminClientConfig.configNames());
        known.addAll(ConsumerConfig.configNames());
        known.addAll(ProducerConfig.configNames());
        known.removeIf(name -> name.startsWith("internal."));
    }

    /** Adds names that an application of clients knows, and the prefixes with which it passes names to its clients. */
    public ClientProperties knowing(Collection<String> names, List<String> clientPrefixes) {
        names.stream().filter(name -> !name.startsWith("__") && !name.startsWith("internal.")).forEach(known::add);
        prefixes = List.copyOf(clientPrefixes);
        return this;
    }

    /** Refuses some properties. The reason is the end of the error: {@code set router.threads instead}. */
    public ClientProperties refusing(Map<String, String> reasons) {
        reasons.forEach((name, reason) -> fixed.put(name, unset(reason)));
        return this;
    }

    /** Adds a property with one allowed value and its reason, such as {@code because items would be lost}. */
    public ClientProperties requiring(String name, String value, String reason) {
        fixed.put(name, only(value, reason));
        return this;
    }

    /** @throws InvalidSettingException for a property that is unknown or breaks a guarantee */
    public void check(Map<String, String> properties) {
        new TreeMap<>(properties).forEach((name, value) -> {
            String plain = withoutPrefix(name);
            String rule = fixed.get(plain);
            if (rule != null && !allows(rule, value)) {
                throw new InvalidSettingException(section + "." + name, value, rule);
            }
            if (!isKnown(plain)) {
                // The value is hidden: the misspelt name may be that of a password.
                throw new InvalidSettingException(section + "." + name, "***",
                        "unknown to Kafka. Kafka Streams has its own below router.properties, plug-ins have theirs"
                                + " below kafka.plugins");
            }
        });
    }

    /** @throws InvalidSettingException for a property that Kafka knows, which belongs to another section */
    public void checkForeign(Map<String, String> properties, String other) {
        new TreeMap<>(properties).forEach((name, value) -> {
            if (isKnown(withoutPrefix(name)) || fixed.containsKey(withoutPrefix(name))) {
                throw new InvalidSettingException(section + "." + name, value,
                        "must be below " + other + ", because Kafka knows this property");
            }
        });
    }

    private boolean isKnown(String name) {
        return known.contains(name) || name.equals(CONFIG_PROVIDERS) || name.startsWith(CONFIG_PROVIDERS + ".");
    }

    private String withoutPrefix(String name) {
        return prefixes.stream().filter(name::startsWith).findFirst()
                .map(prefix -> name.substring(prefix.length())).orElse(name);
    }

    private static String only(String value, String reason) {
        return "must be " + value + ", " + reason;
    }

    private static String unset(String reason) {
        return "must not be set: " + reason;
    }

    private static boolean allows(String rule, String text) {
        String given = text.strip().toLowerCase(Locale.ROOT);
        // Two notations of one value.
        return rule.startsWith(only(given.equals("-1") ? "all" : given, ""));
    }
}
