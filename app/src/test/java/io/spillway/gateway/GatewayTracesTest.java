package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.spillway.tracing.RecordedSpans;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans of the items that a gateway stores. */
@Timeout(120) // Against a hang; nothing is measured.
class GatewayTracesTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String CALLER = "00-" + TRACE + "-b7ad6b7169203331-01";

    private final RecordedSpans spans = new RecordedSpans();
    private final GatewayUnderTest gateway = new GatewayUnderTest(spans.tracing(), true);
    private final String key = gateway.key("acme");

    @AfterEach
    void close() {
        gateway.close();
        spans.close();
    }

    @Test
    void the_span_of_a_stored_item_continues_the_callers_trace_and_is_in_the_record() {
        gateway.onSend = () -> assertThat(spans.ended()).as("before Kafka has answered").isEmpty();
        assertThat(gateway.post(key, "hello", "Idempotency-Key", "order-1", "Spillway-Workload", "mail",
                "traceparent", CALLER, "tracestate", "a=b").statusCode()).isEqualTo(202);

        SpanData span = spans.ended().getFirst();
        assertThat(span.getName()).isEqualTo("send spillway.ingress");
        assertThat(span.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(span.getTraceId()).isEqualTo(TRACE);
        assertThat(span.getParentSpanId()).isEqualTo("b7ad6b7169203331");
        assertThat(RecordedSpans.attributes(span)).containsEntry("messaging.message.id", "order-1")
                .containsEntry("spillway.tenant", "acme").containsEntry("spillway.workload", "mail");
        assertThat(headers("traceparent")).containsExactly("00-" + TRACE + "-" + span.getSpanId() + "-01");
        assertThat(headers("tracestate")).containsExactly("a=b");
    }

    @Test
    void each_line_of_a_batch_has_a_span_and_without_a_caller_a_trace_of_its_own() {
        gateway.batch(key, "{\"payload\":\"1\"}\n{\"payload\":\"2\"}\n");

        assertThat(spans.ended()).hasSize(2).allSatisfy(
                span -> assertThat(span.getParentSpanContext().isValid()).isFalse());
        assertThat(spans.ended()).extracting(SpanData::getTraceId).doesNotHaveDuplicates();
        // The flags of a new trace also say that its id is random.
        assertThat(headers("traceparent")).map(header -> header.substring(0, 53))
                .containsExactlyInAnyOrderElementsOf(spans.ended().stream()
                        .map(span -> "00-" + span.getTraceId() + "-" + span.getSpanId() + "-").toList());
    }

    @Test
    void an_item_that_kafka_does_not_confirm_is_an_error() {
        gateway.kafka.sendException = new KafkaException("broker gone");
        assertThat(gateway.post(key, "x").statusCode()).isEqualTo(503);

        assertThat(spans.ended().getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(RecordedSpans.attributes(spans.ended().getFirst())).containsEntry("error.type", "not-confirmed");
    }

    @Test
    void a_refused_request_has_no_span() {
        assertThat(gateway.post("wrong", "x").statusCode()).isEqualTo(401);
        assertThat(gateway.post(key, "x", "Spillway-Workload", "a b").statusCode()).isEqualTo(400);

        assertThat(spans.ended()).isEmpty();
    }

    private List<String> headers(String name) {
        return gateway.stored().stream().map(ProducerRecord::headers)
                .map(all -> new String(all.lastHeader(name).value(), StandardCharsets.UTF_8)).toList();
    }
}
