package io.spillway.operator;

import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.StoredKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Changes of one action to the topic of keys. */
record KeyChanges(CompactedStore store, String topic, boolean dryRun, long nowMillis) {
    /** The result alone has the key; the action log has its id. */
    ActionResult create(OperatorAction.CreateKey action, RandomGenerator random) {
        String holder = action.tenant();
        if (keysOf(holder).size() >= ApiKeys.MAX_PER_TENANT) {
            throw OperatorException.conflict(holder + " already has " + ApiKeys.MAX_PER_TENANT + " keys, the maximum. "
                    + "Revoke one of them: spillway tenants key list " + SuggestedCommands.quoted(holder));
        }
        if (dryRun) {
            return ActionResult.of(
                    true, "a new key of " + holder + ".", Map.of("tenant", holder), Optional.empty());
        }
        ApiKey key = ApiKey.make(random);
        long expiresAtMillis = action.lifetimeMillis() == 0 ? 0 : nowMillis + action.lifetimeMillis();
        RecordMetadata stored = store.write(
                topic, key.keyId(), StoredKey.of(holder, key, nowMillis, expiresAtMillis).encode());
        return new ActionResult("Created the key " + key.keyId() + " of " + holder + ".",
                Map.of("tenant", holder, "keyId", key.keyId(), "key", key.text()),
                List.of("The key " + key.keyId() + " of " + holder + " cannot be shown again. Store it with your"
                        + " secrets."), Optional.of(stored));
    }

    ActionResult revoke(OperatorAction.RevokeKeys action) {
        String holder = action.tenant();
        List<String> existing = keysOf(holder).stream().map(StoredKey::keyId).toList();
        List<String> revoked = action.keyIds().isEmpty() ? existing : action.keyIds();
        if (revoked.isEmpty()) {
            throw OperatorException.conflict(
                    holder + " has no key. List all keys with: spillway tenants key list");
        }
        revoked.stream().filter(keyId -> !existing.contains(keyId)).findFirst().ifPresent(keyId -> {
            throw OperatorException.conflict("Nothing is revoked: " + holder + " has no key " + Printable.of(keyId)
                    + ". List its keys with: spillway tenants key list " + SuggestedCommands.quoted(holder));
        });
        Map<String, byte[]> removals = new LinkedHashMap<>();
        revoked.forEach(keyId -> removals.put(keyId, null));
        Optional<RecordMetadata> last =
                dryRun ? Optional.empty() : Optional.of(store.write(topic, removals));
        return ActionResult.of(dryRun, "Revoked " + String.join(", ", revoked) + " of " + holder + ".",
                Map.of("tenant", holder, "revoked", revoked), last);
    }

    private List<StoredKey> keysOf(String holder) {
        return store.read(topic, new ApiKeys()).all(Optional.of(holder));
    }
}
