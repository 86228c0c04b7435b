package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.spillway.config.GatewaySettings;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.ratelimit.Admission;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Item API: {@code POST /v1/items} and {@code POST /v1/items:batch}. Checks run from cheap to expensive: limits,
 * headers, admission, body, Kafka. Thread-safe.
 */
final class ItemsApi {
    static final int MAX_PAYLOAD_BYTES = 1_048_576;

    private static final int MAX_CONTENT_TYPE = 256;
    private static final String OCTETS = "application/octet-stream";

    private final GatewaySettings.Limits limits;
    private final InFlight inFlight;
    private final Body.Reader bodies;
    private final Intake intake;
    private final Batch batch;
    private final Responder responder;
    private final ItemIds ids;
    private final InstantSource clock;
    private final LongSupplier random;

    ItemsApi(
            GatewaySettings.Limits limits, InFlight inFlight, Body.Reader bodies, Intake intake, Batch batch,
            Responder responder, ItemIds ids, InstantSource clock, LongSupplier random) {
        this.limits = limits;
        this.inFlight = inFlight;
        this.bodies = bodies;
        this.intake = intake;
        this.batch = batch;
        this.responder = responder;
        this.ids = ids;
        this.clock = clock;
        this.random = random;
    }

    void one(String tenant, ServerRequest request, ServerResponse response) {
        whileIn(tenant, request, response, MAX_PAYLOAD_BYTES, () -> {
            Admission admission = intake.admit(tenant);
            Optional<Problem> rejected = Intake.problemOf(admission);
            if (rejected.isPresent()) {
                responder.rejectReserved(request, response, GatewayResponse.of(rejected.get()).with(admission.rate()));
                return;
            }
            GatewayResponse result = read(request, MAX_PAYLOAD_BYTES, payload -> store(tenant, request, payload));
            responder.send(response, result.with(admission.rate()));
        });
    }

    void many(String tenant, ServerRequest request, ServerResponse response) {
        whileIn(tenant, request, response, limits.batchBytes(), () -> responder.send(response, read(
                request, limits.batchBytes(), body -> batch.store(tenant, body, Requests.trace(request, random)))));
    }

    /** Checks headers and length before the body is read. */
    private static Optional<Problem> problemOf(String tenant, ServerRequest request, int maxBytes) {
        try {
            Optional<String> named = Requests.one(request, Requests.TENANT);
            if (named.isPresent() && !named.get().equals(tenant)) {
                return Optional.of(Problem.of(Problem.Kind.FORBIDDEN, Intake.OTHER_TENANT));
            }
            idOf(request);
            workloadOf(request);
            contentTypeOf(request);
        } catch (IllegalArgumentException e) {
            return Optional.of(Problem.of(Problem.Kind.BAD_REQUEST, e.getMessage()));
        }
        OptionalLong length = Requests.length(request);
        return length.isPresent() && length.getAsLong() > maxBytes ? Optional.of(tooLarge(maxBytes)) : Optional.empty();
    }

