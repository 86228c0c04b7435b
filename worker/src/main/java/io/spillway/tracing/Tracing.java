package io.spillway.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Source of the spans of items; {@link #OFF} has none and costs one test of a boolean. Thread-safe. */
public final class Tracing {
    /** Standard environment variable that selects the names of {@code messaging.*} attributes. */
    public static final String CONVENTIONS_VARIABLE = "OTEL_SEMCONV_STABILITY_OPT_IN";
    /** No spans. */
    public static final Tracing OFF = new Tracing(OpenTelemetry.noop(), Conventions.OLD);

    private final boolean on;
    private final Tracer tracer;
    private final Conventions conventions;

    private Tracing(OpenTelemetry telemetry, Conventions conventions) {
        this.on = telemetry != OpenTelemetry.noop();
        this.tracer = telemetry.getTracer("io.spillway");
        this.conventions = conventions;
    }

    /**
     * Returns the spans of an SDK.
     *
     * @param telemetry   the caller closes it; the one without an SDK gives {@link #OFF}
     * @param environment all environment variables, of which {@link #CONVENTIONS_VARIABLE} is read
     */
    public static Tracing of(OpenTelemetry telemetry, Map<String, String> environment) {
        return telemetry == OpenTelemetry.noop() ? OFF
                : new Tracing(telemetry, Conventions.of(environment.getOrDefault(CONVENTIONS_VARIABLE, "")));
    }

    /** Returns whether there are spans. If not, ask for none. */
    public boolean isOn() {
        return on;
    }

    /**
     * Starts the span of the storing of an item: a child of the caller's, or the first of a new trace.
     *
     * @param topic      topic that the item is sent to
     * @param workload   empty for none
     * @param valueBytes size of the record's value
     * @param headers    text of the caller's header with a name; trace headers alone are asked for
     */
    public SendSpan send(
            String topic, String tenant, String workload, String id, long valueBytes,
            Function<String, Optional<String>> headers) {
        Span span = tracer.spanBuilder(conventions.nameOfSend(topic)).setSpanKind(SpanKind.PRODUCER)
                .setParent(TraceHeaders.context(headers)).startSpan();
        if (span.isRecording()) {
            conventions.describeSend(span, topic, id, valueBytes);
            describe(span, tenant, workload);
        }
        return new SendSpan(span);
    }

    /**
     * Starts the span of an attempt and makes it current in this thread: a child of the span that stored the item and
     * linked to it, or the first of a new trace.
     *
     * @param topic   topic of the lane
     * @param headers text of the item's header with a name; trace headers alone are asked for
     * @param facts   asked for if the span is sampled
     */
    public AttemptSpan attempt(
            String topic, Function<String, Optional<String>> headers, Supplier<AttemptFacts> facts) {
        Context parent = TraceHeaders.context(headers);
        SpanContext stored = Span.fromContext(parent).getSpanContext();
        SpanBuilder builder = tracer.spanBuilder(conventions.nameOfAttempt(topic)).setSpanKind(SpanKind.CONSUMER)
                .setParent(parent);
        if (stored.isValid()) {
            builder.addLink(stored);
        }
        Span span = builder.startSpan();
        if (span.isRecording()) {
            describe(span, facts.get());
        }
        return AttemptSpan.current(span, parent);
    }

    private void describe(Span span, AttemptFacts facts) {
        conventions.describeAttempt(span, facts);
        describe(span, facts.tenant(), facts.workload());
        span.setAttribute("spillway.lane", facts.lane())
                .setAttribute("spillway.lane.reason", facts.reason())
                .setAttribute("spillway.attempt", facts.attempt())
                .setAttribute("spillway.age_ms", facts.ageMillis())
                .setAttribute("spillway.wait.ingress_ms", facts.ingressMillis());
        facts.delayMillis().ifPresent(millis -> span.setAttribute("spillway.wait.delay_ms", millis));
        facts.laneMillis().ifPresent(millis -> span.setAttribute("spillway.wait.lane_ms", millis));
    }

    private static void describe(Span span, String tenant, String workload) {
        span.setAttribute("spillway.tenant", tenant);
        if (!workload.isEmpty()) {
            span.setAttribute("spillway.workload", workload);
        }
    }
}
