package io.spillway.webhook;

import io.spillway.core.item.PoolName;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secrets of receivers, one file each, with a secret in each line: {@code whsec_} and 24 to 64 bytes in base64, as the
 * Standard Webhooks specification writes them. With several, requests have a signature by each, so that a receiver can
 * change from one to the other. A file is read again a second after its last use at the earliest.
 *
 * <p>Thread-safe: the map is its own lock. Bound: {@link #MAX_KNOWN} files; of others the longest unused is forgotten.
 */
final class SigningKeys {
    static final int MAX_KNOWN = 10_000;
    static final int MAX_SECRETS = 10;

    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final long MAX_FILE_BYTES = 10_000;
    private static final long KEPT_MILLIS = 1_000;

    private final Path directory;
    private final InstantSource clock;
    private final Map<String, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    private record Known(List<SecretKeySpec> secrets, long readMillis) {}

    SigningKeys(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Returns the value of the header {@code webhook-signature}: {@code v1,} and the HMAC of id, time and payload in
     * base64, by each secret.
     *
     * @throws InvalidSettingException if there are no secrets with this name, without their content
     */
    String sign(String name, String id, long timestampSeconds, byte[] payload) {
        byte[] begin = (id + "." + timestampSeconds + ".").getBytes(StandardCharsets.UTF_8);
        return secrets(name).stream().map(secret -> "v1," + hmac(secret, begin, payload))
                .collect(Collectors.joining(" "));
    }

    private List<SecretKeySpec> secrets(String name) {
        synchronized (known) {
            long nowMillis = clock.millis();
            Known found = known.get(name);
            if (found == null || Math.abs(nowMillis - found.readMillis) >= KEPT_MILLIS) {
                found = new Known(read(name), nowMillis);
                known.put(name, found);
            }
            return found.secrets;
        }
    }

    private List<SecretKeySpec> read(String name) {
        try {
            Path file = directory.resolve(name);
            if (PoolName.isValid(name) && Files.isRegularFile(file) && Files.size(file) <= MAX_FILE_BYTES) {
                List<SecretKeySpec> secrets = Files.readString(file).lines().map(String::strip)
                        .filter(line -> !line.isEmpty()).map(SigningKeys::parse).toList();
                if (!secrets.isEmpty() && secrets.size() <= MAX_SECRETS) {
                    return secrets;
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            // The same error as for a missing file.
        }
        throw new InvalidSettingException("signingKey", name, "must be a file in handler.webhook.keys with 1 to "
                + MAX_SECRETS + " lines, each " + PREFIX + " and " + LEAST_BYTES + " to " + MOST_BYTES
                + " bytes in base64");
    }

    private static SecretKeySpec parse(String line) {
        byte[] secret = Base64.getDecoder().decode(line.startsWith(PREFIX) ? line.substring(PREFIX.length()) : "!");
        if (secret.length < LEAST_BYTES || secret.length > MOST_BYTES) {
            throw new IllegalArgumentException("length");
        }
        SecretKeySpec key = new SecretKeySpec(secret, ALGORITHM);
        Arrays.fill(secret, (byte) 0);
        return key;
    }

    private static String hmac(SecretKeySpec secret, byte[] begin, byte[] payload) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            mac.update(begin);
            return Base64.getEncoder().encodeToString(mac.doFinal(payload));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Java has no " + ALGORITHM, e);
        }
    }
}
