package io.spillway.gateway;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** Sends answers and counts them. Thread-safe. Bound: one series a status that the gateway knows. */
final class Responder {
    private static final Header NO_STORE = HeaderValues.create(HeaderNames.CACHE_CONTROL, "no-store");

    private final MeterRegistry registry;
    private final Body.Reader bodies;
    private final int discardBytes;
    private final Map<Integer, Counter> requests = new ConcurrentHashMap<>();
    private final Map<Integer, Counter> lines = new ConcurrentHashMap<>();

    /**
     * Makes a responder.
     *
     * @param discardBytes a refused body of so many bytes is read to its end, so that the caller sees why
     */
    Responder(MeterRegistry registry, Body.Reader bodies, int discardBytes) {
        this.registry = registry;
        this.bodies = bodies;
        this.discardBytes = discardBytes;
        requested(202);
        line(202);
    }

    /** Sends an answer to a request whose body has been read, or that has none. */
    void send(ServerResponse response, GatewayResponse answer) {
        requested(answer.status()).increment();
        response.status(answer.status());
        response.header(HeaderNames.CONTENT_TYPE, answer.type());
        response.header(NO_STORE);
        answer.headers().forEach((name, value) -> response.header(name, value));
        if (answer.close()) {
            response.header(HeaderValues.CONNECTION_CLOSE);
        }
        try {
            response.send(answer.body());
        } catch (RuntimeException e) {
            // Nobody is left who could be told; the server closes the connection and says nothing.
            throw new CloseConnectionException("the caller has gone", e);
        }
    }

    /** Sends an answer to a request whose body nobody has read yet. */
    void refuse(ServerRequest request, ServerResponse response, GatewayResponse answer) {
        send(response, isDiscarded(request, false) ? answer : answer.closing());
    }

    /** The same for a caller for whose body there is room in memory: a chunk's size is believed before it is read. */
    void refuseWithRoom(ServerRequest request, ServerResponse response, GatewayResponse answer) {
        send(response, isDiscarded(request, true) ? answer : answer.closing());
    }

    /** The server itself has refused something that is no request. */
    void refused(int status) {
        requested(status).increment();
    }

    /** A line of a batch got this status. */
    void lined(int status) {
        line(status).increment();
    }

    private boolean isDiscarded(ServerRequest request, boolean chunksToo) {
        OptionalLong length = Requests.length(request);
        if (length.isPresent() && length.getAsLong() == 0) {
            return true;
        }
        // Whoever waits for a go-ahead gets none.
        if (length.isEmpty() && !chunksToo || length.orElse(0) > discardBytes || request.headers().contains(HeaderNames.EXPECT)) {
            return false;
        }
        return switch (bodies.read(request.content().inputStream(), 0, 0)) {
            case Body.Whole whole -> true;
            case Body.TooLarge large -> large.isRead();
            case Body.TooSlow slow -> false;
            case Body.Broken broken -> false;
        };
    }

    private Counter requested(int status) {
        return counter(requests, "spillway.gateway.requests", "Requests answered", status);
    }

    private Counter line(int status) {
        return counter(lines, "spillway.gateway.lines", "Lines of batches answered", status);
    }

    private Counter counter(Map<Integer, Counter> counters, String name, String description, int status) {
        return counters.computeIfAbsent(status, absent -> Counter.builder(name)
                .description(description)
                .tag("status", Integer.toString(status))
                .register(registry));
    }
}
