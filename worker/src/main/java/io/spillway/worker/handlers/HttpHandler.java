package io.spillway.worker.handlers;

import io.spillway.core.item.Printable;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler that posts each item to a URL, with the payload as the body and the other fields as headers. It retries the
 * temporary statuses of RFC 9110 and RFC 6585 (408, 425, 429, 5xx) with their {@code Retry-After}. Other 4xx are final.
 * A redirect is not followed but retried, because it concerns the URL and not the item.
 */
final class HttpHandler implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);

    private final URI url;
    private final String authority;
    private final Duration connectTimeout;
    private final Duration requestTimeout;
    private final InstantSource clock;
    private final HttpClient client;

    /** Creates a handler and opens a connection. The clock is for dates in {@code Retry-After}. */
    HttpHandler(HandlerSettings settings, InstantSource clock) {
        this.url = URI.create(settings.httpUrl());
        // Without the user information, which may contain a password.
        this.authority = url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort());
        this.connectTimeout = settings.httpConnectTimeout();
        this.requestTimeout = settings.httpRequestTimeout();
        this.clock = clock;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        connect();
    }

    @Override
    public Outcome handle(Delivery delivery) throws IOException, InterruptedException {
        if (!isHeaderValue(delivery.contentType())) {
            // Final, because the producer set it.
            return Outcome.dead("The content type cannot be an HTTP header: " + Printable.of(delivery.contentType()));
        }
        try {
            return outcomeOf(client.send(request(delivery), HttpResponse.BodyHandlers.discarding()));
        } catch (HttpConnectTimeoutException e) {
            return Outcome.retry("no connection to " + authority + " within " + connectTimeout.toMillis() + " ms");
        } catch (ConnectException e) {
            return Outcome.retry("no connection to " + authority + ": " + e);
        } catch (HttpTimeoutException e) {
            return Outcome.retry("no response within " + requestTimeout.toMillis() + " ms");
        }
    }

    private HttpRequest request(Delivery delivery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(requestTimeout)
                .header("Content-Type", delivery.contentType())
                .header("Spillway-Tenant", delivery.tenant())
                .header("Spillway-Id", delivery.id())
                .header("Spillway-Workload", delivery.workload())
                .header("Spillway-Attempt", Integer.toString(delivery.attempt()))
                .header("Spillway-Enqueued-At", Long.toString(delivery.enqueuedAt().toEpochMilli()))
                .header("Idempotency-Key", delivery.id())
                .POST(HttpRequest.BodyPublishers.ofByteArray(delivery.payload()));
        // An invalid trace header is omitted; it is no reason to reject the item.
        delivery.traceparent().filter(HttpHandler::isHeaderValue)
                .ifPresent(value -> request.header("traceparent", value));
        delivery.tracestate().filter(HttpHandler::isHeaderValue)
                .ifPresent(value -> request.header("tracestate", value));
        return request.build();
    }

    @Override
    public boolean leavesThreadClean() {
        return true;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    /** Opens a connection in advance. A failure only logs, because the destination may be available later. */
    private void connect() {
        try {
            client.send(HttpRequest.newBuilder(url).timeout(requestTimeout).HEAD().build(),
                    HttpResponse.BodyHandlers.discarding());
        } catch (IOException e) {
            LOG.warn("{} does not respond; items are attempted anyway. Check handler.http.url: {}",
                    Printable.of(authority), Printable.of(e.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Outcome outcomeOf(HttpResponse<?> response) {
        int status = response.statusCode();
        if (status >= 200 && status < 300) {
            return Outcome.done();
        }
        String detail = "HTTP status " + status;
        if (status < 400) {
            return Outcome.retry(detail + response.headers().firstValue("Location")
                    .map(location -> " to " + Printable.of(location)).orElse(""));
        }
        if (status == 408 || status == 425 || status == 429 || status >= 500) {
            return response.headers().firstValue("Retry-After")
                    .flatMap(value -> RetryAfter.parse(value, response.headers().firstValue("Date"), clock.instant()))
                    .map(after -> Outcome.retry(after, detail)).orElseGet(() -> Outcome.retry(detail));
        }
        return Outcome.dead(detail);
    }

    /** Returns whether text is printable ASCII; the client would change other characters. */
    private static boolean isHeaderValue(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }
}
