package io.spillway.kafka.view;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Valid API keys by key id. Owner: the view's thread; readers see only complete keys. Bound: that of the view. */
public final class ApiKeys extends ViewContent<StoredKey> {
    /** Limit of keys per tenant: allows replacing them one by one, and keeps the list short. */
    public static final int MAX_PER_TENANT = 20;

    /** Compared with if the key id is unknown, so that this takes as long as a wrong secret. */
    private static final StoredKey UNKNOWN = new StoredKey("unknown", "", new byte[32], 0, 0);

    /** Returns a presented key as it is stored; empty if it is unknown, wrong, revoked or expired. */
    public Optional<StoredKey> of(ApiKey presented, long nowMillis) {
        StoredKey stored = entries.get(presented.keyId());
        boolean matches = (stored == null ? UNKNOWN : stored).matches(presented);
        return stored != null && matches && !stored.isExpired(nowMillis) ? Optional.of(stored) : Optional.empty();
    }

    /** Returns the keys of one tenant, or of all if empty, sorted by tenant and age. */
    public List<StoredKey> all(Optional<String> tenant) {
        return entries.values().stream()
                .filter(key -> tenant.isEmpty() || tenant.get().equals(key.tenant()))
                .sorted(Comparator.comparing(StoredKey::tenant)
                        .thenComparing(StoredKey::createdAtMillis)
                        .thenComparing(StoredKey::keyId))
                .toList();
    }

    @Override
    public void put(String key, byte[] value) {
        StoredKey stored = StoredKey.decode(value);
        if (!stored.keyId().equals(key)) {
            throw new IllegalArgumentException("the key id in the value differs from the record's key");
        }
        entries.put(key, stored);
    }
}
