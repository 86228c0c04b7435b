package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.settings.Durations;
import java.util.Locale;
import java.util.Optional;

/**
 * Reason why a request or a line was rejected, as problem details (RFC 9457).
 *
 * @param kind              stable identifier for clients
 * @param detail            one sentence for people
 * @param retryAfterSeconds seconds after which to retry, if a retry is useful
 * @param limit             policy setting of the tenant that rejected it, if one did
 */
record Problem(Kind kind, String detail, Optional<Long> retryAfterSeconds, Optional<PolicyField> limit) {
    /** Problem types with their HTTP status; the {@code type} is {@code urn:spillway:problem:} and the label. */
    enum Kind {
        BAD_REQUEST(400, "bad-request", "Invalid request"),
        UNAUTHENTICATED(401, "unauthenticated", "No valid key"),
        FORBIDDEN(403, "forbidden", "The key does not permit this request"),
        NOT_FOUND(404, "not-found", "Path not found"),
        UNKNOWN_ITEM(404, "unknown-item", "The item is not known"),
        METHOD_NOT_ALLOWED(405, "method-not-allowed", "Method not allowed"),
        TOO_SLOW(408, "too-slow", "The request did not arrive in time"),
        CONFLICT(409, "conflict", "The present state does not permit it"),
        STALE_RECEIPT(409, "stale-receipt", "The receipt is no longer valid"),
        TOO_LARGE(413, "too-large", "The content is too large"),
        UNSUPPORTED_ENCODING(415, "unsupported-encoding", "The encoding of the content is not supported"),
        OVER_RATE(429, "over-rate", "Tenant rate exceeded"),
        HELD_BACK(429, "held-back", "Rejected until the tenant's backlog is smaller"),
        TOO_MANY_REQUESTS(429, "too-many-requests", "Too many requests of the tenant in flight"),
        HEADERS_TOO_LARGE(431, "headers-too-large", "The header fields are too large"),
        INTERNAL_ERROR(500, "internal-error", "Internal error"),
        NOT_CONFIRMED(503, "not-confirmed", "Kafka has not confirmed in time"),
        NOT_ACCEPTED(503, "not-accepted", "Not accepted, because Kafka does not confirm"),
        NO_SPACE(503, "no-space", "No space for more items"),
        OWNER_UNREACHABLE(503, "owner-unreachable", "The process that leased the item does not answer"),
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
        return new Problem(kind, detail, Optional.empty(), Optional.empty());
    }

    /** @param retryAfterMillis delay before a retry; rounded up to seconds, at least 1 */
    static Problem of(Kind kind, String detail, long retryAfterMillis) {
        return new Problem(
                kind, detail, Optional.of(Math.max(1, Math.ceilDiv(retryAfterMillis, 1_000L))), Optional.empty());
    }

    /** Returns the problem of a rejected item; empty for an admitted one. */
    static Optional<Problem> of(Admission admission) {
        return switch (admission) {
            case Admission.Admitted admitted -> Optional.empty();
            case Admission.OverRate over -> Optional.of(
                    of(Kind.OVER_RATE, detail(over), over.retryAfterMillis()).by(over.limit()));
            case Admission.HeldBack held -> Optional.of(
                    of(Kind.HELD_BACK, detail(held), held.retryAfterMillis()).by(held.limit()));
        };
    }

    private static String detail(Admission.OverRate over) {
        double perSecond = over.rate().orElseThrow().limit().itemsPerSecond();
        return over.limit() == PolicyField.GROWTH
                ? String.format(Locale.ROOT, "The tenant's growing limit (growth) is %.3f items/s now. Wait for"
                        + " Retry-After. The limit rises with steady use; the operator can set an admissionRate"
                        + " instead.", perSecond)
                : String.format(Locale.ROOT, "The tenant's admissionRate is %.3f items/s at this gateway. Wait for"
                        + " Retry-After; the operator can raise admissionRate and admissionBurst.", perSecond);
    }

    private static String detail(Admission.HeldBack held) {
        String backlog = held.limit() == PolicyField.MAX_DRAIN
                ? "The tenant's " + held.backlog().waiting() + " waiting items need about "
                        + Durations.format(Math.round(held.backlog().drainMillis() / 1e3) * 1_000)
                        + ", more than its maxDrain."
                : "The tenant has " + held.backlog().waiting() + " waiting items, more than its maxDepth.";
        return String.format(Locale.ROOT, "%s %.1f of 100 items are accepted until fewer wait. Wait for Retry-After;"
                + " the operator can raise %s, or set backPressure to accept.", backlog, 100 * held.share(),
                held.limit().key());
    }

    private Problem by(PolicyField setting) {
        return new Problem(kind, detail, retryAfterSeconds, Optional.of(setting));
    }

    /** Adds the members of this problem to a JSON object. */
    void into(ObjectNode json) {
        json.put("type", "urn:spillway:problem:" + kind.label);
        json.put("title", kind.title);
        json.put("status", kind.status);
        json.put("detail", detail);
        limit.ifPresent(setting -> json.put("limit", setting.key()));
        retryAfterSeconds.ifPresent(seconds -> json.put("retryAfter", seconds));
    }
}
