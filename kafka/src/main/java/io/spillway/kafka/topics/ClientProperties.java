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

    /** Properties on which guarantees rest. */
    private static final Map<String, Fixed> GUARANTEED = Map.ofEntries(
            Map.entry("acks", new Fixed("all", "because a stored item must be on every in-sync replica")),
            Map.entry("enable.idempotence", new Fixed("true", "because a repeated send would store an item twice")),
            Map.entry("isolation.level",
                    new Fixed("read_committed", "because items of aborted transactions would be handled")),
            Map.entry("enable.auto.commit", new Fixed("false", "because unfinished items would be committed")),
            Map.entry("auto.offset.reset", new Fixed("none", "because lost offsets would skip or repeat items")),
            Map.entry("allow.auto.create.topics",
                    new Fixed("false", "because such topics have the cluster's defaults")),
            Map.entry("transaction.two.phase.commit.enable",
                    new Fixed("false", "because a transaction of a killed process would never end")),
            Map.entry("partitioner.ignore.keys",
                    new Fixed("false", "because records of one key must be in one partition")),
            Map.entry("partitioner.class", Fixed.unset("because records of one key must be in one partition")),
            Map.entry("bootstrap.servers", Fixed.unset("set kafka.bootstrapServers instead")),
            Map.entry("bootstrap.controllers", Fixed.unset("set kafka.bootstrapServers instead")),
            Map.entry("transactional.id",
                    Fixed.unset("because two producers with one id fence each other; set worker.id instead")),
            Map.entry("group.id", Fixed.unset("because offsets are stored under it; set kafka.prefix instead")),
            Map.entry("max.request.size", Fixed.unset("set topics.maxBytes instead")),
            Map.entry("interceptor.classes",
                    Fixed.unset("because an interceptor can change or drop records that the ledger has counted")),
            Map.entry("key.serializer", Fixed.unset(BYTES)),
            Map.entry("value.serializer", Fixed.unset(BYTES)),
            Map.entry("key.deserializer", Fixed.unset(BYTES)),
            Map.entry("value.deserializer", Fixed.unset(BYTES)));

    private final String section;
    private final Set<String> known = new HashSet<>();
    private final Map<String, Fixed> fixed = new HashMap<>(GUARANTEED);
    private List<String> prefixes = List.of();

    /**
     * Property that is not free.
     *
     * @param value  only allowed value; empty for none
     * @param reason reason or remedy, the end of the error
     */
    private record Fixed(String value, String reason) {
        static Fixed unset(String reason) {
            return new Fixed("", reason);
        }

        boolean allows(String text) {
            String given = text.strip().toLowerCase(Locale.ROOT);
            // Two notations of one value.
            return !value.isEmpty() && (given.equals(value) || value.equals("all") && given.equals("-1"));
        }

        String allowed() {
            return value.isEmpty() ? "must not be set: " + reason : "must be " + value + ", " + reason;
        }
    }

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
        reasons.forEach((name, reason) -> fixed.put(name, Fixed.unset(reason)));
        return this;
    }

    /** Adds a property with one allowed value and its reason, such as {@code because items would be lost}. */
    public ClientProperties requiring(String name, String value, String reason) {
        fixed.put(name, new Fixed(value, reason));
        return this;
    }

    /** @throws InvalidSettingException for a property that is unknown or breaks a guarantee */
    public void check(Map<String, String> properties) {
        new TreeMap<>(properties).forEach((name, value) -> {
            String plain = withoutPrefix(name);
            Fixed rule = fixed.get(plain);
            if (rule != null && !rule.allows(value)) {
                throw new InvalidSettingException(section + "." + name, value, rule.allowed());
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
}
