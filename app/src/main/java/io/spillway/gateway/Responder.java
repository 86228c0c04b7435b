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
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Sender of responses that counts them by status. Thread-safe. Bound: one series for each status of the gateway. */
final class Responder {
    private static final Duration[] TIMES = {
        Duration.ofMillis(5), Duration.ofMillis(10), Duration.ofMillis(25), Duration.ofMillis(50),
        Duration.ofMillis(100), Duration.ofMillis(250), Duration.ofMillis(500), Duration.ofSeconds(1),
        Duration.ofMillis(2_500), Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofSeconds(30)
    };

    private static final Header NO_STORE = HeaderValues.create(HeaderNames.CACHE_CONTROL, "no-store");

    private final MeterRegistry registry;
    private final Body.Reader bodies;
    private final int discardBytes;
    private final Map<String, Timer> times = new ConcurrentHashMap<>();
    private final Map<Integer, Counter> requests = new ConcurrentHashMap<>();
    private final Map<Integer, Counter> lines = new ConcurrentHashMap<>();

    /** @param discardBytes largest rejected body that is read to its end, so that the client reads the response */
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

    /** Responds to a request with an unread body. Discards a small body and otherwise closes the connection. */
    void reject(ServerRequest request, ServerResponse response, GatewayResponse content) {
        send(response, isDiscarded(request, false) ? content : content.closing());
    }

    /** As {@link #reject}, but with memory reserved for the body, so that chunks can be read and discarded too. */
    void rejectReserved(ServerRequest request, ServerResponse response, GatewayResponse content) {
        send(response, isDiscarded(request, true) ? content : content.closing());
    }

    private boolean isDiscarded(ServerRequest request, boolean includeChunks) {
        OptionalLong length = Requests.length(request);
        if (length.isPresent() && length.getAsLong() == 0) {
            return true;
        }
        // A client that sent Expect: 100-continue has not sent its body.
        if (length.isEmpty() && !includeChunks || length.orElse(0) > discardBytes
                || request.headers().contains(HeaderNames.EXPECT)) {
            return false;
        }
        Body body = bodies.read(request.content().inputStream(), 0, 0);
        return body instanceof Body.Whole || body instanceof Body.TooLarge large && large.isRead();
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
