package io.spillway.webhook;

import io.spillway.core.item.PoolName;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secrets and headers of receivers, one file each. A line is a secret, {@code whsec_} and 24 to 64 bytes in base64, as
 * the Standard Webhooks specification writes them, or a header, {@code NAME: VALUE}. With several secrets, requests
 * have a signature by each, so that a receiver can change from one to the other. A file is read again a second after
 * its last use at the earliest.
 *
 * <p>Thread-safe: the map is its own lock. Bound: {@link #MAX_KNOWN} files; of others the longest unused is forgotten.
 */
final class ReceiverKeys {
    static final int MAX_KNOWN = 10_000;
    static final int MAX_LINES = 20;

    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final long MAX_FILE_BYTES = 10_000;
    private static final long KEPT_MILLIS = 1_000;
    private static final Pattern HEADER = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\\t -~]*)");
    /** What belongs to the connection, or says something about the request that Spillway knows. */
    private static final Pattern RESERVED = Pattern.compile(
            "(?i)webhook-.*|proxy-.*|host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect");

    private final Path directory;
    private final InstantSource clock;
    private final Map<String, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    private record Known(List<SecretKeySpec> secrets, Map<String, String> headers, long readMillis) {}

    ReceiverKeys(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Returns the headers of a request to a receiver: its own, and with a secret {@code webhook-signature}, which is
     * {@code v1,} and the HMAC of id, time and payload in base64, by each secret.
     *
     * @throws InvalidSettingException if there is no file with this name, or it is wrong, without its content
     */
    Map<String, String> headers(String name, String id, long timestampSeconds, byte[] payload) {
        Known known = known(name);
        if (known.secrets.isEmpty()) {
            return known.headers;
        }
        byte[] begin = (id + "." + timestampSeconds + ".").getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = new LinkedHashMap<>(known.headers);
        headers.put("webhook-signature", known.secrets.stream().map(secret -> "v1," + hmac(secret, begin, payload))
                .collect(Collectors.joining(" ")));
        return headers;
    }

    private Known known(String name) {
        synchronized (known) {
            long nowMillis = clock.millis();
            Known found = known.get(name);
            if (found == null || Math.abs(nowMillis - found.readMillis) >= KEPT_MILLIS) {
                found = read(name, nowMillis);
                known.put(name, found);
            }
            return found;
        }
    }

    private Known read(String name, long nowMillis) {
        try {
            Path file = directory.resolve(name);
            if (PoolName.isValid(name) && Files.isRegularFile(file) && Files.size(file) <= MAX_FILE_BYTES) {
                List<String> lines = Files.readString(file).lines().map(String::strip)
                        .filter(line -> !line.isEmpty()).toList();
                if (!lines.isEmpty() && lines.size() <= MAX_LINES) {
                    return parse(lines, nowMillis);
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            // The same error as for a missing file.
        }
        throw new InvalidSettingException("signingKey", name, "must be a file in handler.webhook.keys with 1 to "
                + MAX_LINES + " lines, each " + PREFIX + " and " + LEAST_BYTES + " to " + MOST_BYTES
                + " bytes in base64, or a header as NAME: VALUE that belongs to the receiver alone");
    }

    private static Known parse(List<String> lines, long nowMillis) {
        List<SecretKeySpec> secrets = new ArrayList<>();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line : lines) {
            Matcher header = HEADER.matcher(line);
            if (!header.matches()) {
                secrets.add(secret(line));
            } else if (RESERVED.matcher(header.group(1)).matches()
                    || headers.put(header.group(1), header.group(2).strip()) != null) {
                throw new IllegalArgumentException("header");
            }
        }
        return new Known(List.copyOf(secrets), Collections.unmodifiableMap(headers), nowMillis);
    }

    private static SecretKeySpec secret(String line) {
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
