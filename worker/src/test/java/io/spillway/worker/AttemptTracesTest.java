package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.tracing.RecordedSpans;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;

/** Spans of the attempts that a worker makes. */
class AttemptTracesTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String STORED = "00-" + TRACE + "-b7ad6b7169203331-01";
    private static final Map<String, Outcome> OUTCOMES = Map.of(
            "done", Outcome.done(), "retry", Outcome.retry("bad\nline"), "unavailable", Outcome.unavailable("down"),
            "dead", Outcome.dead("never"), "later", Outcome.later(Duration.ofSeconds(1)));

    private final RecordedSpans spans = new RecordedSpans();
    private final CoreScene scene = new CoreScene(1 << 20);
    private final OwnedPartition hot = scene.take(0, ProgressState.fresh(0), 0);
    private long offset;

    @AfterEach
    void close() {
        spans.close();
    }

    @Test
    void a_span_says_where_the_item_was_and_how_long_it_waited() {
        scene.nowMillis += 5_000;
        attempt(delivery -> Outcome.done(), Map.of("traceparent", STORED, ItemHeaders.WORKLOAD, "mail",
                ItemHeaders.ENQUEUED_AT, Long.toString(CoreScene.NOW_MILLIS - 300)));

        Map<String, Object> expected = new HashMap<>(Map.of(
                "spillway.tenant", "acme", "spillway.workload", "mail", "spillway.lane", "hot",
                "spillway.lane.reason", "fresh", "spillway.attempt", 1L, "spillway.age_ms", 5_300L,
                "spillway.wait.ingress_ms", 300L, "spillway.wait.lane_ms", 5_000L, "spillway.outcome", "done"));
        expected.putAll(Map.of("messaging.system", "kafka", "messaging.destination.name", "spillway.hot",
                "messaging.destination.partition.id", "0", "messaging.kafka.offset", 0L,
                "messaging.consumer.group.name", scene.topics.workerGroup(), "messaging.message.id", "item-0",
                "messaging.message.body.size", 1L, "messaging.operation.name", "process",
                "messaging.operation.type", "process"));
        assertThat(RecordedSpans.attributes(spans.ended().getFirst())).isEqualTo(expected);
        assertThat(spans.ended().getFirst().getTraceId()).isEqualTo(TRACE);
    }

    @Test
    void a_retry_has_its_number_its_reason_and_the_wait_that_was_drawn() {
        attempt(delivery -> Outcome.done(), Map.of(ItemHeaders.LANE_REASON, "retry", ItemHeaders.ATTEMPT, "2",
                ItemHeaders.WAIT, "750", ItemHeaders.FIRST_ATTEMPT_AT, "1"));

        assertThat(RecordedSpans.attributes(spans.ended().getFirst()))
                .containsEntry("spillway.lane.reason", "retry").containsEntry("spillway.attempt", 3L)
                .containsEntry("spillway.wait.delay_ms", 750L).doesNotContainKey("spillway.wait.lane_ms");
    }

    @Test
    void an_item_that_was_put_off_has_waited_in_the_delay_lane_until_it_was_due() {
        scene.nowMillis += 9_000;
        attempt(delivery -> Outcome.done(), Map.of(ItemHeaders.LANE_REASON, "due",
                ItemHeaders.DUE, Long.toString(CoreScene.NOW_MILLIS + 6_000)));

        assertThat(RecordedSpans.attributes(spans.ended().getFirst()))
                .containsEntry("spillway.wait.delay_ms", 6_000L).containsEntry("spillway.wait.lane_ms", 3_000L);
    }

    @ParameterizedTest
    @CsvSource({
        "done, UNSET, , ''", "later, UNSET, , ''", "retry, ERROR, retry, bad\\u000aline",
        "unavailable, ERROR, unavailable, down", "dead, ERROR, dead, never"})
    void the_status_follows_from_the_outcome(String outcome, StatusCode status, String errorType, String text) {
        attempt(delivery -> OUTCOMES.get(outcome), Map.of());

        SpanData span = spans.ended().getFirst();
        assertThat(span.getStatus().getStatusCode()).isEqualTo(status);
        assertThat(span.getStatus().getDescription()).isEqualTo(text);
        assertThat(RecordedSpans.attributes(span)).containsEntry("spillway.outcome", outcome);
        assertThat(RecordedSpans.attributes(span).get("error.type")).isEqualTo(errorType);
    }

    @Test
    void an_exception_is_the_type_of_the_error() {
        attempt(delivery -> {
            throw new IllegalStateException("no luck");
        }, Map.of());

        assertThat(spans.ended().getFirst().getStatus().getDescription()).contains("no luck");
        assertThat(RecordedSpans.attributes(spans.ended().getFirst()))
                .containsEntry("error.type", "java.lang.IllegalStateException")
                .containsEntry("spillway.outcome", "retry");
    }

    @Test
    void the_handler_finds_the_span_in_its_thread_its_delivery_and_its_log() {
        List<String> found = new ArrayList<>();
        attempt(delivery -> {
            found.add(Span.current().getSpanContext().getSpanId());
            found.add(delivery.traceparent().orElseThrow().split("-")[2]);
            found.add(MDC.get("span_id"));
            assertThat(MDC.get("trace_id")).isEqualTo(TRACE);
            assertThat(delivery.headers()).extracting(Delivery.Header::name).containsOnlyOnce("traceparent");
            return Outcome.done();
        }, Map.of("traceparent", STORED));

        assertThat(scene.failures).isEmpty();
        assertThat(found).hasSize(3).containsOnly(spans.ended().getFirst().getSpanId());
        assertThat(MDC.get("trace_id")).isNull();
    }

    @Test
    void the_record_of_the_retry_keeps_the_trace_of_its_producer() {
        attempt(delivery -> Outcome.retry("x"), Map.of("traceparent", STORED));

        assertThat(ItemHeaders.text(hot.moves.getFirst().headers(), "traceparent")).hasValue(STORED);
    }

    @Test
    void without_traces_the_handler_gets_the_trace_of_the_producer() {
        List<String> seen = new ArrayList<>();
        Attempt attempt = poll(Map.of("traceparent", STORED)).getFirst();
        scene.runner(delivery -> {
            seen.add(delivery.traceparent().orElseThrow());
            return Outcome.done();
        }).handle(attempt);

        assertThat(seen).containsExactly(STORED);
    }

    private void attempt(Handler handler, Map<String, String> headers) {
        scene.runner(handler, spans.tracing()).handle(poll(headers).getFirst());
    }

    private List<Attempt> poll(Map<String, String> headers) {
        scene.commit();
        ConsumerRecord<byte[], byte[]> record = CoreScene.item(hot, offset++, "acme", 0);
        headers.forEach((name, value) -> record.headers().remove(name).add(name, ModelLedger.bytes(value)));
        return scene.poll(hot, List.of(record));
    }
}
