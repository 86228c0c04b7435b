package io.spillway.gateway;

import io.spillway.topic.ApiKey;
import io.spillway.topic.ApiKeys;
import java.util.List;
import java.util.Optional;

/** Recognises callers by the header {@code Authorization: Bearer KEY}. Thread-safe. */
final class Callers {
    private static final String BEARER = "Bearer ";

    private final ApiKeys keys;
    private final AdminKey adminKey;

    Callers(ApiKeys keys, AdminKey adminKey) {
        this.keys = keys;
        this.adminKey = adminKey;
    }

    /**
     * Whose request it is.
     *
     * @param authorization the values of the header; more than one is nobody's, for who knows which of them others read
     */
    Caller of(List<String> authorization) {
        if (authorization.size() != 1 || !authorization.getFirst().regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return new Caller.Unknown();
        }
        String presented = authorization.getFirst().substring(BEARER.length()).strip();
        Optional<ApiKey> key = ApiKey.parse(presented);
        if (key.isPresent()) {
            return keys.tenantOf(key.get()).<Caller>map(Caller.OfTenant::new).orElseGet(Caller.Unknown::new);
        }
        return adminKey.matches(presented) ? new Caller.Admin() : new Caller.Unknown();
    }
}
