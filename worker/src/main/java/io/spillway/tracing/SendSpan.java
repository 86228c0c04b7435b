package io.spillway.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.util.Map;
import java.util.Optional;

/** Span of the storing of one item, from the send to the answer of Kafka. Any thread may end it. */
public final class SendSpan {
    private final Span span;

    SendSpan(Span span) {
        this.span = span;
    }

    /** Returns the headers of the item's record that carry this span's context. */
    public Map<String, String> headers() {
        return TraceHeaders.of(span);
    }

    /** Ends the span. @param error low-cardinality name of the failure; empty if the item is stored */
    public void end(Optional<String> error) {
        error.ifPresent(type -> span.setAttribute("error.type", type).setStatus(StatusCode.ERROR, type));
        span.end();
    }
}
