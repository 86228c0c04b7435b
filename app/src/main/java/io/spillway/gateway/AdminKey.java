package io.spillway.gateway;

import io.spillway.kafka.view.ApiKey;
import java.security.MessageDigest;

/** Key of operators or of viewers for {@code /admin}, or of external workers. Only its hash is kept in memory. */
public final class AdminKey {
    /** Minimum length; a shorter key could be guessed. */
    public static final int MIN_LENGTH = 16;

    private final byte[] sha256;

    private AdminKey(byte[] sha256) {
        this.sha256 = sha256;
    }

    /**
     * Creates the key.
     *
     * @param text {@value #MIN_LENGTH} to 512 printable ASCII characters without spaces, so that it fits a header
     * @throws IllegalArgumentException for any other text; the message contains no part of the key
     */
    public static AdminKey of(String text) {
        if (text.length() < MIN_LENGTH || text.length() > 512 || !text.chars().allMatch(c -> c > ' ' && c <= '~')) {
            throw new IllegalArgumentException(
                    "must be " + MIN_LENGTH + " to 512 printable ASCII characters without spaces");
        }
        return new AdminKey(ApiKey.sha256(text));
    }

    /** Compares in constant time. */
    boolean matches(String presented) {
        return MessageDigest.isEqual(sha256, ApiKey.sha256(presented));
    }

    /** Returns whether the other key has the same text. */
    public boolean isSameAs(AdminKey other) {
        return MessageDigest.isEqual(sha256, other.sha256);
    }

    /** Returns a text without any part of the key. */
    @Override
    public String toString() {
        return "admin key ***";
    }
}
