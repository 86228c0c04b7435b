package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.StoredKey;
import io.spillway.operator.Inputs;
import io.spillway.operator.OperatorAction;
import io.spillway.runtime.ViewProgress;
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
    private static final String TENANTS = "Tenant; or, of a service, what its tenants begin with and *, such as shop-*.";

    @Command(name = "create", footer = {
        "  spillway tenants key create acme --wait",
        "  spillway tenants key create 'shop-*' --expires-in 90d"
    }, description = "Creates a key for a tenant, or for a service that names the tenant of each item, and prints it. "
            + "It cannot be shown again. A tenant or service has at most " + ApiKeys.MAX_PER_TENANT + " keys.")
    void create(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", description = TENANTS) String tenant,
            @Option(names = "--expires-in", paramLabel = "TIME", description = "Time after which the key is invalid, "
                    + "such as 90d. Default: never.") String expiresIn,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        OperatorAction create = OperatorAction.CreateKey.of(tenant, Optional.ofNullable(expiresIn));
        ActionRun.with(common, TenantsKeyCommand::topics)
                .act(create, false, wait, created -> created.json().get("key").toString());
    }

    @Command(name = "list", footer = "  spillway tenants key list acme",
            description = "Lists key ids and creation times of a tenant or of all tenants. It prints no secrets.")
    void list(
            @Mixin CommonOptions common,
            @Parameters(paramLabel = "T", arity = "0..1", description = TENANTS + " Default: all.") String tenant) {
        Optional<String> wantedTenant = Optional.ofNullable(tenant);
        wantedTenant.ifPresent(text -> Inputs.requireTenants("tenant", text));
        List<StoredKey> keys = keysOf(ActionRun.reading(common, TenantsKeyCommand::topics), wantedTenant);
        common.printer().result(
                () -> keys.stream().map(key -> {
                    Map<String, Object> fields = new LinkedHashMap<>(Map.of(
                            "tenant", key.tenant(), "keyId", key.keyId(), "createdAt", createdAt(key)));
                    fields.put("expiresAt", expiresAt(key).orElse(null));
                    return fields;
                }).toList(),
                printer -> {
                    if (keys.isEmpty()) {
                        printer.line(wantedTenant.map(name -> name + " has no key.").orElse("No tenant has a key."));
                    }
                    printer.table(keys.stream()
                            .map(key -> List.of(key.tenant(), Printable.of(key.keyId()), createdAt(key),
                                    expiresAt(key).map(time -> "expires " + time).orElse(""))));
                });
    }

    @Command(name = "revoke", footer = "  spillway tenants key revoke acme",
            description = "Revokes keys of a tenant. Every gateway rejects them within seconds. Without KEYID it "
                    + "revokes all keys of the tenant.")
    void revoke(
            @Mixin CommonOptions common,
            @Parameters(index = "0", paramLabel = "T", description = TENANTS) String tenant,
            @Parameters(index = "1..*", paramLabel = "KEYID",
                    description = "Ids of the keys to revoke. Default: all keys of the tenant.") List<String> keyIds,
            @Option(names = "--wait", description = ViewProgress.WAIT_FOR_GATEWAYS) boolean wait) {
        OperatorAction revoke = new OperatorAction.RevokeKeys(tenant, keyIds == null ? List.of() : keyIds);
        ActionRun.with(common, TenantsKeyCommand::topics).act(revoke, false, wait);
    }

    private static Optional<String> expiresAt(StoredKey key) {
        return key.expiresAtMillis() == 0 ? Optional.empty() : Optional.of(Inputs.iso(key.expiresAtMillis()));
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