    private void whileIn(String tenant, ServerRequest request, ServerResponse response, int maxBytes, Runnable inside) {
        Optional<Problem> full = switch (inFlight.enter(tenant)) {
            case ENTERED -> Optional.empty();
            case TENANT_FULL -> Optional.of(Problem.of(Problem.Kind.TOO_MANY_REQUESTS,
                    "The tenant has " + limits.tenantRequests() + " requests in flight, its limit.", 1_000));
            case FULL -> Optional.of(Problem.of(Problem.Kind.BUSY, "Too many requests are in flight.", 1_000));
            case STOPPING -> Optional.of(Problem.of(Problem.Kind.STOPPING, "The gateway is shutting down.", 1_000));
        };
        if (full.isPresent()) {
            responder.reject(request, response, GatewayResponse.of(full.get()).closing());
            return;
        }
        // The server allocates the announced size of a chunk, up to the maximum size of any body.
        long size = Requests.length(request).orElse(Math.max(maxBytes, limits.batchBytes()));
        boolean reserved = false;
        try {
            reserved = inFlight.reserve(tenant, size);
            Optional<Problem> problem = problemOf(tenant, request, maxBytes);
            if (!reserved) {
                responder.reject(request, response, GatewayResponse.of(Problem.of(
                        Problem.Kind.BUSY, "Too many bytes are in flight.", 1_000)).closing());
            } else if (problem.isPresent()) {
                responder.rejectReserved(request, response, GatewayResponse.of(problem.get()));
            } else {
                inside.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            inFlight.leave(tenant, reserved ? size : 0);
        }
    }


    private GatewayResponse read(ServerRequest request, int maxBytes, Function<byte[], GatewayResponse> then) {
        if (!request.content().hasEntity()) {
            return then.apply(new byte[0]);
        }
        return switch (bodies.read(request.content().inputStream(), maxBytes, Requests.length(request).orElse(0))) {
            case Body.Whole whole -> then.apply(whole.bytes());
            case Body.TooLarge large -> large.isRead()
                    ? GatewayResponse.of(tooLarge(maxBytes))
                    : GatewayResponse.of(tooLarge(maxBytes)).closing();
            case Body.TooSlow slow -> GatewayResponse.of(Problem.of(Problem.Kind.TOO_SLOW,
                    "The body did not arrive within " + limits.bodyTimeout().toMillis() + " ms.")).closing();
            case Body.Broken broken -> GatewayResponse.of(Problem.of(
                    Problem.Kind.BAD_REQUEST, "The body ended before it was complete.")).closing();
        };
    }

    private GatewayResponse store(String tenant, ServerRequest request, byte[] payload) {
        WorkItem item = new WorkItem(
                tenant,
                idOf(request).orElseGet(ids::next),
                Instant.ofEpochMilli(clock.millis()),
                workloadOf(request),
                null,
                contentTypeOf(request),
                Map.of(),
                ByteBuffer.wrap(payload));
        Optional<Problem> problem = Intake.await(
                intake.send(item, Requests.trace(request, random)), limits.confirmTimeout().toMillis());
        return problem.map(GatewayResponse::of).orElseGet(() -> {
            ObjectNode json = GatewayResponse.JSON.createObjectNode();
            json.put("id", item.getId());
            json.put("tenant", tenant);
            return GatewayResponse.json(202, json);
        });
    }

    private static Optional<String> idOf(ServerRequest request) {
        Optional<String> id = Requests.one(request, Requests.IDEMPOTENCY_KEY);
        id.ifPresent(text -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            require(ItemLimits.isId(bytes, 0, bytes.length),
                    "Idempotency-Key must be 1 to " + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters");
        });
        return id;
    }

    private static String workloadOf(ServerRequest request) {
        String workload = Requests.one(request, Requests.WORKLOAD).orElse("");
        require(workload.isEmpty() || ItemLimits.isName(workload), "Spillway-Workload must be empty or 1 to "
                + ItemLimits.MAX_NAME_LENGTH + " of A-Z a-z 0-9 . _ -");
        return workload;
    }

    private static String contentTypeOf(ServerRequest request) {
        String type = Requests.one(request, HeaderNames.CONTENT_TYPE).orElse(OCTETS);
        require(type.length() <= MAX_CONTENT_TYPE && type.chars().allMatch(c -> c >= ' ' && c <= '~'),
                "Content-Type must be at most " + MAX_CONTENT_TYPE + " printable ASCII characters");
        return type;
    }

    private static void require(boolean isValid, String message) {
        if (!isValid) {
            throw new IllegalArgumentException(message);
        }
    }

    private static Problem tooLarge(int maxBytes) {
        return Problem.of(Problem.Kind.TOO_LARGE, "The body must be at most " + maxBytes + " bytes.");
    }
}
