package io.spillway.gateway;

import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Authentication by {@code Authorization: Bearer KEY}. For read requests of the operator {@code Basic} is accepted too,
 * because browsers send it when they open a page. Thread-safe.
 */
record Callers(ApiKeys keys, AdminKey adminKey) {
    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    /**
     * Returns the sender of a request.
     *
     * @param authorization values of the header; with several the sender is unknown: a proxy may check another one
     */
    Caller of(List<String> authorization) {
        return bearer(authorization).map(this::holderOf).orElseGet(Caller.Unknown::new);
    }

    /**
     * Returns the sender of a read request. A browser adds Basic credentials to requests that other sites trigger
     * (CSRF), so Basic is accepted for read requests only, and only with the admin key.
     *
     * @param authorization as in {@link #of}
     */
    Caller ofReader(List<String> authorization) {
        return credentials(BASIC, authorization)
                .map(encoded -> password(encoded)
                        .map(this::holderOf)
                        .filter(Caller.Admin.class::isInstance)
                        .orElseGet(Caller.Unknown::new))
                .orElseGet(() -> of(authorization));
    }

    /** Returns the text after {@code Bearer}, if there is one such header. */
    static Optional<String> bearer(List<String> authorization) {
        return credentials(BEARER, authorization);
    }

    private Caller holderOf(String presented) {
        Optional<ApiKey> key = ApiKey.parse(presented);
        if (key.isPresent()) {
            return keys.tenantOf(key.get()).<Caller>map(Caller.OfTenant::new).orElseGet(Caller.Unknown::new);
        }
        return adminKey.matches(presented) ? new Caller.Admin() : new Caller.Unknown();
    }

    /** Returns the credentials of the single header if it has this scheme. */
    private static Optional<String> credentials(String scheme, List<String> authorization) {
        return authorization.size() == 1 && authorization.getFirst().regionMatches(true, 0, scheme, 0, scheme.length())
                ? Optional.of(authorization.getFirst().substring(scheme.length()).strip())
                : Optional.empty();
    }

    /** Returns the password of {@code user:password} in base64 (RFC 7617). Any user name is accepted. */
    private static Optional<String> password(String encoded) {
        try {
            String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
            int colon = pair.indexOf(':');
            return colon < 0 ? Optional.empty() : Optional.of(pair.substring(colon + 1));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
