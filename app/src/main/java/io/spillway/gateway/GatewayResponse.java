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
 * Complete HTTP response, built before its first byte is sent, so that an error never causes a partial response.
 *
 * @param type    media type of the body
 * @param headers additional header fields; no value contains text from a request
 * @param close   whether to close the connection after it
 */
record GatewayResponse(int status, String type, Map<String, String> headers, byte[] body, boolean close) {
    static final JsonMapper JSON = new JsonMapper();
    static final String PROBLEM_JSON = "application/problem+json";

    static GatewayResponse json(int status, JsonNode body) {
        return new GatewayResponse(status, "application/json", Map.of(), bytes(body), false);
    }

    static GatewayResponse lines(byte[] body) {
        return new GatewayResponse(200, "application/x-ndjson", Map.of(), body, false);
    }

    static GatewayResponse text(String type, String body) {
        return new GatewayResponse(200, type, Map.of(), body.getBytes(StandardCharsets.UTF_8), false);
    }

    static GatewayResponse of(Problem.Kind kind, String detail) {
        return of(Problem.of(kind, detail));
    }

    static GatewayResponse of(Problem problem) {
        ObjectNode json = JSON.createObjectNode();
        problem.into(json);
        Map<String, String> headers = new TreeMap<>();
        problem.retryAfterSeconds().ifPresent(seconds -> headers.put("Retry-After", Long.toString(seconds)));
        if (problem.kind() == Problem.Kind.UNAUTHENTICATED) {
            headers.put("WWW-Authenticate", "Bearer realm=\"spillway\"");
        } else if (problem.kind() == Problem.Kind.UNSUPPORTED_ENCODING) {
            headers.put("Accept-Encoding", "gzip");
        }
        return new GatewayResponse(problem.kind().status, PROBLEM_JSON, headers, bytes(json), false);
    }

    GatewayResponse with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new GatewayResponse(status, type, more, body, close);
    }

    /** Adds the tenant's rate limit and remaining quota (draft-ietf-httpapi-ratelimit-headers-10). */
    GatewayResponse with(Optional<RateDecision> rate) {
        return rate.map(decision -> {
            long windowSeconds = Math.max(1, Math.ceilDiv(decision.limit().toleranceNanos(), 1_000_000_000L));
            long resetSeconds = Math.ceilDiv(decision.fullMillis(), 1_000L);
            return with("RateLimit-Policy", "\"rate\";q=" + decision.burst() + ";w=" + windowSeconds)
                    .with("RateLimit", "\"rate\";r=" + decision.remaining() + ";t=" + resetSeconds);
        }).orElse(this);
    }

    GatewayResponse closing() {
        return new GatewayResponse(status, type, headers, body, true);
    }

    GatewayResponse withoutBody() {
        return new GatewayResponse(status, type, headers, new byte[0], close);
    }

    static byte[] bytes(JsonNode json) {
        try {
            return JSON.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A JSON tree could not be serialized", e);
        }
    }
}
