package io.spillway.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TracingTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String STORED = "b7ad6b7169203331";
    private static final Map<String, String> ITEM =
            Map.of("traceparent", "00-" + TRACE + "-" + STORED + "-01", "tracestate", "a=b");
    private static final AttemptFacts FACTS = new AttemptFacts("q.hot", 3, 42, "q.workers", "acme", "mail", "order-1",
            7, "hot", "fresh", 1, 50, 20, OptionalLong.empty(), OptionalLong.of(30));
    private static final Set<String> OWN = Set.of("spillway.age_ms", "spillway.attempt", "spillway.lane",
            "spillway.lane.reason", "spillway.tenant", "spillway.wait.ingress_ms", "spillway.wait.lane_ms",
            "spillway.workload");

    private final RecordedSpans spans = new RecordedSpans();

    @AfterEach
    void close() {
        spans.close();
    }

    @Test
    void an_attempt_is_a_child_of_the_span_that_stored_its_item_and_linked_to_it() {
        spans.tracing().attempt("q.hot", in(ITEM), () -> FACTS).close();

        SpanData span = spans.ended().getFirst();
        assertThat(span.getName()).isEqualTo("process q.hot");
        assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(span.getTraceId()).isEqualTo(TRACE);
        assertThat(span.getParentSpanId()).isEqualTo(STORED);
        assertThat(span.getLinks()).singleElement()
                .satisfies(link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(STORED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "00-0-0-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01", "\u0000"})
    void an_item_without_a_valid_trace_starts_one(String traceparent) {
        spans.tracing().attempt("q.hot", in(Map.of("traceparent", traceparent)), () -> FACTS).close();

        SpanData span = spans.ended().getFirst();
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getLinks()).isEmpty();
    }

    @Test
    void the_span_is_current_until_it_is_closed() {
        AttemptSpan span = spans.tracing().attempt("q.hot", in(ITEM), () -> FACTS);
        String current = Span.current().getSpanContext().getSpanId();
        span.close();

        assertThat(spans.ended().getFirst().getSpanId()).isEqualTo(current);
        assertThat(Span.current().getSpanContext().isValid()).isFalse();
    }

    @Test
    void what_the_handler_calls_gets_the_span_of_the_attempt_and_the_state_of_the_item() {
        try (AttemptSpan span = spans.tracing().attempt("q.hot", in(ITEM), () -> FACTS)) {
            assertThat(span.headers()).isEqualTo(Map.of("tracestate", "a=b",
                    "traceparent", "00-" + TRACE + "-" + Span.current().getSpanContext().getSpanId() + "-01"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'', q.hot process, q.in publish, messaging.operation messaging.kafka.consumer.group"
                + " messaging.kafka.destination.partition messaging.kafka.message.offset",
        "http, q.hot process, q.in publish, messaging.operation messaging.kafka.consumer.group"
                + " messaging.kafka.destination.partition messaging.kafka.message.offset",
        "'http, messaging', process q.hot, send q.in, messaging.operation.name messaging.operation.type"
                + " messaging.consumer.group.name messaging.destination.partition.id messaging.kafka.offset",
        "'messaging/dup,messaging', process q.hot, send q.in, messaging.operation messaging.kafka.consumer.group"
                + " messaging.kafka.destination.partition messaging.kafka.message.offset messaging.operation.name"
                + " messaging.operation.type messaging.consumer.group.name messaging.destination.partition.id"
                + " messaging.kafka.offset"})
    void one_variable_selects_the_names_of_the_conventions(String value, String attempt, String send, String names) {
        Tracing tracing = spans.tracing(value);
        tracing.attempt("q.hot", in(ITEM), () -> FACTS).close();
        tracing.send("q.in", "acme", "", "order-1", 7, in(ITEM)).end(Optional.empty());

        Set<String> expected = new TreeSet<>(OWN);
        expected.addAll(Set.of("messaging.system", "messaging.destination.name", "messaging.message.id",
                "messaging.message.body.size"));
        expected.addAll(Set.of(names.split(" ")));
        assertThat(RecordedSpans.attributes(spans.ended().getFirst()).keySet()).isEqualTo(expected);
        assertThat(spans.ended()).extracting(SpanData::getName).containsExactly(attempt, send);
    }

    @Test
    void a_sent_item_is_a_child_of_its_caller_and_an_error_only_if_it_is_not_stored() {
        Tracing tracing = spans.tracing();
        SendSpan good = tracing.send("q.in", "acme", "mail", "order-1", 7, in(ITEM));
        assertThat(good.headers().get("traceparent")).startsWith("00-" + TRACE).doesNotContain(STORED);
        good.end(Optional.empty());
        tracing.send("q.in", "acme", "", "order-2", 7, in(Map.of())).end(Optional.of("not-confirmed"));

        SpanData stored = spans.ended().getFirst();
        assertThat(stored.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(stored.getParentSpanId()).isEqualTo(STORED);
        assertThat(stored.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(RecordedSpans.attributes(stored)).containsEntry("spillway.tenant", "acme")
                .containsEntry("spillway.workload", "mail").containsEntry("messaging.message.body.size", 7L);
        SpanData lost = spans.ended().getLast();
        assertThat(lost.getTraceId()).isNotEqualTo(TRACE);
        assertThat(lost.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(RecordedSpans.attributes(lost)).containsEntry("error.type", "not-confirmed")
                .doesNotContainKey("spillway.workload");
    }

    @Test
    void a_span_that_is_not_sampled_passes_its_context_on_and_asks_for_no_facts() {
        Supplier<AttemptFacts> none = () -> {
            throw new AssertionError("asked for facts");
        };
        try (RecordedSpans unsampled = new RecordedSpans(Sampler.alwaysOff());
                AttemptSpan span = unsampled.tracing().attempt("q.hot", in(ITEM), none)) {
            assertThat(span.headers().get("traceparent")).startsWith("00-" + TRACE).endsWith("-00");
            span.ended("retry", Optional.of("retry"), () -> {
                throw new AssertionError("asked for detail");
            });
            assertThat(unsampled.ended()).isEmpty();
        }
    }

    @Test
    void without_an_sdk_traces_are_off() {
        assertThat(Tracing.of(OpenTelemetry.noop(), Map.of())).isSameAs(Tracing.OFF);
        assertThat(Tracing.OFF.isOn()).isFalse();
        assertThat(AttemptSpan.NONE.headers()).isEmpty();
        AttemptSpan.NONE.close();
        assertThat(Span.current().getSpanContext().isValid()).isFalse();
    }

    private static Function<String, Optional<String>> in(Map<String, String> headers) {
        return name -> Optional.ofNullable(headers.get(name));
    }
}
