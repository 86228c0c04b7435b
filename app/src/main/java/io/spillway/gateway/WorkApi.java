package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.spillway.config.DocumentMap;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.worker.handlers.DeliveryJson;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work API of external workers: {@code POST /v1/work:lease} and the answers to leased items. Requests without the key
 * of the workers learn nothing but the paths. Thread-safe.
 *
 * @param key key of the external workers, apart from those of tenants and of the operator
 */
record WorkApi(
        PullHandler handler, Answers answers, AdminKey key, Body.Reader bodies, Responder responder,
        OpenConnections connections) {
    static final int MAX_ITEMS = 100;
    static final long MAX_WAIT_MILLIS = 30_000;
    static final int MAX_BODY_BYTES = 65_536;
    /** Of many answers, each with its receipt and cause. */
    static final int MAX_ANSWERS_BYTES = 524_288;

    private static final HeaderName FORWARDED = HeaderNames.create(Answers.FORWARDED);

    private static final Logger LOG = LoggerFactory.getLogger(WorkApi.class);
    private static final String PREFIX = "/v1/work:";
    private static final SortedMap<String, Answer.Kind> ANSWERS = new TreeMap<>(
            Stream.of(Answer.Kind.values()).collect(Collectors.toMap(Answer.Kind::label, kind -> kind)));
    private static final SortedSet<String> ACTIONS = new TreeSet<>(ANSWERS.keySet());

    static {
        ACTIONS.addAll(List.of("answer", "lease"));
    }

    /** Handles a request and sends the response. */
    void handle(ServerRequest request, ServerResponse response) {
        try {
            String path = Requests.path(request);
            String action = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : "";
            Optional<GatewayResponse> refused = refusalOf(request, action);
            if (refused.isPresent()) {
                responder.reject(request, response, refused.get());
            } else {
                answer(action, request, response);
            }
        } catch (CloseConnectionException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.error("Internal error in a request, answered with status 500. Please report this stack trace.", e);
            responder.send(response, GatewayResponse.of(
                    Problem.Kind.INTERNAL_ERROR, "Internal error; see the worker's log.").closing());
        }
    }

    /** Checks what costs nothing, before the body is read. */
    private Optional<GatewayResponse> refusalOf(ServerRequest request, String action) {
        if (!ACTIONS.contains(action)) {
            return Optional.of(GatewayResponse.of(Problem.Kind.NOT_FOUND, "The paths here are " + PREFIX
                    + String.join(", " + PREFIX, ACTIONS) + "."));
        } else if (!Requests.isMethod(request, "POST")) {
            return Optional.of(GatewayResponse.of(Problem.Kind.METHOD_NOT_ALLOWED, "The allowed method is POST.")
                    .with("Allow", "POST"));
        }
        List<String> authorization = Requests.all(request, HeaderNames.AUTHORIZATION);
        if (Callers.bearer(authorization).filter(key::matches).isEmpty()) {
            return Optional.of(GatewayResponse.of(Problem.Kind.UNAUTHENTICATED,
                    "Send the header Authorization: Bearer KEY with the key of the workers."));
        }
        OptionalLong length = Requests.length(request);
        return length.isPresent() && length.getAsLong() > maxBytes(action)
                ? Optional.of(GatewayResponse.of(Body.Reader.tooLarge(maxBytes(action))))
                : Optional.empty();
    }

    private static int maxBytes(String action) {
        return action.equals("answer") ? MAX_ANSWERS_BYTES : MAX_BODY_BYTES;
    }

    private void answer(String action, ServerRequest request, ServerResponse response) throws InterruptedException {
        switch (bodies.read(request, maxBytes(action))) {
            case Body.Whole whole -> {
                try {
                    DocumentMap members = DocumentMap.ofJson(whole.bytes());
                    switch (action) {
                        case "lease" -> lease(members, request, response);
                        case "answer" -> responder.send(response, answered(members, request));
                        default -> responder.send(response, answered(Answer.of(ANSWERS.get(action), members), request));
                    }
                } catch (InvalidSettingException | IllegalArgumentException e) {
                    responder.send(response, GatewayResponse.of(Problem.Kind.BAD_REQUEST, e.getMessage()));
                }
            }
            case Body.Refused refused -> responder.send(response, refused.answer());
        }
    }

    private void lease(DocumentMap members, ServerRequest request, ServerResponse response)
            throws InterruptedException {
        int max = members.whole("max", 1, MAX_ITEMS).orElse(1L).intValue();
        long waitMillis = members.whole("waitMillis", 0, MAX_WAIT_MILLIS).orElse(0L);
        members.end();
        List<PullHandler.Leased> leased = handler.lease(max, Duration.ofMillis(waitMillis));
        if (leased.isEmpty() && handler.isClosed()) {
            responder.send(response, GatewayResponse.of(Problem.of(
                    Problem.Kind.STOPPING, "The worker is shutting down.", 1_000)).closing());
            return;
        }
        if (!leased.isEmpty() && connections.isEnded(request.remotePeer())) {
            leased.reversed().forEach(item -> handler.takeBack(item.receipt()));
            throw new CloseConnectionException("The external worker has ended during its call");
        }
        boolean sent = false;
        try {
            ArrayNode items = GatewayResponse.JSON.createArrayNode();
            leased.forEach(item -> items.add(json(item)));
            responder.send(response, GatewayResponse.json(
                    200, GatewayResponse.JSON.createObjectNode().set("items", items)));
            sent = true;
        } finally {
            if (!sent) {
                leased.forEach(item -> handler.giveBack(item.receipt()));
            }
        }
    }

    private GatewayResponse answered(DocumentMap members, ServerRequest request) {
        List<Answer> all = members.list("answers", Answer::of);
        members.end();
        JsonItems.require(!all.isEmpty() && all.size() <= MAX_ITEMS, "answers must be a list of 1 to " + MAX_ITEMS);
        ObjectNode results = GatewayResponse.JSON.createObjectNode();
        results.putArray("results").addAll(apply(all, request));
        return GatewayResponse.json(200, results);
    }

    private GatewayResponse answered(Answer answer, ServerRequest request) {
        ObjectNode result = apply(List.of(answer), request).getFirst();
        int status = result.path("status").intValue();
        if (status == 200) {
            return GatewayResponse.json(200, result.without("status"));
        }
        GatewayResponse refused = new GatewayResponse(
                status, GatewayResponse.PROBLEM_JSON, Map.of(), GatewayResponse.bytes(result), false);
        return result.has("retryAfter") ? refused.with("Retry-After", result.path("retryAfter").asText()) : refused;
    }

    private List<ObjectNode> apply(List<Answer> all, ServerRequest request) {
        return answers.apply(all, Requests.one(request, HeaderNames.AUTHORIZATION).orElseThrow(),
                Requests.one(request, FORWARDED).isPresent());
    }

    private static ObjectNode json(PullHandler.Leased leased) {
        return DeliveryJson.of(leased.delivery()).put("receipt", leased.receipt())
                .put("leaseUntil", DeliveryJson.time(leased.delivery().lease().endsAt()));
    }
}
