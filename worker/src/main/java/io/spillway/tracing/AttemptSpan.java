package io.spillway.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.MDC;

/**
 * Span of one attempt: current in its thread, and in the logging context as {@code trace_id} and {@code span_id}, until
 * it is closed by that thread.
 */
public final class AttemptSpan implements AutoCloseable {
    /** No span: traces are off. Nothing is current, and all methods have no effect. */
    public static final AttemptSpan NONE = new AttemptSpan(Span.getInvalid(), Scope.noop());

    static final String TRACE_ID = "trace_id";
    static final String SPAN_ID = "span_id";

    private final Span span;
    private final Scope scope;

    private AttemptSpan(Span span, Scope scope) {
        this.span = span;
        this.scope = scope;
    }

    /** Makes a started span current. */
    static AttemptSpan current(Span span, Context parent) {
        AttemptSpan current = new AttemptSpan(span, parent.with(span).makeCurrent());
        SpanContext ids = span.getSpanContext();
        if (ids.isValid()) {
            MDC.put(TRACE_ID, ids.getTraceId());
            MDC.put(SPAN_ID, ids.getSpanId());
        }
        return current;
    }

    /** Returns whether there is a span, sampled or not. */
    public boolean isOn() {
        return this != NONE;
    }

    /**
     * Returns the headers that carry this span's context to what the handler calls; they take the place of the item's.
     * Empty if there is no span.
     */
    public Map<String, String> headers() {
        return isOn() ? TraceHeaders.of(span) : Map.of();
    }

    /**
     * Records the outcome. A failure makes the status an error.
     *
     * @param outcome   as the metrics name it
     * @param errorType low-cardinality name of the failure; empty if the attempt has not failed
     * @param detail    one line on the failure; called for a sampled span only
     */
    public void ended(String outcome, Optional<String> errorType, Supplier<String> detail) {
        if (!span.isRecording()) {
            return;
        }
        span.setAttribute("spillway.outcome", outcome);
        errorType.ifPresent(type ->
                span.setAttribute("error.type", type).setStatus(StatusCode.ERROR, detail.get()));
    }

    /** Ends the span, and restores what was current before. */
    @Override
    public void close() {
        if (isOn()) {
            MDC.remove(TRACE_ID);
            MDC.remove(SPAN_ID);
            scope.close();
            span.end();
        }
    }
}
