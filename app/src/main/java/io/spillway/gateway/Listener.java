package io.spillway.gateway;

import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Status;
import io.helidon.http.encoding.ContentDecoder;
import io.helidon.http.encoding.ContentEncoder;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.encoding.ContentEncodingContextConfig;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionListener;
import io.spillway.config.GatewaySettings;
import io.spillway.core.text.Printable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;

/** Factory of the HTTP server: its limits, and problem details for input that is not a valid request. */
final class Listener {
    private static final Duration STOP_GRACE = Duration.ofMillis(500);
    private static final int MAX_REQUEST_LINE_BYTES = 2 * 1024;

    private Listener() {}

    static WebServer of(
            String host, int port, GatewaySettings.Limits limits, Optional<ServerTls> tls, Handler requests,
            Responder responder, SlowReads slowReads, OpenConnections connections) {
        WebServerConfig.Builder server = WebServer.builder()
                .host(host)
                .port(port)
                .shutdownHook(false)
                .shutdownGracePeriod(STOP_GRACE)
                .maxPayloadSize(limits.batchBytes())
                .idleConnectionTimeout(limits.idleTimeout())
                .idleConnectionPeriod(limits.idleTimeout().dividedBy(4))
                .useNio(false)
                .directHandlers(problems(responder))
                .contentEncoding(new Undecoded())
                .routing((HttpRouting.Builder routing) -> routing.addFilter(connections.filter()).any(requests));
        connections.watch(server, Http1Config.builder()
                .maxPrologueLength(MAX_REQUEST_LINE_BYTES)
                .maxHeadersSize(limits.headerBytes()),
                new HeaderTimeLimit(slowReads, limits.bodyTimeout().toNanos()));
        tls.ifPresent(serverTls -> server.tls(serverTls.server()));
        return server.build();
    }

    /**
     * Starts a server.
     *
     * @param name   who listens, for the error
     * @param prefix of the settings of its address
     * @return its address, {@code http://HOST:PORT} or {@code https://HOST:PORT}
     * @throws IllegalStateException if it cannot listen on the address; the message is one line
     */
    static String start(WebServer server, String name, String prefix) {
        String host = server.prototype().host();
        int port = server.prototype().port();
        String reason = "see the log";
        Exception cause = null;
        try {
            // The server only logs why it cannot listen, so the address is tried first.
            new ServerSocket(port, 1, InetAddress.getByName(host)).close();
            server.start();
        } catch (IOException | RuntimeException e) {
            reason = Printable.of(e.getMessage());
            cause = e;
        }
        if (!server.isRunning()) {
            throw new IllegalStateException(name + " cannot listen on " + Printable.of(host) + ":" + port + " ("
                    + reason + "). Set " + prefix + ".host to an address of this machine and " + prefix
                    + ".port to a free port, or 0 for any free port.", cause);
        }
        // Only an IPv6 address contains a colon.
        return (server.hasTls() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + server.port();
    }

    /** Limits the time of the header fields; {@link OpenConnections} limits that of the request line. */
    private record HeaderTimeLimit(SlowReads slowReads, long limitNanos) implements Http1ConnectionListener {
        @Override
        public void prologue(ConnectionContext context, HttpPrologue prologue) {
            slowReads.begin(limitNanos);
        }

        @Override
        public void headers(ConnectionContext context, Headers headers) {
            slowReads.end();
        }
    }

    /** Lets bodies of any encoding through: {@link Body.Reader} undoes it, within the limits of a body. */
    private static final class Undecoded implements ContentEncodingContext {
        @Override
        public ContentEncodingContextConfig prototype() {
            return ContentEncodingContext.builder().buildPrototype();
        }

        @Override
        public boolean contentEncodingEnabled() {
            return false;
        }

        @Override
        public boolean contentDecodingEnabled() {
            return true;
        }

        @Override
        public boolean contentEncodingSupported(String encoding) {
            return false;
        }

        @Override
        public boolean contentDecodingSupported(String encoding) {
            return true;
        }

        @Override
        public ContentEncoder encoder(String encoding) {
            return ContentEncoder.NO_OP;
        }

        @Override
        public ContentDecoder decoder(String encoding) {
            return ContentDecoder.NO_OP;
        }

        @Override
        public ContentEncoder encoder(Headers headers) {
            return ContentEncoder.NO_OP;
        }
    }

    /** Responds to invalid requests. Omits the server's own message, which quotes the input. */
    private static DirectHandlers problems(Responder responder) {
        DirectHandler handler = (request, type, status, headers, message) ->
                respond(responder, GatewayResponse.of(problemOf(status)));
        DirectHandlers.Builder handlers = DirectHandlers.builder();
        for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
            handlers.addHandler(type, handler);
        }
        return handlers.build();
    }

    private static DirectHandler.TransportResponse respond(Responder responder, GatewayResponse rejection) {
        responder.requestCounter(rejection.status()).increment();
        DirectHandler.TransportResponse.Builder response = DirectHandler.TransportResponse.builder()
                .status(Status.create(rejection.status()))
                .keepAlive(false)
                .header(HeaderNames.CONTENT_TYPE, rejection.type())
                .entity(rejection.body());
        rejection.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
        return response.build();
    }

    private static Problem problemOf(Status status) {
        return switch (status.code()) {
            case 404 -> Problem.of(Problem.Kind.NOT_FOUND, RequestRouter.UNKNOWN_PATH);
            case 413 -> Problem.of(Problem.Kind.TOO_LARGE, "The body is too large.");
            case 414, 431 -> Problem.of(
                    Problem.Kind.HEADERS_TOO_LARGE, "The request line or a header field is too large.");
            case 503 -> Problem.of(Problem.Kind.BUSY, "Too many requests are in flight.", 1_000);
            // Internal errors are handled in RequestRouter. Only client errors remain here.
            default -> Problem.of(Problem.Kind.BAD_REQUEST, "The request is not valid HTTP/1.1 or HTTP/1.0.");
        };
    }
}
