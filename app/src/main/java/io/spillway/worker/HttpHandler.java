package io.spillway.worker;

import io.spillway.config.HandlerSettings;
import io.spillway.policy.Printable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts each item to a URL: the body is the payload, the rest in headers. The statuses that RFC 9110 and 6585 mean as
 * "later" (408, 425, 429, 5xx) are retried, honouring {@code Retry-After} in seconds; other failures are final. The
 * body of an answer is not read.
 */
final class HttpHandler implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);
    private static final long MAX_RETRY_AFTER_SECONDS = 86_400;

    private final URI url;
    private final Duration requestTimeout;
    private final HttpClient client;

    HttpHandler(HandlerSettings settings) {
        this.url = URI.create(settings.httpUrl());
        this.requestTimeout = settings.httpRequestTimeout();
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.httpConnectTimeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        connect();
    }

    @Override
    public Outcome handle(Delivery delivery) throws IOException, InterruptedException {
        HttpRequest request;
        try {
            request = request(delivery);
        } catch (IllegalArgumentException e) {
            // Headers come from the producer: what HTTP cannot carry will not be any better the next time.
            return Outcome.dead("cannot be put into a request: " + e.getMessage());
        }
        try {
            return outcomeOf(client.send(request, HttpResponse.BodyHandlers.discarding()));
        } catch (HttpTimeoutException e) {
            return Outcome.retry("no answer within " + requestTimeout.toMillis() + " ms");
        }
    }

    private HttpRequest request(Delivery delivery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(requestTimeout)
                .header("Content-Type", delivery.item().contentType())
                .header("Spillway-Tenant", delivery.tenant())
                .header("Spillway-Id", delivery.id())
                .header("Spillway-Workload", delivery.workload())
                .header("Spillway-Attempt", Integer.toString(delivery.attempt()))
                .header("Spillway-Enqueued-At", Long.toString(delivery.item().enqueuedAtMillis()))
                .header("Idempotency-Key", delivery.id())
                .POST(HttpRequest.BodyPublishers.ofByteArray(delivery.item().payload()));
        delivery.traceparent().ifPresent(value -> request.header("traceparent", value));
        delivery.tracestate().ifPresent(value -> request.header("tracestate", value));
        return request.build();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    /** Opens a connection before traffic comes; a destination that is down now may be up by then. */
    private void connect() {
        try {
            client.send(
                    HttpRequest.newBuilder(url).timeout(requestTimeout).method("HEAD", HttpRequest.BodyPublishers.noBody()).build(),
                    HttpResponse.BodyHandlers.discarding());
        } catch (IOException e) {
            LOG.warn("{} does not answer yet: {}", Printable.of(url.getHost()), Printable.of(e.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Outcome outcomeOf(HttpResponse<?> response) {
        int status = response.statusCode();
        if (status >= 200 && status < 300) {
            return Outcome.done();
        }
        String detail = "HTTP status " + status;
        if (status == 408 || status == 425 || status == 429 || status >= 500) {
            return retryAfter(response).map(after -> Outcome.retry(after, detail)).orElseGet(() -> Outcome.retry(detail));
        }
        return Outcome.dead(detail);
    }

    private static Optional<Duration> retryAfter(HttpResponse<?> response) {
        return response.headers().firstValue("Retry-After")
                .filter(text -> text.matches("\\d{1,9}"))
                .map(text -> Duration.ofSeconds(Math.min(MAX_RETRY_AFTER_SECONDS, Long.parseLong(text))));
    }
}
