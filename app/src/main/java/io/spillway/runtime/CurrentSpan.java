package io.spillway.runtime;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;

/** Current span of OpenTelemetry as the source of exemplars. The interface asks for null where there is none. */
final class CurrentSpan implements io.prometheus.metrics.tracer.common.SpanContext {
    @Override
    public String getCurrentTraceId() {
        SpanContext ids = Span.current().getSpanContext();
        return ids.isValid() ? ids.getTraceId() : null;
    }

    @Override
    public String getCurrentSpanId() {
        SpanContext ids = Span.current().getSpanContext();
        return ids.isValid() ? ids.getSpanId() : null;
    }

    @Override
    public boolean isCurrentSpanSampled() {
        return Span.current().getSpanContext().isSampled();
    }

    @Override
    public void markCurrentSpanAsExemplar() {
        Span.current().setAttribute(EXEMPLAR_ATTRIBUTE_NAME, EXEMPLAR_ATTRIBUTE_VALUE);
    }
}
