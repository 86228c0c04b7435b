package io.spillway.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Headers that carry a trace. They are always those of W3C, whatever propagators an SDK has: they are part of the
 * format of items.
 */
public final class TraceHeaders {
    public static final String PARENT = "traceparent";
    public static final String STATE = "tracestate";

    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();
    private static final TextMapGetter<Function<String, Optional<String>>> GETTER = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Function<String, Optional<String>> headers) {
            return List.of(PARENT, STATE);
        }

        /** The interface asks for null. */
        @Override
        public String get(Function<String, Optional<String>> headers, String name) {
            return headers.apply(name).orElse(null);
        }
    };

    private TraceHeaders() {}

    /** Returns whether a header is one of these. */
    public static boolean isOne(String name) {
        return name.equals(PARENT) || name.equals(STATE);
    }

    static Map<String, String> of(Span span) {
        Map<String, String> headers = new LinkedHashMap<>();
        W3C.inject(Context.root().with(span), headers, Map::put);
        return headers;
    }

    /** Returns the context in these headers; without a valid one the root, so that a new trace starts. */
    static Context context(Function<String, Optional<String>> headers) {
        return W3C.extract(Context.root(), headers, GETTER);
    }
}
