package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.StoredKey;
import io.spillway.runtime.CompactedTopics;
import io.spillway.runtime.ViewProgress;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.RecordMetadata;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants key}: API keys of tenants for the gateway. Needs only Kafka, not the gateway. */
@Command(
        name = "key",
        description = "Creates, lists and revokes API keys of tenants for the gateway, without a restart. Spillway "
                + "stores only hashes of keys.")
final class TenantsKeyCommand {
    private final InstantSource clock = InstantSource.system();

    @Command(
            name = "create",
            description = "Creates a key for a tenant and prints it. It cannot be shown again. A tenant has at most "
                    + ApiKeys.MAX_PER_TENANT + " keys.")
    int create(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", description = "Tenant.") String tenant,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        requireTenant(tenant);
        Configuration configuration = configured(common);
        if (read(configuration, Optional.of(tenant)).size() >= ApiKeys.MAX_PER_TENANT) {
            throw CommandFailure.failed(tenant + " already has " + ApiKeys.MAX_PER_TENANT + " keys, the maximum. "
                    + "Revoke one of them: "
                    + "spillway tenants key list " + tenant);
        }
        ApiKey key = ApiKey.make(new SecureRandom());
        byte[] stored = StoredKey.of(tenant, key, clock.millis()).encode();
        Printer printer = common.printer();
        write(configuration, Map.of(key.keyId(), Optional.of(stored)), wait, printer);
        if (common.isJson()) {
            Map<String, String> result = new LinkedHashMap<>();
            result.put("tenant", tenant);
            result.put("keyId", key.keyId());
            result.put("key", key.text());
            printer.json(result);
        } else {
            printer.line(key.text());
            printer.note("The key " + key.keyId() + " of " + tenant + " cannot be shown again. Store it with your "
                    + "secrets.");
        }
        return 0;
    }

    @Command(name = "list",
            description = "Lists key ids and creation times of a tenant or of all tenants. It prints no secrets.")
    int list(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", arity = "0..1", description = "Tenant. Default: all.") String tenant) {
        Optional<String> one = Optional.ofNullable(tenant);
        one.ifPresent(TenantsKeyCommand::requireTenant);
        List<StoredKey> keys = read(configured(common), one);
        Printer printer = common.printer();
        if (common.isJson()) {
            printer.json(keys.stream()
                    .map(key -> Map.of("tenant", key.tenant(), "keyId", key.keyId(), "createdAt", createdAt(key)))
                    .toList());
        } else if (keys.isEmpty()) {
            printer.line(one.map(name -> name + " has no key.").orElse("No tenant has a key."));
        } else {
            printer.table(keys.stream()
                    .map(key -> List.of(key.tenant(), Printable.of(key.keyId()), createdAt(key)))
                    .toList());
        }
        return 0;
    }

    @Command(
            name = "revoke",
            description = "Revokes keys of a tenant. Every gateway rejects them within seconds. Without KEYID it "
                    + "revokes all keys of the tenant.")
    int revoke(
            @Mixin CommonOptions common,
            @Parameters(index = "0", paramLabel = "T", description = "Tenant.") String tenant,
            @Parameters(index = "1..*", paramLabel = "KEYID",
                    description = "Ids of the keys to revoke. Default: all keys of the tenant.") List<String> keyIds,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        requireTenant(tenant);
        Configuration configuration = configured(common);
        List<String> existing = read(configuration, Optional.of(tenant)).stream().map(StoredKey::keyId).toList();
        List<String> revoked = keyIds == null ? existing : keyIds.stream().distinct().toList();
        if (revoked.isEmpty()) {
            throw CommandFailure.failed(tenant + " has no key. List all keys with: spillway tenants key list");
        }
        for (String keyId : revoked) {
            if (!existing.contains(keyId)) {
                throw CommandFailure.failed("Nothing is revoked: " + tenant + " has no key " + Printable.of(keyId)
                        + ". List its keys with: spillway tenants key list " + tenant);
            }
        }
        Printer printer = common.printer();
        Map<String, Optional<byte[]>> entries = new LinkedHashMap<>();
        revoked.forEach(keyId -> entries.put(keyId, Optional.empty()));
        write(configuration, entries, wait, printer);
        if (common.isJson()) {
            printer.json(Map.of("tenant", tenant, "revoked", revoked));
        } else {
            printer.line("Revoked " + String.join(", ", revoked) + " of " + tenant + ".");
        }
        return 0;
    }

    private static void requireTenant(String tenant) {
        OptionValues.requireName("tenant", tenant);
    }

    private static Configuration configured(CommonOptions common) {
        return common.configurationWithCluster(topics -> List.of(topics.keys()));
    }

    private static String createdAt(StoredKey key) {
        return Instant.ofEpochMilli(key.createdAtMillis()).toString();
    }

    private List<StoredKey> read(Configuration configuration, Optional<String> tenant) {
        try (CompactedTopics topics = new CompactedTopics(configuration, clock)) {
            return topics.read(new Topics(configuration.queue()).keys(), new ApiKeys()).all(tenant);
        }
    }

    /** @param entries what to store by key id; empty removes the key */
    private void write(
            Configuration configuration, Map<String, Optional<byte[]>> entries, boolean wait, Printer printer) {
        String topic = new Topics(configuration.queue()).keys();
        List<RecordMetadata> stored = new ArrayList<>();
        try (CompactedTopics topics = new CompactedTopics(configuration, clock)) {
            entries.forEach((keyId, value) -> stored.add(topics.write(topic, keyId, value.orElse(null))));
        }
        if (wait) {
            ViewProgress.await(configuration, stored.getLast(), clock, printer);
        }
    }
}
