package io.spillway.gateway;

import io.spillway.kafka.view.ApiKey;
import java.security.MessageDigest;

/** The operator's key to {@code /admin}, of which only the hash is held. */
public final class AdminKey {
    /** Fewer characters could be guessed. */
    public static final int MIN_LENGTH = 16;

    private final byte[] sha256;

    private AdminKey(byte[] sha256) {
        this.sha256 = sha256;
    }

    /**
     * Takes the key.
     *
     * @param text {@value #MIN_LENGTH} to 512 characters of printable ASCII without spaces: it must fit a header
     * @throws IllegalArgumentException when it is not so; the message has nothing of the key
     */
    public static AdminKey of(String text) {
        if (text.length() < MIN_LENGTH || text.length() > 512 || !text.chars().allMatch(c -> c > ' ' && c <= '~')) {
            throw new IllegalArgumentException("must be " + MIN_LENGTH + " to 512 printable ASCII characters without spaces");
        }
        return new AdminKey(ApiKey.sha256(text));
    }

    /** Whether this is the key, in a time that does not tell how much of it is right. */
    boolean matches(String presented) {
        return MessageDigest.isEqual(sha256, ApiKey.sha256(presented));
    }

    /** Nothing of it. */
    @Override
    public String toString() {
        return "admin key ***";
    }
}
