package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work API of external workers: {@code POST /v1/work:lease} and the answers to leased items. Requests without the key
 * of the workers learn nothing but the paths. Thread-safe.
 *
 * @param key key of the external workers, apart from those of tenants and of the operator
 */
record WorkApi(
        PullHandler handler, AdminKey key, Body.Reader bodies, Responder responder, OpenConnections connections) {
    static final int MAX_ITEMS = 100;
    static final long MAX_WAIT_MILLIS = 30_000;
    static final int MAX_BODY_BYTES = 65_536;
    private static final long MAX_AFTER_MILLIS = Duration.ofDays(30).toMillis();
    private static final long MAX_LEASE_MILLIS = Duration.ofDays(1).toMillis();
    private static final int MAX_TEXT = 4_000;

    private static final Logger LOG = LoggerFactory.getLogger(WorkApi.class);
    private static final String PREFIX = "/v1/work:";
    /** Members of the request by action. */
    private static final Map<String, Set<String>> ACTIONS = Map.of(
            "lease", Set.of("max", "waitMillis"),
            "done", Set.of("receipt"),
            "retry", Set.of("receipt", "afterMillis", "detail"),
            "later", Set.of("receipt", "afterMillis"),
            "dead", Set.of("receipt", "reason"),
            "renew", Set.of("receipt", "leaseMillis"));
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

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
        if (!ACTIONS.containsKey(action)) {
            return Optional.of(GatewayResponse.of(Problem.Kind.NOT_FOUND, "The paths here are " + PREFIX
                    + String.join(", " + PREFIX, ACTIONS.keySet().stream().sorted().toList()) + "."));
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
        return length.isPresent() && length.getAsLong() > MAX_BODY_BYTES
                ? Optional.of(GatewayResponse.of(Body.Reader.tooLarge(MAX_BODY_BYTES)))
                : Optional.empty();
    }

    private void answer(String action, ServerRequest request, ServerResponse response) throws InterruptedException {
        switch (bodies.read(request, MAX_BODY_BYTES)) {
            case Body.Whole whole -> {
                try {
                    JsonNode members = membersOf(whole.bytes(), ACTIONS.get(action));
                    if (action.equals("lease")) {
                        lease(members, request, response);
                    } else {
                        responder.send(response, answered(action, members));
                    }
                } catch (IllegalArgumentException e) {
                    responder.send(response, GatewayResponse.of(Problem.Kind.BAD_REQUEST, e.getMessage()));
                }
            }
            case Body.Refused refused -> responder.send(response, refused.answer());
        }
    }

    private void lease(JsonNode members, ServerRequest request, ServerResponse response) throws InterruptedException {
        int max = (int) number(members, "max", 1, MAX_ITEMS, OptionalLong.of(1));
        long waitMillis = number(members, "waitMillis", 0, MAX_WAIT_MILLIS, OptionalLong.of(0));
        List<PullHandler.Leased> leased = handler.lease(max, Duration.ofMillis(waitMillis));
        if (leased.isEmpty() && handler.isClosed()) {
            responder.send(response, GatewayResponse.of(Problem.of(
                    Problem.Kind.STOPPING, "The worker is shutting down.", 1_000)).closing());
            return;
        }
        if (!leased.isEmpty() && connections.isEnded(request.remotePeer())) {
            leased.reversed().forEach(each -> handler.takeBack(each.receipt()));
            throw new CloseConnectionException("The external worker has ended during its call");
        }
        boolean sent = false;
        try {
            ArrayNode items = GatewayResponse.JSON.createArrayNode();
            leased.forEach(each -> items.add(LeasedJson.of(each)));
            responder.send(response, GatewayResponse.json(
                    200, GatewayResponse.JSON.createObjectNode().set("items", items)));
            sent = true;
        } finally {
            if (!sent) {
                leased.forEach(each -> handler.giveBack(each.receipt()));
            }
        }
    }

    private GatewayResponse answered(String action, JsonNode members) {
        String receipt = text(members, "receipt", Receipts.MAX_LENGTH)
                .orElseThrow(() -> new IllegalArgumentException("receipt is missing"));
        if (action.equals("renew")) {
            return renewed(receipt, members);
        }
        OptionalLong none = OptionalLong.empty();
        Outcome outcome = switch (action) {
            case "done" -> Outcome.done();
            case "retry" -> {
                String detail = text(members, "detail", MAX_TEXT).orElse("The external worker asked for a retry.");
                yield members.has("afterMillis")
                        ? Outcome.retry(Duration.ofMillis(number(members, "afterMillis", 0, MAX_AFTER_MILLIS, none)),
                                detail)
                        : Outcome.retry(detail);
            }
            case "later" ->
                Outcome.later(Duration.ofMillis(number(members, "afterMillis", 0, MAX_AFTER_MILLIS, none)));
            default -> Outcome.dead(text(members, "reason", MAX_TEXT)
                    .orElseThrow(() -> new IllegalArgumentException("reason is missing")));
        };
        return handler.answer(receipt, outcome).map(GatewayResponse::of)
                .orElseGet(() -> GatewayResponse.json(200, GatewayResponse.JSON.createObjectNode()));
    }

    private GatewayResponse renewed(String receipt, JsonNode members) {
        Optional<Duration> time = members.has("leaseMillis")
                ? Optional.of(Duration.ofMillis(
                        number(members, "leaseMillis", 1, MAX_LEASE_MILLIS, OptionalLong.empty())))
                : Optional.empty();
        return switch (handler.renew(receipt, time)) {
            case PullHandler.Renewal.Refused(Problem problem) -> GatewayResponse.of(problem);
            case PullHandler.Renewal.Renewed renewed -> GatewayResponse.json(200,
                    GatewayResponse.JSON.createObjectNode().put("leaseUntil", LeasedJson.time(renewed.endsAt())));
        };
    }

    /** Returns the members of the object in a body; an empty body is an empty object. */
    private static JsonNode membersOf(byte[] body, Set<String> known) {
        JsonNode json;
        try {
            json = body.length == 0 ? STRICT.createObjectNode() : STRICT.readTree(body);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("The body is " + JsonItems.problemOf(e) + ".");
        } catch (IOException e) {
            throw new IllegalArgumentException("The body is not JSON.");
        }
        JsonItems.require(json.isObject(), "The body must be a JSON object.");
        List<String> unknown = new ArrayList<>();
        json.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                unknown.add(name);
            }
        });
        JsonItems.require(unknown.isEmpty(), "A member of the body is unknown. Known members are "
                + known.stream().sorted().toList() + ".");
        return json;
    }

    private static long number(JsonNode members, String name, long least, long most, OptionalLong otherwise) {
        JsonNode value = members.path(name);
        if (value.isMissingNode() && otherwise.isPresent()) {
            return otherwise.getAsLong();
        }
        JsonItems.require(value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= least
                && value.longValue() <= most,
                String.format(Locale.ROOT, "%s must be a whole number from %d to %d", name, least, most));
        return value.longValue();
    }

    private static Optional<String> text(JsonNode members, String name, int maxLength) {
        JsonNode value = members.path(name);
        JsonItems.require(value.isMissingNode() || value.isTextual() && value.textValue().length() <= maxLength,
                name + " must be text of at most " + maxLength + " characters");
        return Optional.ofNullable(value.textValue());
    }

    /** JSON of leased items: a payload that its content type calls text is text, any other is base64. */
    static final class LeasedJson {
        private static final Pattern TEXT_TYPE =
                Pattern.compile("text/.+|application/(.+\\+)?json|application/(.+\\+)?xml");

        private LeasedJson() {}

        static ObjectNode of(PullHandler.Leased leased) {
            Delivery delivery = leased.delivery();
            ObjectNode json = GatewayResponse.JSON.createObjectNode()
                    .put("tenant", delivery.tenant())
                    .put("id", delivery.id())
                    .put("workload", delivery.workload())
                    .put("attempt", delivery.attempt())
                    .put("lane", delivery.lane())
                    .put("enqueuedAt", time(delivery.enqueuedAt()))
                    .put("contentType", delivery.contentType());
            ObjectNode attributes = json.putObject("attributes");
            delivery.attributes().forEach(attributes::put);
            var headers = json.putArray("headers");
            delivery.headers().stream().filter(header -> !ItemHeaders.isInternal(header.name())).forEach(header -> {
                ObjectNode each = headers.addObject().put("name", header.name());
                if (header.value() == null) {
                    each.putNull("value");
                } else {
                    put(each, "value", text(header.value()), header.value());
                }
            });
            put(json, "payload", isText(delivery.contentType()) ? text(delivery.payload()) : Optional.empty(),
                    delivery.payload());
            return json.put("receipt", leased.receipt()).put("leaseUntil", time(delivery.lease().endsAt()));
        }

        /** Returns a time in ISO 8601 with milliseconds. */
        static String time(Instant time) {
            return time.truncatedTo(ChronoUnit.MILLIS).toString();
        }

        private static void put(ObjectNode json, String name, Optional<String> text, byte[] bytes) {
            text.ifPresentOrElse(each -> json.put(name, each),
                    () -> json.put(name + "Base64", Base64.getEncoder().encodeToString(bytes)));
        }

        private static boolean isText(String contentType) {
            String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
            return TEXT_TYPE.matcher(type).matches();
        }

        /** Returns the text of valid UTF-8; empty for other bytes. */
        private static Optional<String> text(byte[] bytes) {
            try {
                return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
            } catch (CharacterCodingException e) {
                return Optional.empty();
            }
        }
    }
}
