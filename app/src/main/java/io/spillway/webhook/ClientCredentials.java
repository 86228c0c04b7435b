package io.spillway.webhook;

import com.nimbusds.oauth2.sdk.ClientCredentialsGrant;
import com.nimbusds.oauth2.sdk.ErrorObject;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Access token of a receiver, by the client credentials grant (RFC 6749, section 4.4). A token is asked for again a
 * minute before it expires, and after a receiver has refused it.
 *
 * <p>Thread-safe: one thread asks, and the others wait for its answer. After a refusal it asks again a second later.
 * Owner of the token and of the refusal: its lock.
 */
final class ClientCredentials {
    /** A line of a receiver's file. */
    static final Pattern LINE = Pattern.compile("oauth2 (https?://[!-~]+) ([!-~]+) ([!-~]+)((?: [!-~]+)*)");

    private static final int MOST_BYTES = 64 * 1024;
    private static final long MOST_SECONDS = 30L * 24 * 3_600;
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final long PAUSE_MILLIS = 1_000;
    private static final long EARLY_MILLIS = 60_000;
    /** Of a token without a time to live. */
    private static final long KEPT_MILLIS = 300_000;

    private final TokenRequest request;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private String refusal = "";
    private long refusedMillis = -PAUSE_MILLIS;
    private volatile String token = "";
    private volatile long untilMillis = Long.MIN_VALUE;

    /** @throws IllegalArgumentException if the URL is none */
    ClientCredentials(Matcher line, InstantSource clock) {
        this.request = new TokenRequest.Builder(URI.create(line.group(1)),
                new ClientSecretBasic(new ClientID(line.group(2)), new Secret(line.group(3))),
                new ClientCredentialsGrant()).scope(Scope.parse(line.group(4).strip())).build();
        this.clock = clock;
    }

    /**
     * Returns the value of the header {@code Authorization}.
     *
     * @throws IOException if there is no token, with the reason that the server gives, and without a secret
     */
    String authorization() throws IOException, InterruptedException {
        if (clock.millis() < untilMillis) {
            return token;
        }
        lock.lockInterruptibly();
        try {
            if (clock.millis() >= untilMillis) {
                askUnlessRefused();
            }
            return token;
        } finally {
            lock.unlock();
        }
    }

    /** Those who have waited for an answer get the same one, and do not ask one after the other. */
    private void askUnlessRefused() throws IOException {
        if (Math.abs(clock.millis() - refusedMillis) < PAUSE_MILLIS) {
            throw new IOException(refusal);
        }
        try {
            ask();
        } catch (IOException e) {
            // The interrupt is meant for one attempt, and no answer for the others.
            if (!Thread.currentThread().isInterrupted()) {
                refusedMillis = clock.millis();
                refusal = e.getMessage();
            }
            throw e;
        }
    }

    /** Records that a receiver has refused a token. */
    void refused(String authorization) {
        if (token.equals(authorization)) {
            untilMillis = Long.MIN_VALUE;
        }
    }

    private void ask() throws IOException {
        HTTPRequest http = request.toHTTPRequest();
        http.setConnectTimeout(TIMEOUT_MILLIS);
        http.setReadTimeout(TIMEOUT_MILLIS);
        http.setFollowRedirects(false);
        try {
            TokenResponse response = TokenResponse.parse(send(http));
            if (!response.indicatesSuccess()) {
                ErrorObject error = response.toErrorResponse().getErrorObject();
                throw new IOException(error.getCode() + ": " + error.getDescription());
            }
            AccessToken access = response.toSuccessResponse().getTokens().getAccessToken();
            token = access.toAuthorizationHeader();
            long livesMillis =
                    access.getLifetime() > 0 ? Math.min(access.getLifetime(), MOST_SECONDS) * 1_000 : KEPT_MILLIS;
            untilMillis = clock.millis() + Math.max(livesMillis / 2, livesMillis - EARLY_MILLIS);
        } catch (ParseException e) {
            throw new IOException("the answer has no token", e);
        }
    }

    /** As {@link HTTPRequest#send()}, which reads an answer of any length for any time. */
    private static HTTPResponse send(HTTPRequest http) throws IOException, ParseException {
        HttpURLConnection connection = http.toHttpURLConnection();
        try {
            HTTPResponse response = new HTTPResponse(connection.getResponseCode());
            response.setContentType(connection.getContentType());
            InputStream in =
                    response.indicatesSuccess() ? connection.getInputStream() : connection.getErrorStream();
            response.setBody(in == null ? "" : read(in));
            return response;
        } finally {
            connection.disconnect();
        }
    }

    private static String read(InputStream in) throws IOException {
        long untilNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS);
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] part = new byte[MOST_BYTES];
        for (int bytes = in.read(part); bytes >= 0; bytes = in.read(part)) {
            read.write(part, 0, bytes);
            if (read.size() > MOST_BYTES || System.nanoTime() - untilNanos > 0) {
                throw new IOException("the answer is longer than " + MOST_BYTES + " bytes or " + TIMEOUT_MILLIS
                        + " ms");
            }
        }
        return read.toString(StandardCharsets.UTF_8);
    }
}
