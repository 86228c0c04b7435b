package io.spillway.webhook;

import io.spillway.core.item.PoolName;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.worker.handlers.ClientTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLContext;

/**
 * What receivers must be shown, one file each. A line is a secret, {@code whsec_} and 24 to 64 bytes in base64, as the
 * Standard Webhooks specification writes them, a header, {@code NAME: VALUE}, or {@link ClientCredentials}. PEM blocks
 * are a client's certificates and their key. With several secrets, requests have a signature by each, so that a
 * receiver can change from one to the other. A file is read again a second after its last use at the earliest.
 *
 * <p>Thread-safe: the map is its own lock. Bound: {@link #MAX_KNOWN} files; of others the longest unused is forgotten.
 */
final class ReceiverKeys {
    static final int MAX_KNOWN = 10_000;
    static final int MAX_LINES = 20;

    private static final String PREFIX = "whsec_";
    private static final String AUTHORIZATION = "Authorization";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final long MAX_FILE_BYTES = 64 * 1024;
    private static final long KEPT_MILLIS = 1_000;
    private static final Pattern PEM = Pattern.compile("-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----");
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

    /**
     * What one receiver must be shown.
     *
     * @param headers  of each request
     * @param oauth    of which the token is a header too
     * @param tls      with the client's certificate
     * @param digest   of the file, by which a change is seen
     */
    record Known(
            List<SecretKeySpec> secrets, Map<String, String> headers, Optional<ClientCredentials> oauth,
            Optional<SSLContext> tls, String digest, long readMillis) {
        /**
         * Returns the headers of a request: its own, the token, and with a secret {@code webhook-signature}, which is
         * {@code v1,} and the HMAC of id, time and payload in base64, by each secret.
         *
         * @throws IOException if there is no token
         */
        Map<String, String> headers(String id, long timestampSeconds, byte[] payload)
                throws IOException, InterruptedException {
            Map<String, String> all = new LinkedHashMap<>(headers);
            if (oauth.isPresent()) {
                all.put(AUTHORIZATION, oauth.get().authorization());
            }
            if (!secrets.isEmpty()) {
                byte[] begin = (id + "." + timestampSeconds + ".").getBytes(StandardCharsets.UTF_8);
                all.put("webhook-signature", secrets.stream().map(secret -> "v1," + hmac(secret, begin, payload))
                        .collect(Collectors.joining(" ")));
            }
            return all;
        }

        private Known readAgain(long nowMillis) {
            return new Known(secrets, headers, oauth, tls, digest, nowMillis);
        }
    }

    ReceiverKeys(Path directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Returns what a receiver must be shown.
     *
     * @throws InvalidSettingException if there is no file with this name, or it is wrong, without its content
     */
    Known of(String name) {
        synchronized (known) {
            long nowMillis = clock.millis();
            Known found = known.get(name);
            if (found == null || Math.abs(nowMillis - found.readMillis) >= KEPT_MILLIS) {
                found = read(name, Optional.ofNullable(found), nowMillis);
                known.put(name, found);
            }
            return found;
        }
    }

    private Known read(String name, Optional<Known> last, long nowMillis) {
        try {
            Path file = directory.resolve(name);
            if (PoolName.isValid(name) && Files.isRegularFile(file) && Files.size(file) <= MAX_FILE_BYTES) {
                String content = Files.readString(file);
                String digest = sha256(content);
                return last.filter(same -> same.digest.equals(digest)).map(same -> same.readAgain(nowMillis))
                        .orElseGet(() -> parse(content, digest, nowMillis));
            }
        } catch (IOException | IllegalArgumentException e) {
            // The same error as for a missing file.
        }
        throw new InvalidSettingException("signingKey", name, "must be a file in handler.webhook.keys with 1 to "
                + MAX_LINES + " lines, each " + PREFIX + " and " + LEAST_BYTES + " to " + MOST_BYTES
                + " bytes in base64, a header as NAME: VALUE that belongs to the receiver alone, or oauth2 URL ID"
                + " SECRET SCOPE, and PEM blocks of a certificate and its key");
    }

    private Known parse(String content, String digest, long nowMillis) {
        boolean hasTls = PEM.matcher(content).find();
        List<String> lines = PEM.matcher(content).replaceAll("").lines().map(String::strip)
                .filter(line -> !line.isEmpty()).toList();
        if (lines.size() > MAX_LINES || lines.isEmpty() && !hasTls) {
            throw new IllegalArgumentException("lines");
        }
        List<SecretKeySpec> secrets = new ArrayList<>();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        Optional<ClientCredentials> oauth = Optional.empty();
        for (String line : lines) {
            Matcher header = HEADER.matcher(line);
            Matcher credentials = ClientCredentials.LINE.matcher(line);
            if (credentials.matches() && oauth.isEmpty()) {
                oauth = Optional.of(new ClientCredentials(credentials, clock));
            } else if (!header.matches()) {
                secrets.add(secret(line));
            } else if (RESERVED.matcher(header.group(1)).matches()
                    || headers.put(header.group(1), header.group(2).strip()) != null) {
                throw new IllegalArgumentException("header");
            }
        }
        if (oauth.isPresent() && headers.containsKey(AUTHORIZATION)) {
            throw new IllegalArgumentException("two ways to authorize");
        }
        return new Known(List.copyOf(secrets), Collections.unmodifiableMap(headers), oauth,
                hasTls ? Optional.of(ClientTls.of(content)) : Optional.empty(), digest, nowMillis);
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

    private static String sha256(String content) {
        try {
            return HexFormat.of().formatHex(
                    MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Java has no SHA-256", e);
        }
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
