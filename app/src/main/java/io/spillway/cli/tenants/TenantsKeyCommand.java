package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.StoredKey;
import io.spillway.operator.Inputs;
import io.spillway.runtime.ViewProgress;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway tenants key}: API keys of tenants for the gateway. Needs only Kafka, not the gateway. */
@Command(name = "key",
        description = "Creates, lists and revokes API keys of tenants for the gateway, without a restart. Spillway "
                + "stores only hashes of keys.")
final class TenantsKeyCommand {
    @Command(name = "create", footer = "  spillway tenants key create acme --wait",
            description = "Creates a key for a tenant and prints it. It cannot be shown again. A tenant has at most "
                    + ApiKeys.MAX_PER_TENANT + " keys.")
    void create(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", description = "Tenant.") String tenant,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        requireTenant(tenant);
        ActionRun topics = ActionRun.with(common, TenantsKeyCommand::topics);
        if (keysOf(topics, Optional.of(tenant)).size() >= ApiKeys.MAX_PER_TENANT) {
            throw CommandFailure.failed(tenant + " already has " + ApiKeys.MAX_PER_TENANT + " keys, the maximum. "
                    + "Revoke one of them: spillway tenants key list "
                    + SuggestedCommands.quoted(tenant));
        }
        ApiKey key = ApiKey.make(new SecureRandom());
        byte[] stored = StoredKey.of(tenant, key, common.clock().millis()).encode();
        topics.write(topics.names().keys(), Map.of(key.keyId(), stored), wait);
        topics.record("key create", tenant, Map.of(), "Created the key " + key.keyId() + " of " + tenant + ".");
        Printer printer = common.printer();
        printer.result(Map.of("tenant", tenant, "keyId", key.keyId(), "key", key.text()), key.text());
        printer.note("The key " + key.keyId() + " of " + tenant + " cannot be shown again. Store it with your "
                + "secrets.");
    }

    @Command(name = "list", footer = "  spillway tenants key list acme",
            description = "Lists key ids and creation times of a tenant or of all tenants. It prints no secrets.")
    void list(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", arity = "0..1", description = "Tenant. Default: all.") String tenant) {
        Optional<String> wantedTenant = Optional.ofNullable(tenant);
        wantedTenant.ifPresent(TenantsKeyCommand::requireTenant);
        List<StoredKey> keys = keysOf(ActionRun.reading(common, TenantsKeyCommand::topics), wantedTenant);
        common.printer().result(
                () -> keys.stream().map(key -> Map.of(
                        "tenant", key.tenant(), "keyId", key.keyId(), "createdAt", createdAt(key))).toList(),
                printer -> {
                    if (keys.isEmpty()) {
                        printer.line(wantedTenant.map(name -> name + " has no key.").orElse("No tenant has a key."));
                    }
                    printer.table(keys.stream()
                            .map(key -> List.of(key.tenant(), Printable.of(key.keyId()), createdAt(key))));
                });
    }

    @Command(name = "revoke", footer = "  spillway tenants key revoke acme",
            description = "Revokes keys of a tenant. Every gateway rejects them within seconds. Without KEYID it "
                    + "revokes all keys of the tenant.")
    void revoke(
            @Mixin CommonOptions common,
            @Parameters(index = "0", paramLabel = "T", description = "Tenant.") String tenant,
            @Parameters(index = "1..*", paramLabel = "KEYID",
                    description = "Ids of the keys to revoke. Default: all keys of the tenant.") List<String> keyIds,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        requireTenant(tenant);
        ActionRun topics = ActionRun.with(common, TenantsKeyCommand::topics);
        List<String> existing = keysOf(topics, Optional.of(tenant)).stream().map(StoredKey::keyId).toList();
        List<String> revoked = keyIds == null ? existing : keyIds.stream().distinct().toList();
        if (revoked.isEmpty()) {
            throw CommandFailure.failed(tenant + " has no key. List all keys with: spillway tenants key list");
        }
        for (String keyId : revoked) {
            if (!existing.contains(keyId)) {
                throw CommandFailure.failed("Nothing is revoked: " + tenant + " has no key " + Printable.of(keyId)
                        + ". List its keys with: spillway tenants key list "
                    + SuggestedCommands.quoted(tenant));
            }
        }
        Map<String, byte[]> removed = new LinkedHashMap<>();
        revoked.forEach(keyId -> removed.put(keyId, null));
        topics.write(topics.names().keys(), removed, wait);
        String sentence = "Revoked " + String.join(", ", revoked) + " of " + tenant + ".";
        topics.record("key revoke", tenant, Map.of(), sentence);
        common.printer().result(Map.of("tenant", tenant, "revoked", revoked), sentence);
    }

    private static void requireTenant(String tenant) {
        Inputs.requireName("tenant", tenant);
    }

    private static List<String> topics(Topics topics) {
        return List.of(topics.keys());
    }

    private static List<StoredKey> keysOf(ActionRun topics, Optional<String> tenant) {
        return topics.read(topics.names().keys(), new ApiKeys()).all(tenant);
    }

    private static String createdAt(StoredKey key) {
        return Instant.ofEpochMilli(key.createdAtMillis()).toString();
    }
}
