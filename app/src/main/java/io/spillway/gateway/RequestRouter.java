package io.spillway.gateway;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides by path, method and key who answers a request: the one table of what is open to whom. Whatever is not in it is
 * not there, whoever asks; below {@code /admin} and {@code /console} not even that is told to others than the operator.
 * Thread-safe.
 */
final class RequestRouter {
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);
    /** Alone: not every browser finds the challenge that it knows among several. */
    private static final String BASIC = "Basic realm=\"spillway\", charset=\"UTF-8\"";

    private final Callers callers;
    private final ItemsApi items;
    private final AdminApi admin;
    private final Console console = new Console();
    private final Responder responder;
    private final Supplier<String> metricsText;
    private final boolean metricsAreOpen;
    private final BooleanSupplier isReady;

    /**
     * Makes the table.
     *
     * @param metricsAreOpen whether anybody who reaches the listener may read metrics, which name tenants
     */
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

    /** Answers a request. */
    void handle(ServerRequest request, ServerResponse response) {
        try {
            route(request, response);
        } catch (CloseConnectionException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("Answering a request failed", e);
            responder.send(response, GatewayResponse.of(Problem.of(Problem.Kind.BROKEN, "its log says more")).closing());
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
                    : GatewayResponse.of(Problem.of(Problem.Kind.NOT_READY, "it starts or stops")));
            case "/metrics" -> metrics(request, response);
            default -> {
                if (isAt(AdminApi.PATH, path)) {
                    reader(request, response, () -> admin.get(path));
                } else if (isAt(Console.PATH, path)) {
                    reader(request, response, () -> console.get(path));
                } else {
                    responder.refuse(request, response, GatewayResponse.of(Problem.of(Problem.Kind.NOT_FOUND, "see the documentation of the gateway")));
                }
            }
        }
    }

    /** What is done for a tenant that is known by its key. */
    private interface ForTenant {
        void go(String tenant);
    }

    private void tenant(ServerRequest request, ServerResponse response, ForTenant then) {
        if (!isMethod(request, "POST")) {
            responder.refuse(request, response, wrongMethod("POST"));
            return;
        }
        switch (callers.of(Requests.all(request, HeaderNames.AUTHORIZATION))) {
            case Caller.OfTenant caller -> then.go(caller.tenant());
            case Caller.Admin operator -> responder.refuse(request, response, GatewayResponse.of(Problem.of(
                    Problem.Kind.FORBIDDEN, "items are sent with a tenant's key, and this is the admin key")));
            case Caller.Unknown unknown -> responder.refuse(request, response, unauthenticated());
        }
    }

    /** For the operator, with a browser as well: a GET may be opened by Basic, and nothing else may. */
    private void reader(ServerRequest request, ServerResponse response, Supplier<GatewayResponse> then) {
        List<String> authorization = Requests.all(request, HeaderNames.AUTHORIZATION);
        // A page of another site can make a browser ask for this with what its user has typed, and must get nothing from it.
        Supplier<GatewayResponse> closed = () -> then.get()
                .with("X-Content-Type-Options", "nosniff")
                .with("Cross-Origin-Resource-Policy", "same-origin");
        if (isMethod(request, "GET")) {
            admin(callers.ofReader(authorization), request, response, closed, unauthenticated().with("WWW-Authenticate", BASIC));
        } else {
            admin(callers.of(authorization), request, response, closed, unauthenticated());
        }
    }

    private void admin(
            Caller caller, ServerRequest request, ServerResponse response, Supplier<GatewayResponse> then, GatewayResponse unauthenticated) {
        switch (caller) {
            case Caller.Admin operator -> get(request, response, then);
            case Caller.OfTenant tenant -> responder.refuse(request, response, GatewayResponse.of(Problem.of(
                    Problem.Kind.FORBIDDEN, "this needs the admin key")));
            case Caller.Unknown unknown -> responder.refuse(request, response, unauthenticated);
        }
    }

    private void metrics(ServerRequest request, ServerResponse response) {
        Supplier<GatewayResponse> scrape = () -> new GatewayResponse(200, "text/plain; version=0.0.4; charset=utf-8", Map.of(),
                metricsText.get().getBytes(StandardCharsets.UTF_8), false);
        if (metricsAreOpen) {
            get(request, response, scrape);
        } else {
            admin(callers.of(Requests.all(request, HeaderNames.AUTHORIZATION)), request, response, scrape, unauthenticated());
        }
    }

    private void get(ServerRequest request, ServerResponse response, Supplier<GatewayResponse> then) {
        responder.refuse(request, response, isMethod(request, "GET") ? then.get() : wrongMethod("GET"));
    }

    private static boolean isAt(String root, String path) {
        return path.equals(root) || path.startsWith(root + "/");
    }

    private static boolean isMethod(ServerRequest request, String method) {
        return request.prologue().method().text().equals(method);
    }

    private static GatewayResponse wrongMethod(String allowed) {
        return GatewayResponse.of(Problem.of(Problem.Kind.METHOD_NOT_ALLOWED, "this takes " + allowed)).with("Allow", allowed);
    }

    private static GatewayResponse unauthenticated() {
        return GatewayResponse.of(Problem.of(Problem.Kind.UNAUTHENTICATED,
                "send Authorization: Bearer KEY, with a key that is not revoked"));
    }
}
