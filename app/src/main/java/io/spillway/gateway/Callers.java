package io.spillway.gateway;

import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Recognises callers by the header {@code Authorization: Bearer KEY}, and the operator who reads also by {@code Basic}, since
 * that is what a browser can send when it opens a page. Thread-safe.
 */
final class Callers {
    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

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
        return credentials(BEARER, authorization).map(this::holderOf).orElseGet(Caller.Unknown::new);
    }

    /**
     * Whose request it is when it changes nothing. A browser adds what its user once typed to whatever any site makes it ask
     * of us; so only what reads may be opened by Basic, and only by the admin key.
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

    private Caller holderOf(String presented) {
        Optional<ApiKey> key = ApiKey.parse(presented);
        if (key.isPresent()) {
            return keys.tenantOf(key.get()).<Caller>map(Caller.OfTenant::new).orElseGet(Caller.Unknown::new);
        }
        return adminKey.matches(presented) ? new Caller.Admin() : new Caller.Unknown();
    }

    /** What follows the scheme in the one header, when it is of that scheme. */
    private static Optional<String> credentials(String scheme, List<String> authorization) {
        return authorization.size() == 1 && authorization.getFirst().regionMatches(true, 0, scheme, 0, scheme.length())
                ? Optional.of(authorization.getFirst().substring(scheme.length()).strip())
                : Optional.empty();
    }

    /** The password of {@code user:password} in base64 (RFC 7617); a user name has no colon, and may be any. */
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
