package io.spillway.webhook;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.core.text.UrlTemplate;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerType;
import io.spillway.handler.Outcome;
import io.spillway.handler.Receiver;
import io.spillway.worker.handlers.RetryAfter;
import io.spillway.worker.handlers.StatusRules;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * Handler that posts each item to the receiver that its tenant or subscription has, signed as the Standard Webhooks
 * specification says (standardwebhooks.com). It has a client of its own, because Java's cannot be told which addresses
 * of a host are allowed.
 *
 * <p>2xx is done; 410 is final; 429, 502, 503 and 504 mean that the receiver cannot work now; all others are retried,
 * because receivers answer 4xx when they are set up wrongly. A redirect is not followed. Of an answer 64 KiB are read,
 * for a second after its status, and 2,000 bytes kept.
 *
 * <p>Thread-safe. Bound: connections as many as slots, and idle ones for 30 seconds.
 */
public final class WebhookHandler implements Handler {
    private static final String TLS = "spillway.tls";
    private static final DefaultClientTlsStrategy DEFAULT_TLS = DefaultClientTlsStrategy.createDefault();
    private static final int UNAUTHORIZED = 401;
    private static final int MAX_CONNECTIONS = 20_000;
    private static final int MAX_KEPT = 2_000;
    private static final int MAX_READ = 64 * 1024;
    private static final long MAX_BODY_MILLIS = 1_000;
    private static final StatusRules STATUSES = new StatusRules("400-409, 411-428, 430-499", "", "410");

    /** Handler type {@code webhook}. */
    public static final class Type implements HandlerType<WebhookSettings> {
        @Override
        public String name() {
            return "webhook";
        }

        @Override
        public Class<WebhookSettings> settings() {
            return WebhookSettings.class;
        }

        @Override
        public void check(WebhookSettings settings, HandlerContext context) {
            if (!settings.keys().isEmpty() && !Files.isDirectory(Path.of(settings.keys()))) {
                throw new InvalidSettingException("handler.webhook.keys", settings.keys(), "must be a directory");
            }
        }

        @Override
        public Handler create(WebhookSettings settings, HandlerContext context) {
            return new WebhookHandler(settings, SystemDefaultDnsResolver.INSTANCE,
                    context.clock());
        }
    }

    private final WebhookSettings settings;
    private final InstantSource clock;
    private final ReceiverKeys keys;
    private final CloseableHttpClient client;

