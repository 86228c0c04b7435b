package io.spillway.gateway;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routing and authorisation of requests by path, method and key. Unknown paths return 404 to every caller. Below
 * {@code /admin} and {@code /console} only the operator can see which paths exist. Thread-safe.
 */
final class RequestRouter {
    static final String UNKNOWN_PATH = "See the documentation of the gateway for its paths.";
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);
    /** The only challenge: some browsers do not find Basic among several challenges. */
    private static final String BASIC = "Basic realm=\"spillway\", charset=\"UTF-8\"";

    private final Callers callers;
    private final ItemsApi items;
    private final AdminApi admin;
    private final Console console = new Console();
    private final Responder responder;
    private final Supplier<String> metricsText;
    private final boolean metricsAreOpen;
    private final BooleanSupplier isReady;

    /** @param metricsAreOpen whether metrics, which contain tenant names, need no key */
    RequestRouter(
            Callers callers, ItemsApi items, AdminApi admin, Responder responder, Supplier<String> metricsText,
            boolean metricsAreOpen, BooleanSupplier isReady) {
        this.callers = callers;
        this.items = items;
        this.admin = admin;
        this.responder = responder;
        this.metricsText = metricsText;
        this.metricsAreOpen = metricsAreOpen;
        this.isReady = isReady;
    }

    /** Handles a request and sends the response. */
    void handle(ServerRequest request, ServerResponse response) {
        try {
            route(request, response);
        } catch (CloseConnectionException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("Internal error in a request, answered with status 500. Please report this stack trace.", e);
            responder.send(response, GatewayResponse.of(
                    Problem.of(Problem.Kind.INTERNAL_ERROR, "Internal error; see the gateway's log.")).closing());
        }
    }

    private void route(ServerRequest request, ServerResponse response) {
        String path = request.path().rawPath();
        switch (path) {
            case "/v1/items" -> tenant(request, response, tenant -> items.one(tenant, request, response));
            case "/v1/items:batch" -> tenant(request, response, tenant -> items.many(tenant, request, response));
            case "/livez" -> get(request, response, () -> GatewayResponse.text(200, "ok\n"));
            case "/readyz" -> get(request, response, () -> isReady.getAsBoolean()
                    ? GatewayResponse.text(200, "ready\n")
                    : GatewayResponse.of(Problem.of(Problem.Kind.NOT_READY, "The gateway is starting or stopping.")));
            case "/metrics" -> metrics(request, response);
            default -> {
                if (isAt(AdminApi.PATH, path)) {
                    reader(request, response, () -> admin.get(path));
                } else if (isAt(Console.PATH, path)) {
                    reader(request, response, () -> console.get(path));
                } else {
                    reject(request, response, Problem.Kind.NOT_FOUND, UNKNOWN_PATH);
                }
            }
        }
    }


    private void tenant(ServerRequest request, ServerResponse response, Consumer<String> then) {
        if (!isMethod(request, "POST")) {
            responder.reject(request, response, wrongMethod("POST"));
            return;
        }
        switch (callers.of(Requests.all(request, HeaderNames.AUTHORIZATION))) {
            case Caller.OfTenant caller -> then.accept(caller.tenant());
            case Caller.Admin operator -> reject(request, response, Problem.Kind.FORBIDDEN,
                    "The admin key cannot send items. Use a tenant's key.");
            case Caller.Unknown unknown -> responder.reject(request, response, unauthenticated());
        }
    }

    /** Handles a request of the operator; Basic is accepted for GET only, for browsers. */
    private void reader(ServerRequest request, ServerResponse response, Supplier<GatewayResponse> then) {
        List<String> authorization = Requests.all(request, HeaderNames.AUTHORIZATION);
        // A page of another site can trigger this request with the user's credentials, but must not read the response.
        Supplier<GatewayResponse> sameOrigin = () -> then.get()
                .with("X-Content-Type-Options", "nosniff")
                .with("Cross-Origin-Resource-Policy", "same-origin");
        if (isMethod(request, "GET")) {
            admin(callers.ofReader(authorization), request, response, sameOrigin,
                    unauthenticated().with("WWW-Authenticate", BASIC));
        } else {
            admin(callers.of(authorization), request, response, sameOrigin, unauthenticated());
        }
    }

    private void admin(
            Caller caller, ServerRequest request, ServerResponse response, Supplier<GatewayResponse> then,
            GatewayResponse unauthenticated) {
        switch (caller) {
            case Caller.Admin operator -> get(request, response, then);
            case Caller.OfTenant tenant ->
                    reject(request, response, Problem.Kind.FORBIDDEN, "This path requires the admin key.");
            case Caller.Unknown unknown -> responder.reject(request, response, unauthenticated);
        }
    }

    private void metrics(ServerRequest request, ServerResponse response) {
        Supplier<GatewayResponse> scrape = () -> new GatewayResponse(
                200, "text/plain; version=0.0.4; charset=utf-8", Map.of(),
                metricsText.get().getBytes(StandardCharsets.UTF_8), false);
        if (metricsAreOpen) {
            get(request, response, scrape);
        } else {
            List<String> authorization = Requests.all(request, HeaderNames.AUTHORIZATION);
            admin(callers.of(authorization), request, response, scrape, unauthenticated());
        }
    }

    private void get(ServerRequest request, ServerResponse response, Supplier<GatewayResponse> then) {
        responder.reject(request, response, isMethod(request, "GET") ? then.get() : wrongMethod("GET"));
    }

    private void reject(ServerRequest request, ServerResponse response, Problem.Kind kind, String detail) {
        responder.reject(request, response, GatewayResponse.of(Problem.of(kind, detail)));
    }

    private static boolean isAt(String root, String path) {
        return path.equals(root) || path.startsWith(root + "/");
    }

    private static boolean isMethod(ServerRequest request, String method) {
        return request.prologue().method().text().equals(method);
    }

    private static GatewayResponse wrongMethod(String allowed) {
        return GatewayResponse.of(Problem.of(
                Problem.Kind.METHOD_NOT_ALLOWED, "The allowed method is " + allowed + ".")).with("Allow", allowed);
    }

    private static GatewayResponse unauthenticated() {
        return GatewayResponse.of(Problem.of(Problem.Kind.UNAUTHENTICATED,
                "Send the header Authorization: Bearer KEY with a key that is not revoked."));
    }
}
