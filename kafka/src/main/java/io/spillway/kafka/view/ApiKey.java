package io.spillway.kafka.view;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * An API key of a tenant as its holder has it: {@code spw_<keyId>_<secret>}. The id is 16 hexadecimal digits and no secret;
 * the secret is 256 random bits in base64url.
 *
 * <p>Its hash is a plain SHA-256: slow hashes protect words that people choose, and nobody tries 2^256 keys.
 */
public final class ApiKey {
    private static final String PREFIX = "spw_";
    private static final int ID_END = PREFIX.length() + 16;
    private static final int LENGTH = ID_END + 1 + 43;
    private static final int SECRET_BYTES = 32;

    private final String text;
    private final String keyId;

    private ApiKey(String text, String keyId) {
        this.text = text;
        this.keyId = keyId;
    }

    /**
     * Makes a new one.
     *
     * @param random must be a {@link java.security.SecureRandom} but for tests
     */
    public static ApiKey make(RandomGenerator random) {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        String keyId = HexFormat.of().toHexDigits(random.nextLong());
        return new ApiKey("spw_" + keyId + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret), keyId);
    }

    /** The key in what a caller has presented; empty when it has not the form of one. */
    public static Optional<ApiKey> parse(String text) {
        return hasForm(text) ? Optional.of(new ApiKey(text, text.substring(PREFIX.length(), ID_END))) : Optional.empty();
    }

    /** By hand, since it is asked of every request. */
    private static boolean hasForm(String text) {
        boolean has = text.length() == LENGTH && text.startsWith(PREFIX) && text.charAt(ID_END) == '_';
        for (int i = PREFIX.length(); has && i < ID_END; i++) {
            has = isDigit(text.charAt(i)) || isBetween('a', text.charAt(i), 'f');
        }
        for (int i = ID_END + 1; has && i < LENGTH; i++) {
            char c = text.charAt(i);
            has = isDigit(c) || isBetween('a', c, 'z') || isBetween('A', c, 'Z') || c == '_' || c == '-';
        }
        return has;
    }

    private static boolean isDigit(char c) {
        return isBetween('0', c, '9');
    }

    private static boolean isBetween(char first, char c, char last) {
        return first <= c && c <= last;
    }

    /** The part that may be shown, by which a key is found and revoked. */
    public String keyId() {
        return keyId;
    }

    /** The whole key, to be shown once to whoever asked for it, and never logged. */
    public String text() {
        return text;
    }

    /** What is kept of it: 32 bytes. */
    public byte[] sha256() {
        return sha256(text);
    }

    /** SHA-256 of a secret's characters in UTF-8. */
    public static byte[] sha256(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Without the secret, so that no log can have it. */
    @Override
    public String toString() {
        return "spw_" + keyId + "_***";
    }
}