    WebhookHandler(WebhookSettings settings, DnsResolver names, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
        this.keys = new ReceiverKeys(Path.of(settings.keys()), clock);
        Timeout connect = timeout(settings.connectTimeout());
        Timeout request = timeout(settings.requestTimeout());
        this.client = HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setDnsResolver(settings.allowPrivate() ? names : new GuardedDns(names))
                        .setTlsSocketStrategy(WebhookHandler::upgrade)
                        .setMaxConnTotal(MAX_CONNECTIONS).setMaxConnPerRoute(MAX_CONNECTIONS)
                        .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                        .setDefaultConnectionConfig(ConnectionConfig.custom().setConnectTimeout(connect)
                                .setSocketTimeout(request).setTimeToLive(TimeValue.ofMinutes(5))
                                .setValidateAfterInactivity(TimeValue.ofSeconds(1)).build())
                        .build())
                .setDefaultRequestConfig(RequestConfig.custom().setResponseTimeout(request).build())
                .disableRedirectHandling().disableAutomaticRetries().disableCookieManagement()
                .disableContentCompression().disableAuthCaching().setUserAgent("Spillway")
                .evictIdleConnections(TimeValue.ofSeconds(30)).evictExpiredConnections()
                .build();
    }

    /** Opens TLS with the certificate of the request's receiver, if it has one. */
    private static SSLSocket upgrade(Socket socket, String target, int port, Object attachment, HttpContext context)
            throws IOException {
        return (context.getAttribute(TLS) instanceof SSLContext own
                ? new DefaultClientTlsStrategy(own) : DEFAULT_TLS).upgrade(socket, target, port, attachment, context);
    }

    private static Timeout timeout(Duration time) {
        return Timeout.ofMilliseconds(time.toMillis());
    }

    @Override
    public Outcome handle(Delivery delivery) throws IOException, InterruptedException {
        Optional<URI> url = url(delivery);
        if (url.isEmpty()) {
            return Outcome.dead(delivery.receiver().isEmpty()
                    ? "no url is set for it: ./spillway subscriptions set TENANT NAME --url URL, or tenants set --url"
                    : "the tenant or workload cannot be part of a URL");
        }
        if (!settings.allowPrivate() && !"https".equals(url.get().getScheme())) {
            return Outcome.dead("its url is not https, and handler.webhook.allowPrivate is false");
        }
        String host = hostOf(url.get());
        try {
            Optional<ReceiverKeys.Known> known = delivery.receiver().flatMap(Receiver::signingKey).map(keys::of);
            HttpPost request;
            try {
                request = request(url.get(), delivery, known);
            } catch (IOException e) {
                return Outcome.unavailable("no access token for " + host + ": " + Printable.of(e.getMessage()));
            }
            return post(request, url.get(), known);
        } catch (InvalidSettingException e) {
            // Of the operator, whose mistake is to cost no item.
            return Outcome.unavailable(Printable.of(e.getMessage()));
        } catch (GuardedDns.PrivateAddressException e) {
            return Outcome.dead(
                    host + " is refused: " + e.getMessage() + ", and handler.webhook.allowPrivate is false");
        } catch (ConnectTimeoutException | ConnectException | NoRouteToHostException | UnknownHostException
                | SSLHandshakeException e) {
            return Outcome.unavailable("no connection to " + host + ": " + Printable.of(e.toString()));
        } catch (SocketTimeoutException e) {
            return Outcome.retry("no response within " + settings.requestTimeout().toMillis() + " ms");
        }
    }

    /** Returns host and port of the receiver. */
    @Override
    public String destination(Delivery delivery) {
        return url(delivery).map(WebhookHandler::hostOf).orElse("");
    }

    @Override
    public boolean leavesThreadClean() {
        return true;
    }

    @Override
    public void close() {
        client.close(CloseMode.IMMEDIATE);
    }

    /** Returns the URL of a delivery, with the item's own workload in it; empty for none. */
    private static Optional<URI> url(Delivery delivery) {
        String workload = delivery.parentWorkload().isEmpty() ? delivery.workload() : delivery.parentWorkload();
        return delivery.receiver()
                .flatMap(receiver -> new UrlTemplate(receiver.url()).of(delivery.tenant(), workload));
    }

    private static String hostOf(URI url) {
        int port = url.getPort() >= 0 ? url.getPort() : "https".equals(url.getScheme()) ? 443 : 80;
        return url.getHost().toLowerCase(Locale.ROOT) + ":" + port;
    }

    private HttpPost request(URI url, Delivery delivery, Optional<ReceiverKeys.Known> known)
            throws IOException, InterruptedException {
        byte[] payload = delivery.payload();
        long nowSeconds = clock.instant().getEpochSecond();
        HttpPost request = new HttpPost(url);
        request.setEntity(new ByteArrayEntity(payload, null));
        // A header cannot carry another one. The receiver then sees bytes.
        request.setHeader("Content-Type", delivery.contentType().chars().allMatch(c -> c >= ' ' && c <= '~')
                ? delivery.contentType() : "application/octet-stream");
        request.setHeader("webhook-id", delivery.id());
        request.setHeader("webhook-timestamp", Long.toString(nowSeconds));
        if (known.isPresent()) {
            known.get().headers(delivery.id(), nowSeconds, payload).forEach(request::setHeader);
        }
        return request;
    }

    private Outcome post(HttpPost request, URI url, Optional<ReceiverKeys.Known> known) throws IOException {
        HttpClientContext context = HttpClientContext.create();
        known.flatMap(ReceiverKeys.Known::tls).ifPresent(tls -> {
            context.setAttribute(TLS, tls);
            // Only requests with this certificate use the connection again.
            context.setUserToken(tls);
        });
        HttpHost target = new HttpHost(url.getScheme(), url.getHost(), url.getPort());
        // Closing it without having read all of it closes the connection.
        try (ClassicHttpResponse response = client.executeOpen(target, request, context)) {
            int status = response.getCode();
            if (status == UNAUTHORIZED) {
                known.flatMap(ReceiverKeys.Known::oauth).ifPresent(oauth ->
                        oauth.refused(request.getFirstHeader("Authorization").getValue()));
            }
            String body = bodyOf(response);
            Optional<Duration> after = header(response, "Retry-After")
                    .flatMap(value -> RetryAfter.parse(value, header(response, "Date"), clock.instant()));
            return STATUSES.outcome(status, after, "HTTP status " + status + (body.isEmpty() ? "" : ": " + body));
        }
    }

    private static Optional<String> header(ClassicHttpResponse response, String name) {
        return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
    }

    /** Reads within the limits, so that the connection can be used again; returns the first part. */
    private String bodyOf(ClassicHttpResponse response) {
        HttpEntity entity = response.getEntity();
        byte[] kept = new byte[MAX_KEPT];
        int length = 0;
        if (entity != null) {
            long beganMillis = clock.millis();
            byte[] buffer = new byte[MAX_KEPT];
            try {
                InputStream in = entity.getContent();
                int read = in.read(buffer);
                // The clock may be set back.
                for (int all = read; read >= 0 && all <= MAX_READ
                        && Math.abs(clock.millis() - beganMillis) < MAX_BODY_MILLIS; all += read) {
                    int taken = Math.min(read, MAX_KEPT - length);
                    System.arraycopy(buffer, 0, kept, length, taken);
                    length += taken;
                    read = in.read(buffer);
                }
            } catch (IOException e) {
                // The status has decided.
            }
        }
        return new String(kept, 0, length, StandardCharsets.UTF_8).strip();
    }
}
