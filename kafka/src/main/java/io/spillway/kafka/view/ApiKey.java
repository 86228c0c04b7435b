package io.spillway.kafka.view;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * API key of a tenant: {@code spw_<keyId>_<secret>}. The key id is 16 hexadecimal digits and public; the secret is 256
 * random bits in base64url.
 *
 * <p>Stored as a plain SHA-256 hash: slow hashes protect guessable passwords, and 256 random bits cannot be guessed.
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

    /** Creates a new key from a {@link java.security.SecureRandom}, or from another generator in tests. */
    public static ApiKey make(RandomGenerator random) {
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        String keyId = HexFormat.of().toHexDigits(random.nextLong());
        return new ApiKey("spw_" + keyId + "_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret), keyId);
    }

    /** Returns the key that a client presented; empty if it does not have the form of one. */
    public static Optional<ApiKey> parse(String text) {
        return isValid(text)
                ? Optional.of(new ApiKey(text, text.substring(PREFIX.length(), ID_END)))
                : Optional.empty();
    }

    /** Hand-written instead of a regular expression, because it runs for every request. */
    private static boolean isValid(String text) {
        boolean valid = text.length() == LENGTH && text.startsWith(PREFIX) && text.charAt(ID_END) == '_';
        for (int i = PREFIX.length(); valid && i < ID_END; i++) {
            valid = isDigit(text.charAt(i)) || isBetween('a', text.charAt(i), 'f');
        }
        for (int i = ID_END + 1; valid && i < LENGTH; i++) {
            char c = text.charAt(i);
            valid = isDigit(c) || isBetween('a', c, 'z') || isBetween('A', c, 'Z') || c == '_' || c == '-';
        }
        return valid;
    }

    private static boolean isDigit(char c) {
        return isBetween('0', c, '9');
    }

    private static boolean isBetween(char first, char c, char last) {
        return first <= c && c <= last;
    }

    /** Returns the public part, which identifies the key in lists and revocations. */
    public String keyId() {
        return keyId;
    }

    /** Returns the whole key. Show it once to the client that requested it, and never log it. */
    public String text() {
        return text;
    }

    /** Returns the hash that is stored, 32 bytes. */
    public byte[] sha256() {
        return sha256(text);
    }

    /** Returns the SHA-256 of a secret in UTF-8. */
    public static byte[] sha256(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Omits the secret, so that logs cannot contain it. */
    @Override
    public String toString() {
        return "spw_" + keyId + "_***";
    }
}
