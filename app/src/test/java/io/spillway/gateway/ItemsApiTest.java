package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.WorkItem;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120) // Against a hang; nothing is measured.
class ItemsApiTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private final GatewayUnderTest gateway = new GatewayUnderTest(true, "gateway.limits.batchLines", "20");
    private final String key = gateway.key("acme");

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void an_item_is_stored_with_all_fields_of_the_request() throws Exception {
        HttpResponse<String> answer = gateway.post(
                key, "grün", "Idempotency-Key", "order-1", "Spillway-Workload", "mail", "Content-Type",
                "text/plain; charset=utf-8", "traceparent", TRACE, "tracestate", "a=b", "tracestate", "c=d");

        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.body()).isEqualTo("{\"id\":\"order-1\",\"tenant\":\"acme\"}");
        ProducerRecord<byte[], byte[]> stored = gateway.stored().getFirst();
        assertThat(stored.topic()).isEqualTo("spillway.ingress");
        assertThat(stored.key()).asString().isEqualTo("acme");
        GatewayUnderTest.Item item = GatewayUnderTest.item(stored.value());
        assertThat(item.tenant()).isEqualTo("acme");
        assertThat(item.id()).isEqualTo("order-1");
        assertThat(item.workload()).isEqualTo("mail");
        assertThat(item.contentType()).isEqualTo("text/plain; charset=utf-8");
        assertThat(item.enqueuedAtMillis()).isEqualTo(gateway.nowMillis.get());
        assertThat(item.payload()).isEqualTo("grün");
        assertThat(header(stored, "traceparent")).isEqualTo(TRACE);
        assertThat(header(stored, "tracestate")).isEqualTo("a=b,c=d");
        assertThat(gateway.registry.get("spillway.gateway.requests").tag("status", "202").counter().count())
                .isEqualTo(1);
    }

    @Test
    void attributes_are_a_json_object_in_a_header() {
        assertThat(gateway.post(key, "x", "Spillway-Attributes", "{\"order\":\"\\u00e4\",\"n\":7}").statusCode())
                .isEqualTo(202);
        assertThat(new RecordCodec<>(new WorkItem()).decode(gateway.stored().getFirst().value()).get("attributes")
                .toString()).contains("order=ä", "n=7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":null}", "[]", "{\"a\":{}}", "{\"a\":1} 2", "{\"a\":1,\"a\":2}", "a=1"})
    void attributes_that_are_no_object_of_texts_are_refused(String attributes) {
        HttpResponse<String> refused = gateway.post(key, "x", "Spillway-Attributes", attributes);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).containsIgnoringCase("attributes");
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void the_attributes_of_a_cloud_event_are_headers_of_the_record() {
        assertThat(gateway.post(key, "{}", "ce-specversion", "1.0", "CE-Type", "com.example.order", "ce-subject",
                "gr%C3%BCn %22a%22").statusCode()).isEqualTo(202);

        ProducerRecord<byte[], byte[]> stored = gateway.stored().getFirst();
        assertThat(header(stored, "ce_specversion")).isEqualTo("1.0");
        assertThat(header(stored, "ce_type")).isEqualTo("com.example.order");
        assertThat(stored.headers().lastHeader("ce_subject").value()).asString(StandardCharsets.UTF_8)
                .isEqualTo("grün \"a\"");
    }

    @Test
    void absent_fields_get_generated_or_default_values() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            assertThat(gateway.post(key, "").statusCode()).isEqualTo(202);
            ProducerRecord<byte[], byte[]> stored = gateway.stored().getLast();
            GatewayUnderTest.Item item = GatewayUnderTest.item(stored.value());
            assertThat(item.id()).matches("01a3185c-5000-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
            assertThat(item.contentType()).isEqualTo("application/octet-stream");
            assertThat(item.workload()).isEmpty();
            assertThat(item.payload()).isEmpty();
            assertThat(header(stored, "traceparent")).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01");
            ids.add(item.id());
            ids.add(header(stored, "traceparent"));
        }
        assertThat(ids).hasSize(100);
    }

    @ParameterizedTest
    @CsvSource({
        "Idempotency-Key, ''", "Spillway-Workload, a b", "Spillway-Workload, ../x", "Content-Encoding, gzip",
        "Spillway-Deliver-At, 2h", "Spillway-Deliver-At, ''", "Spillway-Deliver-At, 2999-01-01T00:00:00Z",
        "Spillway-Deliver-At, 999999999999999999", "Spillway-Deliver-Within, 5 minutes",
        "Spillway-Deliver-Within, 15d", "Spillway-Deliver-Within, ''",
        "ce-, x", "ce-a_b, x", "ce-id, %zz", "ce-id, %C3", "ce-id, 5%"
    })
    void an_invalid_header_is_rejected(String name, String value) {
        HttpResponse<String> answer = gateway.post(key, "x", name, value);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.headers().firstValue("content-type")).contains("application/problem+json");
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void the_time_of_the_first_attempt_is_a_header_of_the_record() {
        long atMillis = gateway.nowMillis.get() + 14 * 86_400_000L;
        for (String time : List.of(Long.toString(atMillis), Instant.ofEpochMilli(atMillis).toString())) {
            assertThat(gateway.post(key, "x", "Spillway-Deliver-At", time).statusCode()).isEqualTo(202);
            assertThat(header(gateway.stored().getLast(), "spillway-deliver-at")).isEqualTo(Long.toString(atMillis));
        }
        assertThat(gateway.post(key, "x", "Spillway-Deliver-At", Long.toString(atMillis + 1)).body())
                .contains("Spillway-Deliver-At must be at most 14d ahead of now");
        assertThat(gateway.post(key, "x", "Spillway-Deliver-At", Long.toString(atMillis - 999),
                "Spillway-Deliver-Within", "1s").body())
                .contains("The end of Spillway-Deliver-Within must be at most 14d ahead of now");
        assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
        assertThat(gateway.stored().getLast().headers().lastHeader("spillway-deliver-at")).isNull();
        assertThat(gateway.batch(key, "{\"payload\":1,\"deliverAt\":" + atMillis + "}").body()).contains("202");
        assertThat(header(gateway.stored().getLast(), "spillway-deliver-at")).isEqualTo(Long.toString(atMillis));
        assertThat(gateway.batch(key, "{\"payload\":1,\"deliverAt\":" + (atMillis + 1) + "}").body())
                .contains("deliverAt must be at most 14d ahead of now");
    }

    @Test
    void a_repeated_header_is_rejected() {
        assertThat(gateway.post(key, "x", "Idempotency-Key", "a", "Idempotency-Key", "b").statusCode()).isEqualTo(400);
        assertThat(gateway.post(key, "x", "Authorization", "Bearer " + key).statusCode()).isEqualTo(401);
    }

    @Test
    void an_id_has_at_most_256_characters() {
        assertThat(gateway.post(key, "x", "Idempotency-Key", "i".repeat(256)).statusCode()).isEqualTo(202);
        assertThat(gateway.post(key, "x", "Idempotency-Key", "i".repeat(257)).statusCode()).isEqualTo(400);
    }

    @Test
    void a_payload_has_at_most_one_mebibyte() {
        assertThat(gateway.post(key, "x".repeat(1_048_576)).statusCode()).isEqualTo(202);
        HttpResponse<String> answer = gateway.post(key, "x".repeat(1_048_577));
        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(answer.body()).contains("urn:spillway:problem:too-large", "1048576");
        for (int bytes : new int[] {1_048_577, 1_048_576}) {
            assertThat(gateway.send(HttpRequest.newBuilder(URI.create(gateway.url + "/v1/items"))
                    .header("Authorization", "Bearer " + key)
                    .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[bytes])))
                    .build()).statusCode()).as("in chunks").isEqualTo(bytes > 1_048_576 ? 413 : 202);
        }
        assertThat(gateway.stored()).hasSize(2);
    }

    @Test
    void a_request_over_the_rate_is_rejected_with_quota_and_retry_time() throws Exception {
        gateway.policy("acme", PolicySettings.NONE_SET
                .with(PolicyField.ADMISSION_RATE, "2").with(PolicyField.ADMISSION_BURST, "4"));
        List<HttpResponse<String>> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            answers.add(gateway.post(key, "x"));
        }

        assertThat(answers.stream().map(HttpResponse::statusCode)).containsExactly(202, 202, 202, 202, 429);
        assertThat(answers.getFirst().headers().firstValue("RateLimit-Policy")).contains("\"rate\";q=4;w=2");
        assertThat(answers.getFirst().headers().firstValue("RateLimit")).contains("\"rate\";r=3;t=1");
        HttpResponse<String> over = answers.getLast();
        assertThat(over.headers().firstValue("RateLimit")).contains("\"rate\";r=0;t=2");
        assertThat(Long.parseLong(over.headers().firstValue("Retry-After").orElseThrow())).isBetween(1L, 2L);
        JsonNode problem = new JsonMapper().readTree(over.body());
        assertThat(problem.get("type").textValue()).isEqualTo("urn:spillway:problem:over-rate");
        assertThat(problem.get("status").intValue()).isEqualTo(429);
        assertThat(problem.get("title").textValue()).isNotBlank();
        assertThat(problem.get("retryAfter").longValue()).isBetween(1L, 2L);

        assertThat(gateway.post(gateway.key("bolt"), "x").statusCode()).as("another tenant").isEqualTo(202);
        gateway.nowMillis.addAndGet(500);
        assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
        assertThat(gateway.stored()).hasSize(6);
    }

    @Test
    void a_tenant_over_its_max_depth_is_partly_admitted_and_others_are_not_affected() {
        gateway.policy("*", PolicySettings.NONE_SET.with(PolicyField.MAX_DEPTH, "100"));
        gateway.policy("orders", PolicySettings.NONE_SET.with(PolicyField.BACK_PRESSURE, "accept"));
        for (String tenant : List.of("acme", "orders")) {
            gateway.waits(tenant, 400);
        }
        // A sample counts what is sent and not routed yet.
        gateway.betweenSamples(() -> assertThat(admittedOf40()).isBetween(10, 11));
        String orders = gateway.key("orders");
        String quiet = gateway.key("quiet");
        for (int i = 0; i < 10; i++) {
            assertThat(gateway.post(orders, "x").statusCode()).isEqualTo(202);
            assertThat(gateway.post(quiet, "x").statusCode()).isEqualTo(202);
        }
        gateway.betweenSamples(() -> {
            gateway.waits("acme", 100);
            gateway.gateway.sample();
            assertThat(gateway.post(key, "x").statusCode()).isEqualTo(202);
        });
    }

    private int admittedOf40() {
        int admitted = 0;
        for (int i = 0; i < 40; i++) {
            HttpResponse<String> answer = gateway.post(key, "x");
            admitted += answer.statusCode() == 202 ? 1 : 0;
            if (answer.statusCode() != 202) {
                assertThat(answer.statusCode()).isEqualTo(429);
                assertThat(answer.body()).contains("held-back");
                assertThat(Long.parseLong(answer.headers().firstValue("Retry-After").orElseThrow())).isBetween(4L, 8L);
            }
        }
        return admitted;
    }

    @Test
    void every_line_of_a_batch_has_its_own_result() throws Exception {
        gateway.policy("acme", PolicySettings.NONE_SET
                .with(PolicyField.ADMISSION_RATE, "1").with(PolicyField.ADMISSION_BURST, "3"));
        HttpResponse<String> answer = gateway.batch(key, """
            {"id":"a","payload":"1","workload":"mail"}
            not json
            {"id":"b","tenant":"bolt","payload":"2"}

            {"id":"c","tenant":"acme","payload":{"n":3}}
            {"id":"d"}
            {"payload":"4"}
            {"id":"e","payload":"5"}
            """, "traceparent", TRACE);

        assertThat(answer.statusCode()).isEqualTo(200);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : answer.body().split("\n")) {
            lines.add(new JsonMapper().readTree(line));
        }
        assertThat(lines.stream().map(line -> line.get("line").intValue())).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(lines.stream().map(line -> line.get("status").intValue()))
                .containsExactly(202, 400, 403, 400, 202, 400, 202, 429);
        assertThat(lines.getFirst().get("id").textValue()).isEqualTo("a");
        assertThat(lines.getFirst().get("tenant").textValue()).isEqualTo("acme");
        assertThat(lines.get(7).get("retryAfter").longValue()).isBetween(1L, 2L);
        assertThat(gateway.stored().stream().map(record -> GatewayUnderTest.item(record.value()).id()))
                .containsExactly("a", "c", lines.get(6).get("id").textValue());
        assertThat(gateway.stored()).allMatch(record -> header(record, "traceparent").equals(TRACE));
        assertThat(gateway.registry.get("spillway.gateway.lines").tag("status", "202").counter().count()).isEqualTo(3);
    }

    @Test
    void lines_of_a_batch_end_as_on_any_system_and_a_mark_is_no_part_of_the_first() {
        HttpResponse<String> answer = gateway.batch(
                key, "\uFEFF{\"payload\":1}\r\n{\"payload\":2} \r{\"payload\":3}\n\t{\"payload\":4}\r\n");

        assertThat(answer.body().lines()).hasSize(4).allMatch(line -> line.contains("\"status\":202"));
    }

    @Test
    void a_line_with_a_time_that_no_record_can_have_is_refused_alone() {
        String lines = "{\"payload\":1}\n{\"payload\":2,\"enqueuedAt\":\"+999999999-12-31T23:59:59Z\"}\n";
        assertThat(gateway.batch(key, lines).body().lines()).satisfiesExactly(
                first -> assertThat(first).contains("\"status\":202"),
                second -> assertThat(second).contains("\"status\":400", "enqueuedAt must be epoch milliseconds"));
        assertThat(gateway.stored()).hasSize(1);
    }

    @Test
    void nothing_of_a_too_long_or_empty_batch_is_stored() {
        assertThat(gateway.batch(key, "{\"payload\":\"x\"}\n".repeat(21)).statusCode()).isEqualTo(413);
        assertThat(gateway.batch(key, "").statusCode()).isEqualTo(400);
        assertThat(gateway.send(HttpRequest.newBuilder(URI.create(gateway.url + "/v1/items:batch"))
                .header("Authorization", "Bearer " + key)
                .expectContinue(true)
                .POST(HttpRequest.BodyPublishers.ofString("{\"payload\":\"" + "x".repeat(5_000_000) + "\"}"))
                .build()).statusCode()).isEqualTo(413);
        assertThat(gateway.stored()).isEmpty();
        assertThat(gateway.batch(key, "{\"payload\":\"x\"}\n".repeat(20)).statusCode()).isEqualTo(200);
        assertThat(gateway.stored()).hasSize(20);
    }

    @Test
    void items_that_kafka_does_not_confirm_are_not_accepted() {
        try (GatewayUnderTest broken = new GatewayUnderTest(true)) {
            broken.kafka.sendException = new org.apache.kafka.common.errors.TimeoutException("not within 10 s");
            HttpResponse<String> answer = broken.post(broken.key("acme"), "x");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.headers().firstValue("Retry-After")).contains("1");
            assertThat(answer.body()).contains("not-confirmed", "Idempotency-Key");
            assertThat(broken.batch(broken.key("acme"), "{\"payload\":\"x\"}").body()).contains("\"status\":503");
            broken.kafka.sendException = new org.apache.kafka.common.errors.RecordTooLargeException("x");
            assertThat(broken.post(broken.key("acme"), "x").statusCode()).isEqualTo(413);
            broken.kafka.sendException = null;
            assertThat(broken.post(broken.key("acme"), "x").statusCode()).isEqualTo(202);
        }
    }

    @Test
    void the_response_waits_for_the_confirmation() throws Exception {
        try (GatewayUnderTest slow = new GatewayUnderTest(false, "gateway.limits.confirmTimeout", "120s")) {
            var answer = slow.client.sendAsync(
                    HttpRequest.newBuilder(URI.create(slow.url + "/v1/items"))
                            .header("Authorization", "Bearer " + slow.key("acme"))
                            .POST(HttpRequest.BodyPublishers.ofString("x"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            while (slow.stored().isEmpty()) {
                LockSupport.parkNanos(2_000_000);
            }
            // A premature response would arrive before these.
            for (int i = 0; i < 50; i++) {
                assertThat(slow.send("GET", "/livez", "", "").statusCode()).isEqualTo(200);
            }
            assertThat(answer).isNotDone();
            slow.kafka.completeNext();
            assertThat(answer.get().statusCode()).isEqualTo(202);
        }
    }

    private static String header(ProducerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.US_ASCII);
    }
}
