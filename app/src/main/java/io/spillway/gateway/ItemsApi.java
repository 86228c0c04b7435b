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
import java.util.function.LongSupplier;

/**
 * {@code POST /v1/items} and {@code POST /v1/items:batch}: who it is, whether there is room, whether it may come in, the
 * body, Kafka, the answer, in this order, so that a refusal costs as little as it can. Thread-safe.
 */
final class ItemsApi {
    /** Largest payload of one item. */
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

    /** One item. */
    void one(String tenant, ServerRequest request, ServerResponse response) {
        whileIn(tenant, request, response, MAX_PAYLOAD_BYTES, () -> {
            Admission admission = intake.admit(tenant);
            Optional<Problem> refused = Intake.problemOf(admission);
            if (refused.isPresent()) {
                responder.refuseWithRoom(request, response, GatewayResponse.of(refused.get()).with(admission.rate()));
                return;
            }
            GatewayResponse answer = read(request, MAX_PAYLOAD_BYTES, payload -> store(tenant, request, payload));
            responder.send(response, answer.with(admission.rate()));
        });
    }

    /** Many items, one a line. */
    void many(String tenant, ServerRequest request, ServerResponse response) {
        whileIn(tenant, request, response, limits.batchBytes(), () -> responder.send(response, read(
                request, limits.batchBytes(), body -> batch.store(tenant, body, Requests.trace(request, random)))));
    }

    /** What can be said against a request before its body is looked at. */
    private static Optional<Problem> problemOf(String tenant, ServerRequest request, int maxBytes) {
        try {
            Optional<String> named = Requests.one(request, Requests.TENANT);
            if (named.isPresent() && !named.get().equals(tenant)) {
                return Optional.of(Problem.of(Problem.Kind.FORBIDDEN, "the key is of another tenant than the one named"));
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
                    "at most " + limits.tenantRequests() + " requests of a tenant at one time", 1_000));
            case FULL -> Optional.of(Problem.of(Problem.Kind.BUSY, "too many requests in flight", 1_000));
            case STOPPING -> Optional.of(Problem.of(Problem.Kind.STOPPING, "it takes no more requests", 1_000));
        };
        if (full.isPresent()) {
            responder.refuse(request, response, GatewayResponse.of(full.get()).closing());
            return;
        }
        // The server believes the size of a chunk, up to the largest body of all.
        long size = Requests.length(request).orElse(Math.max(maxBytes, limits.batchBytes()));
        boolean taken = false;
        try {
            taken = inFlight.take(tenant, size);
            Optional<Problem> wrong = problemOf(tenant, request, maxBytes);
            if (!taken) {
                responder.refuse(request, response, GatewayResponse.of(Problem.of(
                        Problem.Kind.BUSY, "too many bytes in flight", 1_000)).closing());
            } else if (wrong.isPresent()) {
                responder.refuseWithRoom(request, response, GatewayResponse.of(wrong.get()));
            } else {
                inside.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            inFlight.leave(tenant, taken ? size : 0);
        }
    }

    /** What is done with a body. */
    private interface WithBody {
        GatewayResponse answer(byte[] body);
    }

    private GatewayResponse read(ServerRequest request, int maxBytes, WithBody then) {
        if (!request.content().hasEntity()) {
            return then.answer(new byte[0]);
        }
        return switch (bodies.read(request.content().inputStream(), maxBytes, Requests.length(request).orElse(0))) {
            case Body.Whole whole -> then.answer(whole.bytes());
            case Body.TooLarge large -> large.isRead() ? GatewayResponse.of(tooLarge(maxBytes)) : GatewayResponse.of(tooLarge(maxBytes)).closing();
            case Body.TooSlow slow -> GatewayResponse.of(Problem.of(
                    Problem.Kind.TOO_SLOW, "the body must arrive within " + limits.bodyTimeout().toMillis() + " ms")).closing();
            case Body.Broken broken -> GatewayResponse.of(Problem.of(
                    Problem.Kind.BAD_REQUEST, "the body ends before it is complete")).closing();
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

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private static Problem tooLarge(int maxBytes) {
        return Problem.of(Problem.Kind.TOO_LARGE, "the body must be at most " + maxBytes + " bytes");
    }
}
