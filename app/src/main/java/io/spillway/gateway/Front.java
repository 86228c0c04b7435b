package io.spillway.gateway;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides by path, method and key who answers a request: the one table of what is open to whom. Whatever is not in it is
 * not there, whoever asks; below {@code /admin} not even that is told to others than the operator. Thread-safe.
 */
final class Front {
    private static final Logger LOG = LoggerFactory.getLogger(Front.class);

    private final Callers callers;
    private final ItemsApi items;
    private final AdminApi admin;
    private final Responder responder;
    private final Supplier<String> metricsText;
    private final boolean metricsAreOpen;
    private final BooleanSupplier isReady;

    /**
     * Makes the table.
     *
     * @param metricsAreOpen whether anybody who reaches the listener may read metrics, which name tenants
     */
    Front(
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
            responder.send(response, Answer.of(Problem.of(Problem.Kind.BROKEN, "its log says more")).closing());
        }
    }

    private void route(ServerRequest request, ServerResponse response) {
        String path = request.path().rawPath();
        switch (path) {
            case "/v1/items" -> tenant(request, response, tenant -> items.one(tenant, request, response));
            case "/v1/items:batch" -> tenant(request, response, tenant -> items.many(tenant, request, response));
            case "/livez" -> get(request, response, () -> Answer.text(200, "ok\n"));
            case "/readyz" -> get(request, response, () -> isReady.getAsBoolean()
                    ? Answer.text(200, "ready\n")
                    : Answer.of(Problem.of(Problem.Kind.NOT_READY, "it starts or stops")));
            case "/metrics" -> metrics(request, response);
            default -> {
                if (path.equals(AdminApi.PATH) || path.startsWith(AdminApi.PATH + "/")) {
                    admin(request, response, () -> admin.get(path));
                } else {
                    responder.refuse(request, response, Answer.of(Problem.of(Problem.Kind.NOT_FOUND, "see the documentation of the gateway")));
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
            case Caller.Admin operator -> responder.refuse(request, response, Answer.of(Problem.of(
                    Problem.Kind.FORBIDDEN, "items are sent with a tenant's key, and this is the admin key")));
            case Caller.Unknown unknown -> responder.refuse(request, response, unauthenticated());
        }
    }

    private void admin(ServerRequest request, ServerResponse response, Supplier<Answer> then) {
        switch (callers.of(Requests.all(request, HeaderNames.AUTHORIZATION))) {
            case Caller.Admin operator -> get(request, response, then);
            case Caller.OfTenant caller -> responder.refuse(request, response, Answer.of(Problem.of(
                    Problem.Kind.FORBIDDEN, "this needs the admin key")));
            case Caller.Unknown unknown -> responder.refuse(request, response, unauthenticated());
        }
    }

    private void metrics(ServerRequest request, ServerResponse response) {
        Supplier<Answer> scrape = () -> new Answer(200, "text/plain; version=0.0.4; charset=utf-8", Map.of(),
                metricsText.get().getBytes(StandardCharsets.UTF_8), false);
        if (metricsAreOpen) {
            get(request, response, scrape);
        } else {
            admin(request, response, scrape);
        }
    }

    private void get(ServerRequest request, ServerResponse response, Supplier<Answer> then) {
        responder.refuse(request, response, isMethod(request, "GET") ? then.get() : wrongMethod("GET"));
    }

    private static boolean isMethod(ServerRequest request, String method) {
        return request.prologue().method().text().equals(method);
    }

    private static Answer wrongMethod(String allowed) {
        return Answer.of(Problem.of(Problem.Kind.METHOD_NOT_ALLOWED, "this takes " + allowed)).with("Allow", allowed);
    }

    private static Answer unauthenticated() {
        return Answer.of(Problem.of(Problem.Kind.UNAUTHENTICATED,
                "send Authorization: Bearer KEY, with a key that is not revoked"));
    }
}
