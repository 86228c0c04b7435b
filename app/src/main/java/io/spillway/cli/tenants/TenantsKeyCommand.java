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
import io.spillway.kafka.view.StoredKeyCodec;
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

/** {@code spillway tenants key}: the keys with which tenants' callers come to the gateway. It talks to Kafka alone. */
@Command(
        name = "key",
        mixinStandardHelpOptions = true,
        description = "Makes, lists and revokes tenants' API keys for the gateway, live. Only hashes are kept.")
final class TenantsKeyCommand {
    private final InstantSource clock = InstantSource.system();

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Makes a key for a tenant and shows it, this once. A tenant has " + ApiKeys.MAX_PER_TENANT + " at the most.")
    int create(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", description = "the tenant") String tenant,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        requireTenant(tenant);
        Configuration configuration = configured(common);
        if (read(configuration, Optional.of(tenant)).size() >= ApiKeys.MAX_PER_TENANT) {
            throw CommandFailure.failed(tenant + " has " + ApiKeys.MAX_PER_TENANT
                    + " keys already, the most; revoke one first: spillway tenants key list " + tenant);
        }
        ApiKey key = ApiKey.make(new SecureRandom());
        byte[] stored = new StoredKeyCodec().encode(StoredKey.of(tenant, key, clock.millis()));
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
            printer.note("the key " + key.keyId() + " of " + tenant + " is shown this once; keep it where secrets are kept");
        }
        return 0;
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the keys of a tenant, or of all: ids and ages, no secrets.")
    int list(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", arity = "0..1", description = "the tenant (default: all)") String tenant) {
        Optional<String> one = Optional.ofNullable(tenant);
        one.ifPresent(TenantsKeyCommand::requireTenant);
        List<StoredKey> keys = read(configured(common), one);
        Printer printer = common.printer();
        if (common.isJson()) {
            printer.json(keys.stream()
                    .map(key -> Map.of("tenant", key.tenant(), "keyId", key.keyId(), "createdAt", createdAt(key)))
                    .toList());
        } else if (keys.isEmpty()) {
            printer.line(one.map(name -> name + " has no key").orElse("no tenant has a key"));
        } else {
            printer.table(keys.stream()
                    .map(key -> List.of(key.tenant(), Printable.of(key.keyId()), createdAt(key)))
                    .toList());
        }
        return 0;
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = "Revokes keys of a tenant: every gateway refuses them within seconds. Without a KEYID all keys of the tenant.")
    int revoke(
            @Mixin CommonOptions common,
            @Parameters(index = "0", paramLabel = "T", description = "the tenant") String tenant,
            @Parameters(index = "1..*", paramLabel = "KEYID", description = "keys to revoke (default: all of the tenant)") List<String> keyIds,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        requireTenant(tenant);
        Configuration configuration = configured(common);
        List<String> existing = read(configuration, Optional.of(tenant)).stream().map(StoredKey::keyId).toList();
        List<String> revoked = keyIds == null ? existing : keyIds.stream().distinct().toList();
        if (revoked.isEmpty()) {
            throw CommandFailure.failed(tenant + " has no key; see: spillway tenants key list");
        }
        for (String keyId : revoked) {
            if (!existing.contains(keyId)) {
                throw CommandFailure.failed("nothing is revoked: " + tenant + " has no key " + Printable.of(keyId)
                        + "; see: spillway tenants key list " + tenant);
            }
        }
        Printer printer = common.printer();
        Map<String, Optional<byte[]>> entries = new LinkedHashMap<>();
        revoked.forEach(keyId -> entries.put(keyId, Optional.empty()));
        write(configuration, entries, wait, printer);
        if (common.isJson()) {
            printer.json(Map.of("tenant", tenant, "revoked", revoked));
        } else {
            printer.line("revoked " + String.join(", ", revoked) + " of " + tenant);
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

    /** @param entries what to store by key id; empty takes the key away */
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
