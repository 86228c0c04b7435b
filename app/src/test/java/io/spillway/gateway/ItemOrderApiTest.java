package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Order keys and ids that an item has only once, as requests set them. */
@Timeout(120) // Against a hang; nothing is measured.
class ItemOrderApiTest {
    private final GatewayUnderTest gateway = new GatewayUnderTest(true);
    private final String key = gateway.key("acme");

    @AfterEach
    void close() {
        gateway.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "Idempotency-Key: a b                                  | a b | acme     | spillway-dedupe=true",
        "Idempotency-Key: \"a\\\"b\\\\\"                       | a\"b\\ | acme  | spillway-dedupe=true",
        "Idempotency-Key: a\"                                  | a\" | acme      | spillway-dedupe=true",
        "Idempotency-Key: \"a\", Spillway-Id: a                | a   | acme     | spillway-dedupe=true",
        "Idempotency-Key: a, Spillway-Dedupe: true             | a   | acme     | spillway-dedupe=true",
        "Spillway-Id: a                                        | a   | acme     | ``",
        "Spillway-Id: a, Spillway-Dedupe: false                | a   | acme     | ``",
        "Spillway-Id: a, Spillway-Dedupe: true                 | a   | acme     | spillway-dedupe=true",
        "Spillway-Order-Key: k/1, Spillway-Id: a               | a   | acme/k/1 | spillway-order-key=k/1",
        "Spillway-Order-Key: k, Idempotency-Key: a     | a | acme/k | spillway-order-key=k, spillway-dedupe=true",
    })
    void a_request_sets_id_and_headers_of_the_record_and_its_key(
            String headers, String id, String recordKey, String stored) {
        assertThat(post(headers).statusCode()).isEqualTo(202);
        assertThat(GatewayUnderTest.item(gateway.stored().getFirst().value()).id()).isEqualTo(id);
        assertThat(gateway.stored().getFirst().key()).asString().isEqualTo(recordKey);
        assertThat(headers()).isEqualTo(stored);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "Idempotency-Key: \"\"                        | Idempotency-Key must be 1 to 256 printable ASCII characters",
        "Idempotency-Key: \"a                         | Idempotency-Key must end with a quotation mark",
        "Idempotency-Key: \"a\"b\"                    | a backslash before each one inside",
        "Idempotency-Key: \"a\";b=1                   | Idempotency-Key must end with a quotation mark",
        "Idempotency-Key: \"a\\b\"                   | Idempotency-Key must end with a quotation mark",
        "Idempotency-Key: a, Spillway-Id: b           | Spillway-Id and Idempotency-Key must be the same",
        "Idempotency-Key: a, Spillway-Dedupe: false   | Send the id as Spillway-Id instead",
        "Spillway-Dedupe: true                        | Spillway-Dedupe needs an id",
        "Spillway-Id: a, Spillway-Dedupe: yes         | Spillway-Dedupe must be true or false",
        "Spillway-Id:                                 | Spillway-Id must be 1 to 256 printable ASCII characters",
        "Spillway-Order-Key:                          | Spillway-Order-Key must be 1 to 256 printable ASCII characters",
        "Spillway-Order-Key: a, Spillway-Order-Key: b | Spillway-Order-Key must not be repeated",
    })
    void what_cannot_be_or_contradicts_is_refused_with_the_reason(String headers, String reason) {
        HttpResponse<String> refused = post(headers);

        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains(reason);
        assertThat(gateway.stored()).isEmpty();
    }

    @Test
    void an_idempotency_key_in_quotes_has_at_most_256_characters_without_them() {
        for (String text : new String[] {"i".repeat(256), "\\\\".repeat(256)}) {
            assertThat(gateway.post(key, "x", "Idempotency-Key", "\"" + text + "\"").statusCode()).isEqualTo(202);
            assertThat(gateway.post(key, "x", "Idempotency-Key", "\"i" + text + "\"").statusCode()).isEqualTo(400);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "\"id\":\"a\",\"orderKey\":\"k\",\"dedupe\":true | 202 | spillway-order-key=k, spillway-dedupe=true",
        "\"orderKey\":\"\",\"dedupe\":false | 202 | ``",
        "\"orderKey\":null,\"dedupe\":null  | 202 | ``",
        "\"orderKey\":\"ä\" | 400 | orderKey must be 1 to 256 printable ASCII characters",
        "\"orderKey\":7     | 400 | orderKey must be text",
        "\"dedupe\":true    | 400 | dedupe needs an id",
        "\"dedupe\":true,\"id\":\"\"       | 400 | dedupe needs an id",
        "\"id\":\"a\",\"dedupe\":\"true\"  | 400 | dedupe must be true or false",
        "\"id\":\"a\",\"dedupe\":1         | 400 | dedupe must be true or false",
    })
    void a_line_of_a_batch_sets_the_same_by_its_keys(String fields, int status, String result) {
        String answer = gateway.batch(key, "{\"payload\":1," + fields + "}").body();

        assertThat(answer).contains("\"status\":" + status);
        assertThat(status == 202 ? headers() : answer).contains(result);
        assertThat(gateway.stored()).hasSize(status == 202 ? 1 : 0);
    }

    @Test
    void without_a_confirmation_the_answer_says_when_sending_again_is_safe() {
        gateway.kafka.sendException = new TimeoutException("not within 10 s");
        assertThat(gateway.post(key, "x", "Idempotency-Key", "order-1").body())
                .contains("not-confirmed", "Sending it again is safe with the same Idempotency-Key");
    }

    private HttpResponse<String> post(String headers) {
        return gateway.post(key, "x", Stream.of(headers.split(", "))
                .flatMap(header -> Stream.of(header.split(": ?", 2)))
                .toArray(String[]::new));
    }

    /** Returns Spillway's headers of the only record. */
    private String headers() {
        ProducerRecord<byte[], byte[]> record = gateway.stored().getFirst();
        return StreamSupport.stream(record.headers().spliterator(), false)
                .filter(header -> header.key().startsWith("spillway-"))
                .map(header -> header.key() + "=" + new String(header.value(), StandardCharsets.US_ASCII))
                .collect(Collectors.joining(", "));
    }
}
