package io.spillway.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** SDK of OpenTelemetry without propagators, whose ended spans stay in memory. */
public final class RecordedSpans implements AutoCloseable {
    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk;

    /** Records each span whose parent is sampled or absent. */
    public RecordedSpans() {
        this(Sampler.parentBased(Sampler.alwaysOn()));
    }

    public RecordedSpans(Sampler sampler) {
        sdk = OpenTelemetrySdk.builder()
                .setTracerProvider(SdkTracerProvider.builder()
                        .setSampler(sampler).addSpanProcessor(SimpleSpanProcessor.create(exporter)).build())
                .build();
    }

    public OpenTelemetry telemetry() {
        return sdk;
    }

    /** Returns the spans' source with the names of the newer conventions. */
    public Tracing tracing() {
        return tracing("messaging");
    }

    public Tracing tracing(String conventions) {
        return Tracing.of(sdk, Map.of(Tracing.CONVENTIONS_VARIABLE, conventions));
    }

    /** Returns the ended spans, in the order of their ends. */
    public List<SpanData> ended() {
        return exporter.getFinishedSpanItems();
    }

    /** Returns the attributes of a span by name, in that order. */
    public static Map<String, Object> attributes(SpanData span) {
        Map<String, Object> all = new TreeMap<>();
        span.getAttributes().forEach((key, value) -> all.put(key.getKey(), value));
        return all;
    }

    @Override
    public void close() {
        sdk.close();
    }
}
