package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.ratelimit.RateDecision;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What is sent back: made whole before the first byte goes out, so that a fault on the way cannot leave half an answer.
 *
 * @param status  of HTTP
 * @param type    media type of the body
 * @param headers further header fields; none of their values comes from outside
 * @param body    not null
 * @param close   whether the connection ends with it
 */
record GatewayResponse(int status, String type, Map<String, String> headers, byte[] body, boolean close) {
    static final JsonMapper JSON = new JsonMapper();
    static final String PROBLEM_JSON = "application/problem+json";

    private static final String PLAIN = "text/plain; charset=utf-8";

    static GatewayResponse json(int status, JsonNode body) {
        return new GatewayResponse(status, "application/json", Map.of(), bytes(body), false);
    }

    static GatewayResponse lines(byte[] body) {
        return new GatewayResponse(200, "application/x-ndjson", Map.of(), body, false);
    }

    static GatewayResponse text(int status, String body) {
        return new GatewayResponse(status, PLAIN, Map.of(), body.getBytes(StandardCharsets.UTF_8), false);
    }

    static GatewayResponse of(Problem problem) {
        ObjectNode json = JSON.createObjectNode();
        problem.into(json);
        Map<String, String> headers = new TreeMap<>();
        problem.retryAfterSeconds().ifPresent(seconds -> headers.put("Retry-After", Long.toString(seconds)));
        if (problem.kind() == Problem.Kind.UNAUTHENTICATED) {
            headers.put("WWW-Authenticate", "Bearer realm=\"spillway\"");
        }
        return new GatewayResponse(problem.kind().status, PROBLEM_JSON, headers, bytes(json), false);
    }

    GatewayResponse with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new GatewayResponse(status, type, more, body, close);
    }

    /** With where the tenant stands with its rate (draft-ietf-httpapi-ratelimit-headers-10). */
    GatewayResponse with(Optional<RateDecision> rate) {
        return rate.map(reading -> {
            long windowSeconds = Math.max(1, Math.ceilDiv(reading.limit().toleranceNanos(), 1_000_000_000L));
            return with("RateLimit-Policy", "\"rate\";q=" + reading.burst() + ";w=" + windowSeconds)
                    .with("RateLimit", "\"rate\";r=" + reading.remaining() + ";t=" + Math.ceilDiv(reading.fullMillis(), 1_000L));
        }).orElse(this);
    }

    GatewayResponse closing() {
        return new GatewayResponse(status, type, headers, body, true);
    }

    static byte[] bytes(JsonNode json) {
        try {
            return JSON.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers can be written", e);
        }
    }
}
