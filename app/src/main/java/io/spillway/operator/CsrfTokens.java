package io.spillway.operator;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens against cross-site request forgery. A page of this origin reads its token and sends it back in a header, which
 * a page of another site can neither read nor send. Stateless: a token is the hour of its issue and an HMAC over role,
 * user and hour. Thread-safe.
 */
public final class CsrfTokens {
    /** A token is accepted in the hour of its issue and this many hours after it. */
    static final int VALID_HOURS = 12;

    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})\\.([A-Za-z0-9_-]{43})");
    private static final long HOUR_MILLIS = 3_600_000;

    private final byte[] key;
    private final InstantSource clock;

    /** @param key secret of this process, 32 random bytes */
    CsrfTokens(byte[] key, InstantSource clock) {
        this.key = key.clone();
        this.clock = clock;
    }

    /** Returns tokens of a new key, which no other process accepts. */
    public static CsrfTokens ofNewKey(InstantSource clock) {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return new CsrfTokens(key, clock);
    }

    /** Returns a token for requests of this user in this role. */
    public String issue(AdminRole role, String user) {
        return issue(role, user, clock.millis() / HOUR_MILLIS);
    }

    private String issue(AdminRole role, String user, long hour) {
        return hour + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(mac(role, user, hour));
    }

    /** Returns whether this process issued the token for this user in this role, and it has not expired. */
    public boolean isValid(String token, AdminRole role, String user) {
        Matcher parts = FORM.matcher(token);
        if (!parts.matches()) {
            return false;
        }
        long hour = Long.parseLong(parts.group(1));
        long age = clock.millis() / HOUR_MILLIS - hour;
        return age >= 0 && age <= VALID_HOURS && MessageDigest.isEqual(
                issue(role, user, hour).getBytes(StandardCharsets.US_ASCII), token.getBytes(StandardCharsets.US_ASCII));
    }

    private byte[] mac(AdminRole role, String user, long hour) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            // The user is last, because only its text is free.
            return mac.doFinal((role + "\n" + hour + "\n" + user).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has HmacSHA256", e);
        }
    }
}
