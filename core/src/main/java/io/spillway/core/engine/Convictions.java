package io.spillway.core.engine;

import io.spillway.core.progress.SuspectStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tenants of convicted suspects, here or at another worker, until a suspect that ran alone has ended here.
 *
 * <p>Owner: the {@link Quarantine}. Bound: {@link SuspectStatus#MAX_CONVICTED} tenants; further ones are judged by the
 * number of deaths alone.
 */
final class Convictions {
    /** Restarts and takeovers of all killers of a tenant take less; a later death has nothing to do with them. */
    static final long CONVICTED_MILLIS = 600_000;

    private final Map<String, Long> convictedAtMillis = new LinkedHashMap<>();
    /** Time of the last conviction before a suspect ended: other workers still tell of it. */
    private final Map<String, Long> acquittedAtMillis = new LinkedHashMap<>();

    boolean isEmpty() {
        return convictedAtMillis.isEmpty();
    }

    boolean has(String tenant, long nowMillis) {
        Long atMillis = convictedAtMillis.get(tenant);
        return atMillis != null && nowMillis - atMillis < CONVICTED_MILLIS;
    }

    /** Returns the convictions that count at this time, by tenant. */
    Map<String, Long> at(long nowMillis) {
        convictedAtMillis.values().removeIf(atMillis -> nowMillis - atMillis >= CONVICTED_MILLIS);
        return convictedAtMillis;
    }

    /** Adds convictions of another worker, or of this one before its restart. */
    void follow(Map<String, Long> ofOther) {
        ofOther.forEach((tenant, atMillis) -> {
            if (atMillis > Math.max(acquittedAtMillis.getOrDefault(tenant, 0L),
                    convictedAtMillis.getOrDefault(tenant, 0L))) {
                convict(tenant, atMillis);
            }
        });
    }

    void convict(String tenant, long atMillis) {
        putLatest(convictedAtMillis, tenant, atMillis);
    }

    void acquit(String tenant) {
        Long atMillis = convictedAtMillis.remove(tenant);
        if (atMillis != null) {
            putLatest(acquittedAtMillis, tenant, atMillis);
        }
    }

    private static void putLatest(Map<String, Long> bounded, String tenant, long atMillis) {
        bounded.remove(tenant);
        bounded.put(tenant, atMillis);
        if (bounded.size() > SuspectStatus.MAX_CONVICTED) {
            bounded.remove(bounded.keySet().iterator().next());
        }
    }
}
