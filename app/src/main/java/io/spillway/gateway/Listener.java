package io.spillway.gateway;

import io.helidon.common.socket.SocketOptions;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionListener;
import io.spillway.config.GatewaySettings;
import java.time.Duration;

/** Sets up the HTTP server: its limits, and that it speaks in problems as well when what it gets is no request. */
final class Listener {
    private static final Duration STOP_GRACE = Duration.ofMillis(500);
    private static final int MAX_REQUEST_LINE_BYTES = 2 * 1024;

    private Listener() {}

    static WebServer of(GatewaySettings settings, RequestRouter front, Responder responder, SlowReads slowReads) {
        GatewaySettings.Limits limits = settings.limits();
        WebServerConfig.Builder server = WebServer.builder()
                .host(settings.host())
                .port(settings.port())
                .shutdownHook(false)
                .shutdownGracePeriod(STOP_GRACE)
                .maxTcpConnections(limits.connections())
                .maxPayloadSize(limits.batchBytes())
                .idleConnectionTimeout(limits.idleTimeout())
                .idleConnectionPeriod(limits.idleTimeout().dividedBy(4))
                // Later than the two above: for a TLS handshake that does not come on, which those do not see.
                .connectionOptions(SocketOptions.builder()
                        .readTimeout(limits.idleTimeout().multipliedBy(2))
                        .tcpNoDelay(true)
                        .build())
                // With these the read timeout holds; a channel's reads know none.
                .useNio(false)
                .addProtocol(Http1Config.builder()
                        .maxPrologueLength(MAX_REQUEST_LINE_BYTES)
                        .maxHeadersSize(limits.headerBytes())
                        .addReceiveListener(new HeadWatch(slowReads))
                        .build())
                .directHandlers(problems(responder))
                .routing((HttpRouting.Builder routing) -> routing.any(front::handle));
        if (settings.tls().isOn()) {
            server.tls(ServerTls.of(settings.tls()));
        }
        return server.build();
    }

    /** Times how long the header fields take; of the request line the server itself closes what is idle. */
    private record HeadWatch(SlowReads slowReads) implements Http1ConnectionListener {
        @Override
        public void prologue(ConnectionContext context, HttpPrologue prologue) {
            slowReads.begin();
        }

        @Override
        public void headers(ConnectionContext context, Headers headers) {
            slowReads.end();
        }
    }

    private static DirectHandlers problems(Responder responder) {
        DirectHandlers.Builder handlers = DirectHandlers.builder();
        for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
            handlers.addHandler(type, new ProblemHandler(responder));
        }
        return handlers.build();
    }

    /** Answers what never became a request. The server's own message is left out: it quotes what came. */
    private record ProblemHandler(Responder responder) implements DirectHandler {
        @Override
        public TransportResponse handle(
                TransportRequest request, EventType type, Status status, ServerResponseHeaders headers, String message) {
            Problem problem = problemOf(type, status);
            responder.refused(problem.kind().status);
            GatewayResponse answer = GatewayResponse.of(problem);
            TransportResponse.Builder response = TransportResponse.builder()
                    .status(Status.create(problem.kind().status))
                    .keepAlive(false)
                    .header(HeaderNames.CONTENT_TYPE, answer.type())
                    .entity(answer.body());
            answer.headers().forEach((name, value) -> response.header(HeaderNames.create(name), value));
            return response.build();
        }

        private static Problem problemOf(EventType type, Status status) {
            return switch (status.code()) {
                case 404 -> Problem.of(Problem.Kind.NOT_FOUND, "see the documentation of the gateway");
                case 413 -> Problem.of(Problem.Kind.TOO_LARGE, "the body is too large");
                case 414, 431 -> Problem.of(Problem.Kind.HEADERS_TOO_LARGE, "the request line or a header field is too large");
                case 503 -> Problem.of(Problem.Kind.BUSY, "too many requests in flight", 1_000);
                // Faults of our own are answered where they happen: what comes here is a caller that broke off or broke the rules.
                default -> Problem.of(Problem.Kind.BAD_REQUEST, "not HTTP/1.1 as it should be");
            };
        }
    }
}
