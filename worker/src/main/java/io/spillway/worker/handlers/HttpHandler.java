package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.core.text.UrlTemplate;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerType;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler that posts each item to a URL, with the payload as the body and the other fields as headers. {@link
 * StatusRules} say what a status means. The start of the body of a failed response is part of the detail. A redirect is
 * not followed. The destination is the host and port of the URL.
 *
 * <p>A connection that cannot be opened is the destination's fault, and so are credentials that are refused after they
 * have worked. A new connection that ends before the response, or a response that does not come in time, may be the
 * item's: it can have made the server crash or work too long.
 */
public final class HttpHandler implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);

    /** Handler type {@code http}. */
    public static final class Type implements HandlerType<HttpSettings> {
        @Override
        public String name() {
            return "http";
        }

        @Override
        public Class<HttpSettings> settings() {
            return HttpSettings.class;
        }

        /** Reads the files that the settings name. */
        @Override
        public void check(HttpSettings settings, HandlerContext context) {
            new HttpRequests(settings);
            ClientTls.of(settings.tls());
        }

        @Override
        public Handler create(HttpSettings settings, HandlerContext context) {
            HttpHandler handler = new HttpHandler(settings, context.clock());
            return settings.maxItems() == 1 ? handler : new HttpBatchHandler(handler, settings.maxItems());
        }
    }

    private final HttpSender sender;
    private final String authority;
    private final String destination;
    private final StatusRules statuses;
    private final Duration connectTimeout;
    private final Duration requestTimeout;
    private final InstantSource clock;
    private volatile boolean hasWorked;
    /** Whether it has refused the credentials since it last worked. */
    private volatile boolean refuses;

    /**
     * Creates a handler and opens a connection.
     *
     * @param clock for the age of files and dates in {@code Retry-After}
     * @throws InvalidSettingException if a file that the settings name cannot be used
     */
    public HttpHandler(HttpSettings settings, InstantSource clock) {
        URI url = new UrlTemplate(settings.url()).base();
        this.authority = url.getRawAuthority();
        this.destination = url.getHost().toLowerCase(Locale.ROOT) + ":" + portOf(url);
        this.statuses = settings.rules();
        this.connectTimeout = settings.connectTimeout();
        this.requestTimeout = settings.requestTimeout();
        this.clock = clock;
        this.sender = new HttpSender(settings, clock);
        connect(url);
    }

    @Override
    public Outcome handle(Delivery delivery) throws IOException, InterruptedException {
        return call(requests -> requests.of(delivery), 0, delivery.attempt()).outcome;
    }

    /**
     * What a request came to.
     *
     * @param body   what is kept of the answer to a success; otherwise empty
     * @param isFull whether the body of the answer came in full
     */
    record Called(Outcome outcome, String body, boolean isFull) {
        private static Called of(Outcome outcome) {
            return new Called(outcome, "", false);
        }
    }

    /**
     * Sends a request.
     *
     * @param maxResult bytes of the body of a success that are kept
     * @param attempt   of its item
     */
    Called call(HttpSender.Call call, int maxResult, int attempt) throws IOException, InterruptedException {
        try {
            HttpAnswer answer = sender.send(call, maxResult);
            Outcome outcome = outcomeOf(answer, attempt);
            return new Called(outcome, outcome instanceof Outcome.Done ? answer.body() : "", answer.isFull());
        } catch (HttpRequests.UnsendableException e) {
            // Final, because the producer set it.
            return Called.of(Outcome.dead(Printable.of(e.getMessage())));
        } catch (HttpConnectTimeoutException e) {
            return Called.of(Outcome.unavailable(
                    "no connection to " + authority + " within " + connectTimeout.toMillis() + " ms"));
        } catch (ConnectException | NoRouteToHostException | UnknownHostException | SSLHandshakeException e) {
            return Called.of(Outcome.unavailable("no connection to " + authority + ": " + e));
        } catch (HttpTimeoutException e) {
            return Called.of(Outcome.retry("no response within " + requestTimeout.toMillis() + " ms"));
        }
    }

    /** Returns the host and port of the item's URL, in which no placeholder is allowed. */
    @Override
    public String destination(Delivery delivery) {
        return destination;
    }

    @Override
    public boolean leavesThreadClean() {
        return true;
    }

    @Override
    public void close() {
        sender.close();
    }

    /** Opens a connection in advance. A failure only logs, because the destination may be available later. */
    private void connect(URI url) {
        try {
            sender.connect(url);
        } catch (IOException e) {
            LOG.warn("{} does not respond; items are attempted anyway. Check handler.http.url: {}",
                    Printable.of(authority), Printable.of(e.toString()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Outcome outcomeOf(HttpAnswer answer, int attempt) {
        int status = answer.status();
        StatusRules.Meaning meaning = statuses.of(status);
        if (meaning == StatusRules.Meaning.DONE) {
            hasWorked = true;
            refuses = false;
            return Outcome.done();
        }
        String redirect = status / 100 != 3 ? "" : answer.headers().firstValue("Location")
                .map(location -> " to " + Printable.of(location)).orElse("");
        String detail = "HTTP status " + status + redirect + (answer.body().isEmpty() ? "" : ": " + answer.body());
        if (meaning == StatusRules.Meaning.REFUSED && hasWorked) {
            return refused(detail, attempt);
        }
        Optional<Duration> after = answer.headers().firstValue("Retry-After")
                .flatMap(value -> RetryAfter.parse(value, answer.headers().firstValue("Date"), clock.instant()));
        return statuses.outcome(status, after, detail);
    }

    /** The item may be the cause if the destination has worked between its attempts. */
    private Outcome refused(String detail, int attempt) {
        boolean worksForOthers = !refuses;
        refuses = true;
        return worksForOthers && attempt > 1 ? Outcome.retry(detail) : Outcome.unavailable(detail);
    }

    private static int portOf(URI url) {
        return url.getPort() >= 0 ? url.getPort() : "https".equals(url.getScheme()) ? 443 : 80;
    }
}
