package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.spillway.config.GatewaySettings;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.StoredKey;
import io.spillway.schema.WorkItem;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Item API: {@code POST /v1/items}, {@code POST /v1/items:batch} and {@code GET /v1/items/ID}. Checks run from cheap
 * to expensive: limits, headers, admission, body, Kafka. Thread-safe.
 */
record ItemsApi(
        GatewaySettings.Limits limits, InFlight inFlight, Body.Reader bodies, Intake intake, Batch batch,
        ItemFates fates, Responder responder, Gateway.Sources sources) {
    static final int MAX_PAYLOAD_BYTES = 1_048_576;
    /** Start of the path of an item. */
    static final String ITEM = "/v1/items/";
    static final String OCTETS = "application/octet-stream";

    private static final HeaderName IDEMPOTENCY_KEY = HeaderNames.create("Idempotency-Key");
    private static final HeaderName ID = HeaderNames.create("Spillway-Id");
    private static final HeaderName DEDUPE = HeaderNames.create("Spillway-Dedupe");
    private static final HeaderName ORDER_KEY = HeaderNames.create("Spillway-Order-Key");
    private static final HeaderName WORKLOAD = HeaderNames.create("Spillway-Workload");
    private static final HeaderName PRIORITY = HeaderNames.create("Spillway-Priority");
    private static final HeaderName DELIVER_WITHIN = HeaderNames.create("Spillway-Deliver-Within");
    private static final HeaderName DELIVER_AT = HeaderNames.create("Spillway-Deliver-At");
    private static final HeaderName ATTRIBUTES = HeaderNames.create("Spillway-Attributes");
    private static final HeaderName TENANT = HeaderNames.create("Spillway-Tenant");
    private static final HeaderName TRACEPARENT = HeaderNames.create("traceparent");
    private static final HeaderName TRACESTATE = HeaderNames.create("tracestate");
    private static final int MAX_CONTENT_TYPE = 256;
    /** String of a structured field (RFC 9651, section 3.3.3), without its quotes. */
    private static final Pattern QUOTED = Pattern.compile("\"((?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*+)\"");

    void one(StoredKey key, ServerRequest request, ServerResponse response) {
        Optional<String> named = tenantOf(key, request, response);
        if (named.isEmpty()) {
            return;
        }
        String tenant = named.get();
        withinLimits(tenant, request, response, MAX_PAYLOAD_BYTES, entered -> {
            Admission admission = intake.admit(tenant);
            Optional<Problem> rejected = Problem.of(admission);
            if (rejected.isPresent()) {
                responder.rejectCaller(request, response, GatewayResponse.of(rejected.get()).with(admission.rate()));
                return;
            }
            GatewayResponse result = read(
                    request, entered, MAX_PAYLOAD_BYTES, payload -> store(tenant, request, payload));
            responder.send(response, result.with(admission.rate()));
        });
    }

    /** A service may name the tenant in each line; its requests then count by its key. */
    void many(StoredKey key, ServerRequest request, ServerResponse response) {
        boolean isMixed = key.isOfService() && Requests.all(request, TENANT).isEmpty();
        Optional<String> named = isMixed ? Optional.of("") : tenantOf(key, request, response);
        named.ifPresent(tenant -> withinLimits(isMixed ? key.toString() : tenant, request, response,
                limits.batchBytes(), entered -> responder.send(response, read(request, entered, limits.batchBytes(),
                        body -> batch.store(tenant, key, body, traceOf(request))))));
    }

    /**
     * Tells what became of an item.
     *
     * @param id percent-encoded, unchecked
     */
    void fate(StoredKey key, String id, ServerRequest request, ServerResponse response) {
        tenantOf(key, request, response).ifPresent(tenant -> {
            GatewayResponse answer;
            try {
                // A plus sign is one, because this is no form.
                String decoded = URLDecoder.decode(id.replace("+", "%2B"), StandardCharsets.UTF_8);
                answer = fates.of(tenant, JsonItems.requireId("The id in the path", decoded));
            } catch (IllegalArgumentException e) {
                answer = GatewayResponse.of(Problem.Kind.BAD_REQUEST, Printable.of(e.getMessage()));
            }
            responder.reject(request, response, answer);
        });
    }

    /** Returns the tenant whose items the request has; empty after it was refused. */
    private Optional<String> tenantOf(StoredKey key, ServerRequest request, ServerResponse response) {
        Problem problem;
        try {
            Optional<String> named = Requests.one(request, TENANT);
            if (named.isEmpty() && !key.isOfService()) {
                return Optional.of(key.tenant());
            } else if (named.isEmpty()) {
                problem = Problem.of(
                        Problem.Kind.BAD_REQUEST, "The key of a service needs the header Spillway-Tenant.");
            } else if (!key.maySend(named.get())) {
                problem = Problem.of(Problem.Kind.FORBIDDEN, Intake.OTHER_TENANT);
            } else if (!ItemLimits.isName(named.get())) {
                problem = Problem.of(
                        Problem.Kind.BAD_REQUEST, "Spillway-Tenant must be " + ItemLimits.NAME_ALLOWED);
            } else {
                return named;
            }
        } catch (IllegalArgumentException e) {
            problem = Problem.of(Problem.Kind.BAD_REQUEST, e.getMessage());
        }
        responder.rejectCaller(request, response, GatewayResponse.of(problem));
        return Optional.empty();
    }

    /** Checks headers and length before the body is read. */
    private Optional<Problem> problemOf(ServerRequest request, int maxBytes) {
        try {
            dedupeOf(request);
            orderKeyOf(request);
            workloadOf(request);
            priorityOf(request);
            long deliverAtMillis = deliverAtMillisOf(request);
            JsonItems.requireSoon(DELIVER_AT.defaultCase(), deliverAtMillis, intake.nowMillis());
            JsonItems.requireSoon("The end of " + DELIVER_WITHIN.defaultCase(),
                    deliverAtMillis + deliverWithinMillisOf(request), intake.nowMillis());
            contentTypeOf(request);
            attributesOf(request);
            Requests.cloudEvent(request);
        } catch (IllegalArgumentException e) {
            return Optional.of(Problem.of(Problem.Kind.BAD_REQUEST, e.getMessage()));
        }
        OptionalLong length = Requests.length(request);
        return length.isPresent() && length.getAsLong() > maxBytes
                ? Optional.of(Body.Reader.tooLarge(maxBytes)) : Optional.empty();
    }

    /** Runs a step with a request slot, in which the bytes that arrive are counted, or responds that there is none. */
    private void withinLimits(
            String tenant, ServerRequest request, ServerResponse response, int maxBytes,
            Consumer<InFlight.Request> step) {
        InFlight.Request entered = inFlight.of(tenant);
        Optional<Problem> full = entered.enter();
        if (full.isPresent()) {
            if (full.get().kind() == Problem.Kind.TOO_MANY_REQUESTS) {
                intake.refusedRequest(tenant);
            }
            responder.reject(request, response, GatewayResponse.of(full.get()).closing());
            return;
        }
        try {
            HttpInput.counting(entered, () -> {
                Optional<Problem> problem = intake.closed().or(() -> problemOf(request, maxBytes));
                if (problem.isPresent()) {
                    responder.rejectCaller(request, response, GatewayResponse.of(problem.get()));
                } else {
                    step.accept(entered);
                }
            });
        } finally {
            entered.leave();
        }
    }

    private GatewayResponse read(
            ServerRequest request, InFlight.Request entered, int maxBytes, Function<byte[], GatewayResponse> then) {
        return switch (bodies.read(request, maxBytes)) {
            case Body.Whole whole -> then.apply(whole.bytes());
            case Body.Refused refused -> entered.isRefused()
                    ? GatewayResponse.of(Problem.of(
                            Problem.Kind.BUSY, "Too many bytes are in flight.", 1_000)).closing()
                    : refused.answer();
        };
    }

    private GatewayResponse store(String tenant, ServerRequest request, byte[] payload) {
        WorkItem item = new WorkItem(
                tenant, idOf(request).orElseGet(sources::uuid), Instant.ofEpochMilli(sources.clock().millis()),
                workloadOf(request), null, contentTypeOf(request), attributesOf(request), ByteBuffer.wrap(payload));
        boolean countsOnce = dedupeOf(request);
        Optional<ObjectNode> earlier = countsOnce ? fates.known(tenant, item.getId()) : Optional.empty();
        long deadlineNanos = intake.deadlineNanos();
        WrittenItem parsed = new WrittenItem(
                item, priorityOf(request), deliverAtMillisOf(request), orderKeyOf(request), countsOnce,
                Requests.cloudEvent(request))
                .within(deliverWithinMillisOf(request));
        return intake.await(intake.send(parsed, traceOf(request)), deadlineNanos)
                .map(GatewayResponse::of)
                .orElseGet(() -> {
                    ObjectNode stored = GatewayResponse.JSON.createObjectNode()
                            .put("id", item.getId()).put("tenant", tenant);
                    earlier.ifPresent(fate -> stored.set("earlier", fate));
                    return GatewayResponse.json(202, stored);
                });
    }

    private TraceContext traceOf(ServerRequest request) {
        return TraceContext.of(
                Requests.all(request, TRACEPARENT), Requests.all(request, TRACESTATE), sources.randomBits());
    }

    private static Optional<String> idOf(ServerRequest request) {
        Optional<String> key = idempotencyKeyOf(request);
        Optional<String> id = Requests.one(request, ID).map(text -> JsonItems.requireId(ID.defaultCase(), text));
        JsonItems.require(key.isEmpty() || id.isEmpty() || key.equals(id),
                "Spillway-Id and Idempotency-Key must be the same, because both are the id. Send one of them");
        return key.or(() -> id);
    }

    /** Returns the key, which may be written as a string of a structured field. */
    private static Optional<String> idempotencyKeyOf(ServerRequest request) {
        return Requests.one(request, IDEMPOTENCY_KEY).map(text -> {
            Matcher quoted = QUOTED.matcher(text);
            boolean isQuoted = text.startsWith("\"") && text.length() <= 2 * ItemLimits.MAX_ID_LENGTH + 2;
            JsonItems.require(!isQuoted || quoted.matches(), "Idempotency-Key must end with a quotation mark, and have"
                    + " a backslash before each one inside, because it begins with one");
            return JsonItems.requireId(IDEMPOTENCY_KEY.defaultCase(),
                    isQuoted ? quoted.group(1).replaceAll("\\\\(.)", "$1") : text);
        });
    }

    private static boolean dedupeOf(ServerRequest request) {
        boolean hasKey = idempotencyKeyOf(request).isPresent();
        String dedupe = Requests.one(request, DEDUPE).orElse("" + hasKey);
        JsonItems.require(dedupe.equals("true") || dedupe.equals("false"), "Spillway-Dedupe must be true or false");
        JsonItems.require(!hasKey || dedupe.equals("true"), "Spillway-Dedupe must not be false beside an"
                + " Idempotency-Key. Send the id as Spillway-Id instead");
        JsonItems.require(idOf(request).isPresent() || dedupe.equals("false"), "Spillway-Dedupe needs an id, which is"
                + " the same each time the item is sent: the header Spillway-Id");
        return dedupe.equals("true");
    }

    private static String orderKeyOf(ServerRequest request) {
        return Requests.one(request, ORDER_KEY)
                .map(text -> JsonItems.requireId(ORDER_KEY.defaultCase(), text)).orElse("");
    }

    private static String workloadOf(ServerRequest request) {
        String workload = Requests.one(request, WORKLOAD).orElse("");
        JsonItems.require(workload.isEmpty() || ItemLimits.isName(workload), "Spillway-Workload must be empty or "
                + ItemLimits.NAME_ALLOWED);
        return workload;
    }

    private static int priorityOf(ServerRequest request) {
        String priority = Requests.one(request, PRIORITY).orElse("" + ItemLimits.NORMAL_PRIORITY);
        JsonItems.require(priority.matches("[0-9]"), "Spillway-Priority must be a number from 0 to 9");
        return Integer.parseInt(priority);
    }

    private static long deliverAtMillisOf(ServerRequest request) {
        return Requests.one(request, DELIVER_AT)
                .map(text -> JsonItems.deliverAtMillis(DELIVER_AT.defaultCase(), text))
                .orElse(0L);
    }

    private static long deliverWithinMillisOf(ServerRequest request) {
        return Requests.one(request, DELIVER_WITHIN)
                .map(text -> JsonItems.windowMillis(DELIVER_WITHIN.defaultCase(), text))
                .orElse(0L);
    }

    private static Map<String, String> attributesOf(ServerRequest request) {
        return Requests.one(request, ATTRIBUTES)
                .map(text -> JsonItems.attributes(ATTRIBUTES.defaultCase(), text)).orElse(Map.of());
    }

    private static String contentTypeOf(ServerRequest request) {
        String type = Requests.one(request, HeaderNames.CONTENT_TYPE).orElse(OCTETS);
        JsonItems.require(type.length() <= MAX_CONTENT_TYPE && type.chars().allMatch(c -> c >= ' ' && c <= '~'),
                "Content-Type must be at most " + MAX_CONTENT_TYPE + " printable ASCII characters");
        return type;
    }
}
