package io.spillway.gateway;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.StoredKey;
import io.spillway.operator.AdminRole;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routing and authorisation of requests by path, method and key. Unknown paths return 404 to every caller. Below
 * {@code /admin} and {@code /console} only operators and viewers can see which paths exist, and only operators change
 * something. Metrics, which contain tenant names, need a key on loopback too, where a proxy may be the peer.
 * Thread-safe.
 */
record RequestRouter(
        Callers callers, ItemsApi items, AdminApi admin, Console console, Responder responder, Body.Reader bodies,
        Supplier<String> metricsText, BooleanSupplier isReady, LongSupplier nanoTime) {
    /** Largest body of a change: a few names, or the ids of the selected dead letters. */
    static final int MAX_CHANGE_BYTES = 64 * 1024;
    static final String UNKNOWN_PATH = "See the documentation of the gateway for its paths.";
    private static final HeaderName CSRF = HeaderNames.create("Spillway-CSRF");
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);
    /** Marks a change that may be made. */
    private static final GatewayResponse GRANTED = GatewayResponse.text("text/plain", "");
    /** The only challenge: some browsers do not find Basic among several challenges. */
    private static final String BASIC = "Basic realm=\"spillway\", charset=\"UTF-8\"";

    /** Handles a request, sends the response and records how long it took. */
    void handle(ServerRequest request, ServerResponse response) {
        long startNanos = nanoTime.getAsLong();
        try {
            respond(request, response);
        } finally {
            responder.took(response.status().code(), nanoTime.getAsLong() - startNanos);
        }
    }

    private void respond(ServerRequest request, ServerResponse response) {
        try {
            String path = Requests.path(request);
            switch (path) {
                case "/v1/items" -> sender(request, response, "POST", key -> items.one(key, request, response));
                case "/v1/items:batch" -> sender(request, response, "POST", key -> items.many(key, request, response));
                default -> {
                    if (path.startsWith(ItemsApi.ITEM)) {
                        String id = path.substring(ItemsApi.ITEM.length());
                        sender(request, response, "GET", key -> items.fate(key, id, request, response));
                    } else if (isAt(AdminApi.PATH, path) && Requests.isMethod(request, "POST")) {
                        change(request, response, path);
                    } else {
                        responder.reject(request, response, read(request, path));
                    }
                }
            }
        } catch (CloseConnectionException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("Internal error in a request, answered with status 500. Please report this stack trace.", e);
            responder.send(response, GatewayResponse.of(
                    Problem.Kind.INTERNAL_ERROR, "Internal error; see the gateway's log.").closing());
        }
    }

    private void sender(
            ServerRequest request, ServerResponse response, String method, Consumer<StoredKey> then) {
        if (!(method.equals("GET") ? Requests.isRead(request) : Requests.isMethod(request, method))) {
            responder.reject(request, response, wrongMethod(Set.of(method)));
            return;
        }
        switch (callers.of(authorization(request))) {
            case Caller.Sender caller -> then.accept(caller.key());
            case Caller.Admin operator -> responder.reject(request, response, GatewayResponse.of(
                    Problem.Kind.FORBIDDEN, "An admin key cannot send items. Use a tenant's key."));
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
            case "/metrics" -> admin(callers.of(authorization(request)), caller -> get(request,
                    () -> GatewayResponse.text("text/plain; version=0.0.4; charset=utf-8", metricsText.get())),
                    unauthenticated());
            default -> {
                if (isAt(AdminApi.PATH, path)) {
                    yield page(request, AdminApi.methods(path), caller -> admin.get(path, query(request), caller));
                }
                yield isAt(Console.PATH, path)
                        ? page(request, Set.of("GET"), caller -> console.get(path))
                        : GatewayResponse.of(Problem.Kind.NOT_FOUND, UNKNOWN_PATH);
            }
        };
    }

    /** Handles a read request of an operator or a viewer; Basic is accepted for GET, for browsers. */
    private GatewayResponse page(
            ServerRequest request, Set<String> methods, Function<Caller.Admin, GatewayResponse> then) {
        // Browsers send Basic with HEAD only on behalf of a page.
        boolean isGet = Requests.isMethod(request, "GET");
        return admin(
                isGet ? callers.ofBrowser(authorization(request)) : callers.of(authorization(request)),
                caller -> !Requests.isRead(request) ? forViewers(caller).orElseGet(() -> wrongMethod(methods))
                        : methods.contains("GET") ? sameOrigin(answer(() -> then.apply(caller))) : wrongMethod(methods),
                isGet ? unauthenticated().with("WWW-Authenticate", BASIC) : unauthenticated());
    }

    /** Handles a change: by an operator, and with Basic only from a page of this origin. */
    private void change(ServerRequest request, ServerResponse response, String path) {
        Caller caller = callers.ofBrowser(authorization(request));
        GatewayResponse refused = admin(caller, admin -> callers
                .forgery(admin, Requests.all(request, CSRF), Requests.all(request, HeaderNames.ORIGIN),
                        request.headers().first(HeaderNames.HOST).orElse(""))
                .map(why -> GatewayResponse.of(Problem.Kind.FORBIDDEN, why))
                .or(() -> forViewers(admin))
                .orElseGet(() -> AdminApi.methods(path).contains("POST") ? GRANTED
                        : wrongMethod(AdminApi.methods(path))), unauthenticated());
        if (refused != GRANTED) {
            responder.reject(request, response, refused);
            return;
        }
        Caller.Admin operator = (Caller.Admin) caller;
        GatewayResponse answer = switch (bodies.read(request, MAX_CHANGE_BYTES)) {
            case Body.Whole whole -> answer(() -> admin.post(path, whole.bytes(), operator));
            case Body.Refused refusal -> refusal.answer();
        };
        responder.send(response, sameOrigin(answer));
    }

    private static GatewayResponse admin(
            Caller caller, Function<Caller.Admin, GatewayResponse> then, GatewayResponse unauthenticated) {
        return switch (caller) {
            case Caller.Admin admin -> then.apply(admin);
            case Caller.Sender sender ->
                    GatewayResponse.of(Problem.Kind.FORBIDDEN, "This path requires the admin key.");
            case Caller.Unknown unknown -> unauthenticated;
        };
    }

    /** Returns the refusal of anything but reading, for viewers. */
    private static Optional<GatewayResponse> forViewers(Caller.Admin caller) {
        return caller.role() == AdminRole.VIEWER
                ? Optional.of(GatewayResponse.of(
                        Problem.Kind.FORBIDDEN, "The key of viewers changes nothing. Use the admin key."))
                : Optional.empty();
    }

    /** A page of another site can trigger a request with the user's credentials, but must not read the response. */
    private static GatewayResponse sameOrigin(GatewayResponse response) {
        return response.with("X-Content-Type-Options", "nosniff").with("Cross-Origin-Resource-Policy", "same-origin");
    }

    /** Returns the answer, or status 400 for a value that cannot be read. */
    private static GatewayResponse answer(Supplier<GatewayResponse> then) {
        try {
            return then.get();
        } catch (IllegalArgumentException e) {
            return GatewayResponse.of(Problem.Kind.BAD_REQUEST, Printable.onOneLine(e.getMessage()));
        }
    }

    private static Map<String, String> query(ServerRequest request) {
        Map<String, String> query = new HashMap<>();
        for (String name : request.query().names()) {
            List<String> values = request.query().all(name);
            JsonItems.require(values.size() == 1 && query.size() < 20,
                    "Each parameter of the query must be given once, and at most 20 of them");
            query.put(name, values.getFirst());
        }
        return query;
    }

    private static GatewayResponse get(ServerRequest request, Supplier<GatewayResponse> then) {
        return Requests.isRead(request) ? then.get() : wrongMethod(Set.of("GET"));
    }

    private static boolean isAt(String root, String path) {
        return path.equals(root) || path.startsWith(root + "/");
    }

    private static List<String> authorization(ServerRequest request) {
        return Requests.all(request, HeaderNames.AUTHORIZATION);
    }

    private static GatewayResponse wrongMethod(Set<String> allowed) {
        Set<String> methods = new TreeSet<>(allowed);
        if (allowed.contains("GET")) {
            methods.add("HEAD");
        }
        String names = String.join(", ", methods);
        return GatewayResponse.of(Problem.Kind.METHOD_NOT_ALLOWED,
                "The allowed method" + (methods.size() > 1 ? "s are " : " is ") + names + ".").with("Allow", names);
    }

    private static GatewayResponse unauthenticated() {
        return GatewayResponse.of(Problem.Kind.UNAUTHENTICATED,
                "Send the header Authorization: Bearer KEY with a key that is not revoked.");
    }
}
