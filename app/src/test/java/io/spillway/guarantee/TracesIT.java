package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.gateway.AdminKey;
import io.spillway.gateway.Gateway;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.StoredKey;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.QueueForTests;
import io.spillway.operator.report.FakeReads;
import io.spillway.tracing.RecordedSpans;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One trace from the request at the gateway, through the router and the delay lane, to both attempts. */
@Timeout(600) // Only against a hang.
class TracesIT {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String CALLER = "00-" + TRACE + "-b7ad6b7169203331-01";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void an_item_and_its_attempts_are_one_trace_of_its_caller() throws Exception {
        Queue<String> inHandler = new ConcurrentLinkedQueue<>();
        Handler handler = delivery -> {
            inHandler.add(Span.current().getSpanContext().getSpanId() + " " + delivery.traceparent().orElse(""));
            return delivery.attempt() == 1 ? Outcome.retry("not yet") : Outcome.done();
        };
        try (RecordedSpans spans = new RecordedSpans()) {
            try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory,
                    Map.of("SPILLWAY_DEFAULTS_BACKOFFBASE", "10ms", "SPILLWAY_GATEWAY_PORT", "0"))) {
                scene.withRouter().startWorker("worker", handler, spans.tracing());
                post(scene, spans, "order-17");
                scene.awaitEmpty();
            }
            SpanData sent = only(spans, SpanKind.PRODUCER).findFirst().orElseThrow();
            List<SpanData> attempts = only(spans, SpanKind.CONSUMER).toList();

            assertThat(sent.getParentSpanId()).isEqualTo("b7ad6b7169203331");
            assertThat(attempts).hasSize(2).allSatisfy(span -> {
                assertThat(span.getTraceId()).isEqualTo(TRACE);
                assertThat(span.getParentSpanId()).isEqualTo(sent.getSpanId());
                assertThat(span.getLinks()).extracting(link -> link.getSpanContext().getSpanId())
                        .containsExactly(sent.getSpanId());
                assertThat(span.getName()).isEqualTo("process " + kafka.prefix() + ".hot");
                assertThat(RecordedSpans.attributes(span)).containsEntry("messaging.message.id", "order-17")
                        .containsEntry("spillway.tenant", "acme").containsKey("spillway.wait.ingress_ms");
            });
            assertThat(attempts).extracting(span -> RecordedSpans.attributes(span).get("spillway.lane.reason"))
                    .containsExactly("fresh", "retry");
            assertThat(attempts).extracting(span -> RecordedSpans.attributes(span).get("spillway.attempt"))
                    .containsExactly(1L, 2L);
            assertThat(attempts).extracting(span -> RecordedSpans.attributes(span).get("spillway.outcome"))
                    .containsExactly("retry", "done");
            assertThat(inHandler).containsExactlyElementsOf(attempts.stream().map(SpanData::getSpanId)
                    .map(id -> id + " 00-" + TRACE + "-" + id + "-01").toList());
        }
    }

    private static Stream<SpanData> only(RecordedSpans spans, SpanKind kind) {
        return spans.ended().stream().filter(span -> span.getKind() == kind);
    }

    private static void post(DeliveryScene scene, RecordedSpans spans, String id) throws Exception {
        ApiKeys keys = new ApiKeys();
        ApiKey key = ApiKey.make(new SplittableRandom(1));
        keys.put(key.keyId(), StoredKey.of("acme", key, 0).encode());
        var dependencies = new Gateway.Dependencies(
                new TenantPolicies(scene.configuration.defaults().over(PolicySettings.NONE_SET)), keys,
                AdminKey.of("0123456789abcdef"), Optional.empty(), QueueForTests.operator(scene.configuration),
                new Depths(), new ProportionalRates(), new SimpleMeterRegistry(), () -> "", () -> true, new Sweeps(),
                new FakeReads(), Optional.empty());
        try (Gateway gateway = new Gateway(scene.configuration, dependencies, spans.tracing(), new Gateway.Sources(
                        InstantSource.system(), System::nanoTime, () -> ThreadLocalRandom.current().nextLong()));
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(gateway.start() + "/v1/items"))
                    .header("Authorization", "Bearer " + key.text()).header("Idempotency-Key", id)
                    .header("traceparent", CALLER).POST(HttpRequest.BodyPublishers.ofString("hello")).build();
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(202);
        }
    }
}
