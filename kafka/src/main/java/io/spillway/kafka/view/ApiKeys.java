package io.spillway.kafka.view;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Every API key that is in force, by key id. Owner: the view's thread; readers see whole keys. Bound: the view's. */
public final class ApiKeys extends MapContent<StoredKey> {
    /** Most keys of one tenant: enough to change them one by one, and few enough to look through. */
    public static final int MAX_PER_TENANT = 20;

    /** Compared with where there is no such key, so that an unknown id takes as long as a wrong secret. */
    private static final StoredKey NOBODY = new StoredKey("nobody", "", new byte[32], 0);

    private final StoredKeyCodec codec = new StoredKeyCodec();

    /** Starts without any key. */
    public ApiKeys() {
        super(new ConcurrentHashMap<>());
    }

    /**
     * Whose key it is.
     *
     * @param presented what the caller has sent
     * @return the tenant; empty when the key is unknown, wrong or revoked
     */
    public Optional<String> tenantOf(ApiKey presented) {
        StoredKey stored = entries.get(presented.keyId());
        boolean matches = (stored == null ? NOBODY : stored).matches(presented);
        return stored != null && matches ? Optional.of(stored.tenant()) : Optional.empty();
    }

    /** The keys of all tenants, or of one, by tenant and age. */
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
        StoredKey stored = codec.decode(value);
        if (!stored.keyId().equals(key)) {
            throw new IllegalArgumentException("it is another key's");
        }
        entries.put(key, stored);
    }
}
