package io.spillway.gateway;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Sender of responses that counts them by status. Thread-safe. Bound: one series for each status of the gateway. */
final class Responder {
    private static final Duration[] TIMES = {
        Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofMillis(25), Duration.ofMillis(50),
        Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1),
        Duration.ofMillis(2_500), Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30)
    };

    /** What a rejected sender may still send after the answer: an item of the largest size that is usual. */
    private static final long LINGER_BYTES = 1024 * 1024;
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Header NO_STORE = HeaderValues.create(HeaderNames.CACHE_CONTROL, "no-store");

    private final MeterRegistry registry;
    private final Body.Reader bodies;
    private final int discardBytes;
    private final Map<String, Timer> times = new ConcurrentHashMap<>();
    private final Map<Integer, Counter> requests = new ConcurrentHashMap<>();
    private final Map<Integer, Counter> lines = new ConcurrentHashMap<>();

    /** @param discardBytes largest body of a rejected caller that is read to its end to keep the connection */
    Responder(MeterRegistry registry, Body.Reader bodies, int discardBytes) {
        this.registry = registry;
        this.bodies = bodies;
        this.discardBytes = discardBytes;
        requestCounter(202);
        lineCounter(202);
        time("2xx");
    }

    /** Records the time of a request: from its header to the end of the response. */
    void took(int status, long nanos) {
        time(status / 100 + "xx").record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Responds to a request whose body has been read or is absent. */
    void send(ServerResponse response, GatewayResponse content) {
        requestCounter(content.status()).increment();
        response.status(content.status());
        response.header(HeaderNames.CONTENT_TYPE, content.type());
        response.header(NO_STORE);
        content.headers().forEach((name, value) -> response.header(name, value));
        if (content.close()) {
            response.header(HeaderValues.CONNECTION_CLOSE);
        }
        try {
            response.send(content.body());
        } catch (RuntimeException e) {
            // The client cannot receive an error any more, so the server closes the connection without a log line.
            throw new CloseConnectionException("The client has disconnected", e);
        }
    }

    /**
     * Responds to a request with an unread body, and closes the connection if there is one: the sender may have no key,
     * and must not hold a connection by announcing a body.
     */
    void reject(ServerRequest request, ServerResponse response, GatewayResponse content) {
        boolean hasBody = hasBody(request);
        answer(request, response, hasBody ? content.closing() : content);
        if (hasBody && !isAwaitingContinue(request)) {
            // A close with unread bytes resets the connection, and the client may lose the answer.
            bodies.discard(request, LINGER_BYTES, LINGER_NANOS);
        }
    }

    /** As {@link #reject}, for a caller that is within its limits: its connection stays open if the body arrives. */
    void rejectCaller(ServerRequest request, ServerResponse response, GatewayResponse content) {
        if (Requests.length(request).orElse(0) > discardBytes || isAwaitingContinue(request)) {
            reject(request, response, content);
            return;
        }
        answer(request, response, content);
        if (hasBody(request) && !bodies.discard(request, discardBytes, bodies.limitNanos())) {
            throw new CloseConnectionException("The rest of the body has not arrived");
        }
    }

    private void answer(ServerRequest request, ServerResponse response, GatewayResponse content) {
        if (Requests.isMethod(request, "HEAD")) {
            response.headers().contentLength(content.body().length);
            send(response, content.withoutBody());
        } else {
            send(response, content);
        }
    }

    private static boolean hasBody(ServerRequest request) {
        return Requests.length(request).orElse(1) > 0;
    }

    private static boolean isAwaitingContinue(ServerRequest request) {
        return request.headers().contains(HeaderNames.EXPECT);
    }

    Counter requestCounter(int status) {
        return counter(requests, "spillway.gateway.requests", "Requests answered", status);
    }

    Counter lineCounter(int status) {
        return counter(lines, "spillway.gateway.lines", "Lines of batches answered", status);
    }

    private Timer time(String statusClass) {
        return times.computeIfAbsent(statusClass, absent -> Timer.builder("spillway.gateway.request")
                .description("Time of a request from its header to the end of the response")
                .serviceLevelObjectives(TIMES).tag("status", absent).register(registry));
    }

    private Counter counter(Map<Integer, Counter> counters, String name, String description, int status) {
        return counters.computeIfAbsent(status, absent -> Counter.builder(name)
                .description(description)
                .tag("status", Integer.toString(status))
                .register(registry));
    }
}
