package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.campaign.Brokers;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Outcome;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many answers in one request, at two processes with the same keys. */
@Timeout(60) // Against a hang; nothing is measured.
class AnswersTest {
    private final WorkUnderTest owner = process("owner");
    private final WorkUnderTest other = process("other");

    private static WorkUnderTest process(String name) {
        int port = Brokers.freePort();
        return new WorkUnderTest(name, 1_000_000, HttpClient.newHttpClient(), Map.of(
                "handler.pull.port", "" + port, "handler.pull.receiptKeyFile", "/not/read",
                "handler.pull.advertisedUrl", "http://127.0.0.1:" + port));
    }

    @AfterEach
    void close() {
        owner.close();
        other.close();
    }

    @Test
    void each_answer_has_a_result_in_its_place_wherever_its_item_was_leased() throws Exception {
        WorkUnderTest.Started far = owner.item("far");
        WorkUnderTest.Started near = other.item("near");
        WorkUnderTest.Started further = owner.item("further");
        String farReceipt = receipt(owner);
        String nearReceipt = receipt(other);
        String furtherReceipt = receipt(owner);

        HttpResponse<String> response = answer(other,
                answer("dead", farReceipt, ",\"reason\":\"empty\""),
                answer("done", "forged", ""),
                answer("later", nearReceipt, ",\"afterMillis\":5"),
                answer("renew", furtherReceipt, ",\"leaseMillis\":60000"),
                answer("done", farReceipt, ""));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(statuses(response)).containsExactly(200, 400, 200, 200, 409);
        assertThat(WorkUnderTest.json(response).at("/results/3/leaseUntil").textValue())
                .isEqualTo("2026-11-23T08:01:00Z");
        assertThat(far.outcome.get()).isEqualTo(Outcome.dead("empty"));
        assertThat(near.outcome.get()).isEqualTo(Outcome.later(Duration.ofMillis(5)));
        assertThat(further.outcome).isNotDone();
    }

    @Test
    void a_single_answer_is_forwarded_with_what_its_owner_says() throws Exception {
        WorkUnderTest.Started item = owner.item("one");
        String body = "{\"receipt\":\"" + receipt(owner) + "\"}";

        assertThat(other.post("renew", body).body()).isEqualTo("{\"leaseUntil\":\"2026-11-23T08:00:30Z\"}");
        assertThat(other.post("done", body).body()).isEqualTo("{}");
        assertThat(item.outcome.get()).isEqualTo(Outcome.done());
        assertThat(other.post("done", body)).satisfies(again -> {
            assertThat(again.statusCode()).isEqualTo(409);
            assertThat(again.headers().firstValue("Content-Type")).contains("application/problem+json");
            assertThat(again.body()).contains("stale-receipt", "The receipt was used before");
        });
    }

    @Test
    void an_answer_to_a_process_that_does_not_answer_may_be_sent_again() {
        owner.item("one");
        String body = "{\"receipt\":\"" + receipt(owner) + "\"}";
        owner.close();

        assertThat(other.post("done", body)).satisfies(unknown -> {
            assertThat(unknown.statusCode()).isEqualTo(503);
            assertThat(unknown.headers().firstValue("Retry-After")).contains("1");
            assertThat(unknown.body()).contains("owner-unreachable", "Send the answer again until the lease ends");
        });
    }

    @Test
    void a_hundred_answers_of_any_length_are_one_request() throws ExecutionException, InterruptedException {
        List<WorkUnderTest.Started> items = new ArrayList<>();
        for (int i = 0; i < WorkApi.MAX_ITEMS; i++) {
            items.add(owner.item("" + i));
        }
        List<String> answers = new ArrayList<>();
        while (answers.size() < WorkApi.MAX_ITEMS) {
            owner.lease(WorkApi.MAX_ITEMS).forEach(item -> answers.add(
                    answer("dead", item.get("receipt").textValue(), ",\"reason\":\"" + "x".repeat(4_000) + "\"")));
        }

        assertThat(statuses(answer(other, answers.toArray(String[]::new)))).hasSize(100).containsOnly(200);
        for (WorkUnderTest.Started item : items) {
            assertThat(item.outcome.get()).isEqualTo(Outcome.dead("x".repeat(4_000)));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                       | answers must be a list of 1 to 100
            {"answers":[]}                                           | answers must be a list of 1 to 100
            {"answers":1}                                            | answers = 1: must be a list
            {"answers":[{"receipt":"r"}]}                            | answers[0]: outcome = (absent): must be set
            {"answers":[{"receipt":"r","outcome":"lost"}]}           | must be one of dead, done, later, renew, retry
            {"answers":[{"receipt":"r","outcome":"dead"}]}           | reason = (absent): must be set
            {"answers":[{"receipt":"r","outcome":"done","x":1}]}     | x = 1: unknown key
            {"answers":[{"receipt":"r","outcome":"done"}],"y":1}     | y = 1: unknown key
            """)
    void of_answers_with_a_wrong_one_none_counts(String body, String why) {
        WorkUnderTest.Started item = owner.item("one");
        String mixed = body.replace("[{", "[" + answer("done", receipt(owner), "") + ",{").replace("[0]", "[1]");

        HttpResponse<String> refused = owner.post("answer", mixed);

        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains(why.replace("[0]", "[1]").replace("answers[1]: ", ""));
        assertThat(item.outcome).isNotDone();
    }

    @Test
    void more_than_a_hundred_answers_are_refused() {
        String[] answers = Collections.nCopies(101, answer("done", "r", "")).toArray(String[]::new);
        assertThat(answer(owner, answers).statusCode()).isEqualTo(400);
    }

    @Test
    void an_item_names_its_destination_in_an_attribute_or_a_header() {
        try (WorkUnderTest named = new WorkUnderTest(1_000, HttpClient.newHttpClient(),
                Map.of("handler.pull.destinationFrom", "host"))) {
            assertThat(named.handler.destination(
                    DeliveryBuilder.of("acme", "1").attributes(Map.of("host", "a")).build()))
                    .isEqualTo("a");
            assertThat(named.handler.destination(DeliveryBuilder.of("acme", "1").header("host", "b").build()))
                    .isEqualTo("b");
            assertThat(named.handler.destination(DeliveryBuilder.of("acme", "1").build())).isEmpty();
        }
        assertThat(owner.handler.destination(DeliveryBuilder.of("acme", "1").header("", "b").build())).isEmpty();
    }

    private static String receipt(WorkUnderTest process) {
        return process.lease(1).get(0).get("receipt").textValue();
    }

    private static String answer(String outcome, String receipt, String more) {
        return "{\"outcome\":\"" + outcome + "\",\"receipt\":\"" + receipt + "\"" + more + "}";
    }

    private static HttpResponse<String> answer(WorkUnderTest process, String... answers) {
        return process.post("answer", "{\"answers\":[" + String.join(",", answers) + "]}");
    }

    private static List<Integer> statuses(HttpResponse<String> response) {
        List<Integer> statuses = new ArrayList<>();
        for (JsonNode result : WorkUnderTest.json(response).get("results")) {
            statuses.add(result.get("status").intValue());
        }
        return statuses;
    }
}
