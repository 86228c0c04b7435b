package io.spillway.gateway;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routing and authorisation of requests by path, method and key. Unknown paths return 404 to every caller. Below
 * {@code /admin} and {@code /console} only the operator can see which paths exist. Metrics, which contain tenant names,
 * are for the operator on loopback too, where a proxy may be the peer. Thread-safe.
 */
record RequestRouter(
        Callers callers, ItemsApi items, AdminApi admin, Console console, Responder responder,
        Supplier<String> metricsText, BooleanSupplier isReady, LongSupplier nanoTime) {
    static final String UNKNOWN_PATH = "See the documentation of the gateway for its paths.";
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);
    /** The only challenge: some browsers do not find Basic among several challenges. */
    private static final String BASIC = "Basic realm=\"spillway\", charset=\"UTF-8\"";

    /** Handles a request, sends the response and records how long it took. */
    void handle(ServerRequest request, ServerResponse response) {
        long startNanos = nanoTime.getAsLong();
        respond(request, response);
        responder.took(response.status().code(), nanoTime.getAsLong() - startNanos);
    }

    private void respond(ServerRequest request, ServerResponse response) {
        try {
            String path = request.path().rawPath();
            switch (path) {
                case "/v1/items" -> tenant(request, response, tenant -> items.one(tenant, request, response));
                case "/v1/items:batch" -> tenant(request, response, tenant -> items.many(tenant, request, response));
                default -> responder.reject(request, response, read(request, path));
            }
        } catch (CloseConnectionException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("Internal error in a request, answered with status 500. Please report this stack trace.", e);
            responder.send(response, GatewayResponse.of(
                    Problem.Kind.INTERNAL_ERROR, "Internal error; see the gateway's log.").closing());
        }
    }

    private void tenant(ServerRequest request, ServerResponse response, Consumer<String> then) {
        if (!isMethod(request, "POST")) {
            responder.reject(request, response, wrongMethod("POST"));
            return;
        }
        switch (callers.of(authorization(request))) {
            case Caller.OfTenant caller -> then.accept(caller.tenant());
            case Caller.Admin operator -> responder.reject(request, response, GatewayResponse.of(
                    Problem.Kind.FORBIDDEN, "The admin key cannot send items. Use a tenant's key."));
            case Caller.Unknown unknown -> responder.reject(request, response, unauthenticated());
        }
    }

    private GatewayResponse read(ServerRequest request, String path) {
        return switch (path) {
            case "/livez" -> get(request, () -> GatewayResponse.text("text/plain; charset=utf-8", "ok\n"));
            case "/readyz" -> get(request, () -> isReady.getAsBoolean()
                    ? GatewayResponse.text("text/plain; charset=utf-8", "ready\n")
                    : GatewayResponse.of(Problem.Kind.NOT_READY, "The gateway is starting or stopping, or Kafka does"
                            + " not confirm items."));
            case "/metrics" -> admin(callers.of(authorization(request)), request,
                    () -> GatewayResponse.text("text/plain; version=0.0.4; charset=utf-8", metricsText.get()),
                    unauthenticated());
            default -> {
                if (isAt(AdminApi.PATH, path)) {
                    yield operator(request, () -> admin.get(path, query(request)));
                }
                yield isAt(Console.PATH, path)
                        ? operator(request, () -> console.get(path))
                        : GatewayResponse.of(Problem.Kind.NOT_FOUND, UNKNOWN_PATH);
            }
        };
    }

    /** Handles a request of the operator; Basic is accepted for GET only, for browsers. */
    private GatewayResponse operator(ServerRequest request, Supplier<GatewayResponse> then) {
        // A page of another site can trigger this request with the user's credentials, but must not read the response.
        Supplier<GatewayResponse> sameOrigin = () -> then.get()
                .with("X-Content-Type-Options", "nosniff")
                .with("Cross-Origin-Resource-Policy", "same-origin");
        return isMethod(request, "GET")
                ? admin(callers.ofReader(authorization(request)), request, sameOrigin,
                        unauthenticated().with("WWW-Authenticate", BASIC))
                : admin(callers.of(authorization(request)), request, sameOrigin, unauthenticated());
    }

    private static GatewayResponse admin(
            Caller caller, ServerRequest request, Supplier<GatewayResponse> then, GatewayResponse unauthenticated) {
        return switch (caller) {
            case Caller.Admin operator -> get(request, then);
            case Caller.OfTenant tenant ->
                    GatewayResponse.of(Problem.Kind.FORBIDDEN, "This path requires the admin key.");
            case Caller.Unknown unknown -> unauthenticated;
        };
    }

    private static Map<String, String> query(ServerRequest request) {
        Map<String, String> query = new HashMap<>();
        for (String name : request.query().names()) {
            query.put(name, request.query().first(name).orElse(""));
        }
        return query;
    }

    private static GatewayResponse get(ServerRequest request, Supplier<GatewayResponse> then) {
        return isMethod(request, "GET") ? then.get() : wrongMethod("GET");
    }

    private static boolean isAt(String root, String path) {
        return path.equals(root) || path.startsWith(root + "/");
    }

    private static boolean isMethod(ServerRequest request, String method) {
        return request.prologue().method().text().equals(method);
    }

    private static List<String> authorization(ServerRequest request) {
        return Requests.all(request, HeaderNames.AUTHORIZATION);
    }

    private static GatewayResponse wrongMethod(String allowed) {
        return GatewayResponse.of(Problem.Kind.METHOD_NOT_ALLOWED, "The allowed method is " + allowed + ".")
                .with("Allow", allowed);
    }

    private static GatewayResponse unauthenticated() {
        return GatewayResponse.of(Problem.Kind.UNAUTHENTICATED,
                "Send the header Authorization: Bearer KEY with a key that is not revoked.");
    }
}
