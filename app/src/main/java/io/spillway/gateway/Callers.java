package io.spillway.gateway;

import io.spillway.core.text.Printable;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.operator.AdminRole;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Authentication by {@code Authorization: Bearer KEY}. With the key of an operator or a viewer {@code Basic} is
 * accepted too, because browsers send it when they open a page. Thread-safe.
 *
 * @param viewerKey empty if there are no viewers
 * @param clock     by which keys expire
 */
record Callers(ApiKeys keys, AdminKey adminKey, Optional<AdminKey> viewerKey, InstantSource clock) {
    /** Maximum length of the name of a user. */
    static final int MAX_USER = 64;

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    /**
     * Returns the sender of a request.
     *
     * @param authorization values of the header; with several the sender is unknown: a proxy may check another one
     */
    Caller of(List<String> authorization) {
        return bearer(authorization).map(presented -> holderOf(presented, "", false)).orElseGet(Caller.Unknown::new);
    }

    /**
     * Returns the sender of a request that a browser may send with Basic credentials. A browser adds them to requests
     * that other sites trigger (CSRF), so a change needs {@link #forgery} too.
     *
     * @param authorization as in {@link #of}
     */
    Caller ofBrowser(List<String> authorization) {
        return credentials(BASIC, authorization)
                .map(encoded -> pair(encoded)
                        .map(pair -> holderOf(pair.password, pair.user, true))
                        .filter(Caller.Admin.class::isInstance)
                        .orElseGet(Caller.Unknown::new))
                .orElseGet(() -> of(authorization));
    }

    /**
     * Returns why a change may come from a page of another site; empty if it does not. A page of another site cannot
     * set the header {@code Spillway-CSRF}: a browser first asks with a CORS preflight, which is refused.
     *
     * @param marks  values of that header; must be 1
     * @param origin values of the header {@code Origin}, which browsers send with every change
     * @param host   value of the header {@code Host}; empty if absent
     */
    Optional<String> forgery(Caller.Admin caller, List<String> marks, List<String> origin, String host) {
        if (!caller.isBasic()) {
            // No browser sends a Bearer key by itself.
            return Optional.empty();
        }
        if (!origin.isEmpty() && !(origin.size() == 1 && isOf(origin.getFirst(), host))) {
            return Optional.of("The Origin of a change must be the Host. A proxy must forward the Host header.");
        }
        return marks.equals(List.of("1"))
                ? Optional.empty()
                : Optional.of("A change with HTTP Basic needs the header Spillway-CSRF: 1.");
    }

    private static boolean isOf(String origin, String host) {
        String authority = origin.toLowerCase(Locale.ROOT).replaceFirst("^https?://", "");
        return !authority.equals(origin.toLowerCase(Locale.ROOT)) && authority.equals(host.toLowerCase(Locale.ROOT));
    }

    /** Returns the text after {@code Bearer}, if there is one such header. */
    static Optional<String> bearer(List<String> authorization) {
        return credentials(BEARER, authorization);
    }

    private Caller holderOf(String presented, String user, boolean isBasic) {
        Optional<ApiKey> key = ApiKey.parse(presented);
        if (key.isPresent()) {
            return keys.of(key.get(), clock.millis()).<Caller>map(Caller.Sender::new).orElseGet(Caller.Unknown::new);
        }
        if (adminKey.matches(presented)) {
            return admin(AdminRole.OPERATOR, user, isBasic);
        }
        return viewerKey.filter(viewer -> viewer.matches(presented)).isPresent()
                ? admin(AdminRole.VIEWER, user, isBasic)
                : new Caller.Unknown();
    }

    private static Caller admin(AdminRole role, String user, boolean isBasic) {
        return new Caller.Admin(role, user.isBlank() ? role.label() : Printable.of(user.strip(), MAX_USER), isBasic);
    }

    /** Returns the credentials of the single header if it has this scheme. */
    private static Optional<String> credentials(String scheme, List<String> authorization) {
        return authorization.size() == 1 && authorization.getFirst().regionMatches(true, 0, scheme, 0, scheme.length())
                ? Optional.of(authorization.getFirst().substring(scheme.length()).strip())
                : Optional.empty();
    }

    /** User name and password; the user name is whatever the person typed. */
    private record Pair(String user, String password) {}

    /** Returns {@code user:password} of base64 (RFC 7617). Any user name is accepted. */
    private static Optional<Pair> pair(String encoded) {
        try {
            String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
            int colon = pair.indexOf(':');
            return colon < 0 ? Optional.empty()
                    : Optional.of(new Pair(pair.substring(0, colon), pair.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
