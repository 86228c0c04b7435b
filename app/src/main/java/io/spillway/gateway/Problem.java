package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Why a request or a line was refused, as problem details (RFC 9457).
 *
 * @param kind              what clients may rely on besides the status
 * @param detail            one sentence for people
 * @param retryAfterSeconds when to come back, where that makes sense
 */
record Problem(Kind kind, String detail, Optional<Long> retryAfterSeconds) {
    /** What can be wrong, each with its status; their {@code type} is {@code urn:spillway:problem:} and the label. */
    enum Kind {
        BAD_REQUEST(400, "bad-request", "The request is not understood"),
        UNAUTHENTICATED(401, "unauthenticated", "No key that is in force"),
        FORBIDDEN(403, "forbidden", "This key does not open that"),
        NOT_FOUND(404, "not-found", "There is nothing here"),
        METHOD_NOT_ALLOWED(405, "method-not-allowed", "This method is not for here"),
        TOO_SLOW(408, "too-slow", "The request did not arrive in time"),
        TOO_LARGE(413, "too-large", "Too large"),
        OVER_RATE(429, "over-rate", "Over the tenant's rate"),
        HELD_BACK(429, "held-back", "Held back until the tenant's backlog is smaller"),
        TOO_MANY_REQUESTS(429, "too-many-requests", "Too many requests of this tenant in flight"),
        HEADERS_TOO_LARGE(431, "headers-too-large", "The header fields are too large"),
        BROKEN(500, "internal-error", "A fault of the gateway"),
        NOT_CONFIRMED(503, "not-confirmed", "Kafka has not confirmed in time"),
        BUSY(503, "busy", "The gateway is busy"),
        STOPPING(503, "stopping", "The gateway stops"),
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

    /** @param retryAfterMillis rounded up to seconds, 1 at the least */
    static Problem of(Kind kind, String detail, long retryAfterMillis) {
        return new Problem(kind, detail, Optional.of(Math.max(1, Math.ceilDiv(retryAfterMillis, 1_000L))));
    }

    /** Writes the members of this problem into a JSON object. */
    void into(ObjectNode json) {
        json.put("type", "urn:spillway:problem:" + kind.label);
        json.put("title", kind.title);
        json.put("status", kind.status);
        json.put("detail", detail);
        retryAfterSeconds.ifPresent(seconds -> json.put("retryAfter", seconds));
    }
}
