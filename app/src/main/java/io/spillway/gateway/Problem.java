package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Reason why a request or a line was rejected, as problem details (RFC 9457).
 *
 * @param kind              stable identifier for clients
 * @param detail            one sentence for people
 * @param retryAfterSeconds seconds after which to retry, if a retry is useful
 */
record Problem(Kind kind, String detail, Optional<Long> retryAfterSeconds) {
    /** Problem types with their HTTP status; the {@code type} is {@code urn:spillway:problem:} and the label. */
    enum Kind {
        BAD_REQUEST(400, "bad-request", "Invalid request"),
        UNAUTHENTICATED(401, "unauthenticated", "No valid key"),
        FORBIDDEN(403, "forbidden", "The key does not permit this request"),
        NOT_FOUND(404, "not-found", "Path not found"),
        METHOD_NOT_ALLOWED(405, "method-not-allowed", "Method not allowed"),
        TOO_SLOW(408, "too-slow", "The request did not arrive in time"),
        TOO_LARGE(413, "too-large", "The content is too large"),
        OVER_RATE(429, "over-rate", "Tenant rate exceeded"),
        HELD_BACK(429, "held-back", "Rejected until the tenant's backlog is smaller"),
        TOO_MANY_REQUESTS(429, "too-many-requests", "Too many requests of the tenant in flight"),
        HEADERS_TOO_LARGE(431, "headers-too-large", "The header fields are too large"),
        INTERNAL_ERROR(500, "internal-error", "Internal error"),
        NOT_CONFIRMED(503, "not-confirmed", "Kafka has not confirmed in time"),
        NOT_ACCEPTED(503, "not-accepted", "Not accepted, because Kafka does not confirm"),
        BUSY(503, "busy", "The gateway is busy"),
        STOPPING(503, "stopping", "The gateway is shutting down"),
        NOT_READY(503, "not-ready", "The gateway is not ready");

        final int status;
        final String label;
        final String title;

        Kind(int status, String label, String title) {
            this.status = status;
            this.label = label;
            this.title = title;
        }
    }

    static Problem of(Kind kind, String detail) {
        return new Problem(kind, detail, Optional.empty());
    }

    /** @param retryAfterMillis delay before a retry; rounded up to seconds, at least 1 */
    static Problem of(Kind kind, String detail, long retryAfterMillis) {
        return new Problem(kind, detail, Optional.of(Math.max(1, Math.ceilDiv(retryAfterMillis, 1_000L))));
    }

    /** Adds the members of this problem to a JSON object. */
    void into(ObjectNode json) {
        json.put("type", "urn:spillway:problem:" + kind.label);
        json.put("title", kind.title);
        json.put("status", kind.status);
        json.put("detail", detail);
        retryAfterSeconds.ifPresent(seconds -> json.put("retryAfter", seconds));
    }
}
