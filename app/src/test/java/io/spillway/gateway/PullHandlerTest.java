package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Outcome;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Items in the hands of external workers, over HTTP. */
@Timeout(60) // Against a hang; nothing is measured.
class PullHandlerTest {
    private WorkUnderTest work = new WorkUnderTest(1_000);

    @AfterEach
    void close() {
        work.close();
    }

    @Test
    void an_attempt_starts_only_when_a_worker_asks_for_an_item() throws Exception {
        WorkUnderTest.Started first = work.item("one");
        WorkUnderTest.Started second = work.item("two");
        assertThat(work.running()).isZero();
        assertThat(work.handler.limit()).isZero();

        JsonNode items = work.lease(1);

        assertThat(items).hasSize(1);
        assertThat(items.get(0).get("id").textValue()).isEqualTo("one");
        assertThat(work.running()).isEqualTo(1);
        assertThat(second.thread).as("nobody has asked for the second").isNull();
        assertThat(work.post("done", receipt(items.get(0), "")).statusCode()).isEqualTo(200);
        assertThat(first.outcome.get()).isEqualTo(Outcome.done());
    }

    @Test
    void a_call_that_waits_gets_an_item_that_comes_and_an_empty_list_when_none_does() throws Exception {
        CompletableFuture<JsonNode> call = CompletableFuture.supplyAsync(() -> work.lease(5));
        while (work.handler.limit() < 5) {
            Thread.onSpinWait();
        }
        work.item("late");

        assertThat(call.get()).extracting(item -> item.get("id").textValue()).containsExactly("late");
        assertThat(WorkUnderTest.json(work.post("lease", "")).get("items")).isEmpty();
        assertThat(work.handler.limit()).as("the item that is out").isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("answers")
    void an_answer_is_the_outcome_of_the_attempt(String action, String more, Outcome expected) throws Exception {
        WorkUnderTest.Started item = work.item("one");
        String body = receipt(work.lease(1).get(0), more);

        assertThat(work.post(action, body).statusCode()).isEqualTo(200);
        assertThat(item.outcome.get()).isEqualTo(expected);
        assertThat(work.post(action, body)).satisfies(again -> {
            assertThat(again.statusCode()).isEqualTo(409);
            assertThat(again.body()).contains("stale-receipt", "The receipt was used before");
        });
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of("done", "", Outcome.done()),
                Arguments.of("retry", "", Outcome.retry("The external worker asked for a retry.")),
                Arguments.of("retry", ",\"detail\":\"no\"", Outcome.retry("no")),
                Arguments.of("retry", ",\"detail\":\"no\",\"afterMillis\":1500",
                        Outcome.retry(Duration.ofMillis(1_500), "no")),
                Arguments.of("later", ",\"afterMillis\":0", Outcome.later(Duration.ZERO)),
                Arguments.of("later", ",\"afterMillis\":2592000000", Outcome.later(Duration.ofDays(30))),
                Arguments.of("unavailable", ",\"afterMillis\":7,\"detail\":\"down\"",
                        Outcome.unavailable(Duration.ofMillis(7), "down")),
                Arguments.of("unavailable", "",
                        Outcome.unavailable("The external worker says that the destination cannot work now.")),
                Arguments.of("dead", ",\"reason\":\"an empty mail\"", Outcome.dead("an empty mail")));
    }

    @ParameterizedTest
    @MethodSource("interrupts")
    void a_lease_that_ended_is_refused_with_its_cause(Duration left, String why) {
        WorkUnderTest.FixedLease lease = new WorkUnderTest.FixedLease();
        WorkUnderTest.Started item = work.queue(DeliveryBuilder.of("acme", "one").lease(lease).build());
        String receipt = receipt(work.lease(1).get(0), "");

        lease.endsAt = WorkUnderTest.NOW.plus(left);
        item.thread.interrupt();

        assertThat(item.outcome.handle((outcome, failure) -> failure).join())
                .as("the worker counts it as its interrupt says").isInstanceOf(InterruptedException.class);
        assertThat(work.handler.limit()).isZero();
        for (String action : List.of("done", "renew")) {
            assertThat(work.post(action, receipt)).satisfies(late -> {
                assertThat(late.statusCode()).isEqualTo(409);
                assertThat(late.body()).contains(why);
            });
        }
    }

    static Stream<Arguments> interrupts() {
        return Stream.of(
                Arguments.of(Duration.ZERO, "The lease ended without an answer"),
                Arguments.of(Duration.ofSeconds(5), "partition moved to another worker"));
    }

    @Test
    void receipts_of_other_processes_and_of_nobody_are_refused() {
        work.item("one");
        String ours = work.lease(1).get(0).get("receipt").textValue();
        String theirs = new Receipts(WorkUnderTest.RECEIPT_KEY, "other", "").sign(new Receipts.Receipt(1, 1, "p"));
        String unknown = new Receipts(WorkUnderTest.RECEIPT_KEY, "this", "").sign(new Receipts.Receipt(99, 1, "p"));

        assertThat(work.post("done", "{\"receipt\":\"" + theirs + "\"}").body())
                .contains("\"status\":409", "The receipt is of another process.");
        assertThat(work.post("done", "{\"receipt\":\"" + unknown + "\"}").body())
                .contains("\"status\":409", "The lease has ended.");
        assertThat(work.post("done", "{\"receipt\":\"" + ours + "x\"}").body())
                .contains("\"status\":400", "has not signed the receipt");
        assertThat(work.handler.leasedItems()).as("the item is still out").isEqualTo(1);
    }

    @Test
    void a_lease_is_renewed_for_its_first_length_or_the_one_asked_for() {
        WorkUnderTest.FixedLease lease = new WorkUnderTest.FixedLease();
        work.queue(DeliveryBuilder.of("acme", "one").lease(lease).build());
        JsonNode item = work.lease(1).get(0);
        assertThat(item.get("leaseUntil").textValue()).isEqualTo("2026-11-23T08:00:30Z");

        assertThat(work.post("renew", receipt(item, "")).body()).isEqualTo("{\"leaseUntil\":\"2026-11-23T08:00:30Z\"}");
        assertThat(work.post("renew", receipt(item, ",\"leaseMillis\":60500")).body())
                .isEqualTo("{\"leaseUntil\":\"2026-11-23T08:01:00.500Z\"}");
    }

    @Test
    void a_call_gets_no_further_item_once_its_payloads_are_large() {
        byte[] payload = new byte[600];
        for (int i = 0; i < 3; i++) {
            awaitConsumer(work.startNow(DeliveryBuilder.of("acme", "" + i).payload(payload)
                    .lease(new WorkUnderTest.FixedLease()).build()));
        }

        List<String> first = ids(work.lease(100));
        assertThat(first).as("1,200 bytes where 1,000 are the limit").hasSize(2);
        List<String> all = new ArrayList<>(first);
        all.addAll(ids(work.lease(100)));
        assertThat(all).containsExactlyInAnyOrder("0", "1", "2");
    }

    @Test
    void an_item_that_runs_without_being_asked_for_is_put_off_before_its_lease_ends() throws Exception {
        WorkUnderTest.FixedLease lease = new WorkUnderTest.FixedLease();
        lease.endsAt = WorkUnderTest.NOW.plusMillis(40);
        WorkUnderTest.Started suspect = work.startNow(DeliveryBuilder.of("acme", "one").lease(lease).build());

        assertThat(suspect.outcome.get()).isEqualTo(Outcome.later(Duration.ofSeconds(1)));
        assertThat(work.handler.limit()).isZero();
    }

    @Test
    void an_item_that_waited_for_a_call_has_its_whole_lease_from_then_on() {
        WorkUnderTest.FixedLease lease = new WorkUnderTest.FixedLease();
        WorkUnderTest.Started suspect = work.startNow(DeliveryBuilder.of("acme", "one").lease(lease).build());
        awaitConsumer(suspect);
        lease.endsAt = WorkUnderTest.NOW.plusSeconds(8);

        assertThat(work.lease(1).get(0).get("leaseUntil").textValue()).isEqualTo("2026-11-23T08:00:30Z");
    }

    private static void awaitConsumer(WorkUnderTest.Started item) {
        while (item.thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void an_answer_before_the_interrupt_counts() throws Exception {
        for (int i = 0; i < 50; i++) {
            WorkUnderTest.Started item = work.item("" + i);
            String receipt = receipt(work.lease(1).get(0), "");
            CompletableFuture<Integer> answer =
                    CompletableFuture.supplyAsync(() -> work.post("done", receipt).statusCode());
            item.thread.interrupt();
            boolean accepted = answer.get() == 200;
            try {
                assertThat(item.outcome.get()).isEqualTo(Outcome.done());
                assertThat(accepted).isTrue();
            } catch (ExecutionException e) {
                assertThat(accepted).as("200 was answered, but the outcome is lost").isFalse();
            }
        }
    }

    @Test
    void a_stop_ends_the_calls_that_wait() throws Exception {
        CompletableFuture<Integer> call = CompletableFuture.supplyAsync(
                () -> work.post("lease", "{\"waitMillis\":30000}").statusCode());
        while (work.handler.askedItems() == 0) {
            Thread.onSpinWait();
        }
        work.handler.close();

        assertThat(call.get()).isEqualTo(503);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_worker_that_ended_during_its_long_poll_gets_no_item(boolean isReset) throws Exception {
        for (int max = 1; max <= 2; max++) {
            Socket dead = new Socket(work.address().getHost(), work.address().getPort());
            dead.setSoLinger(isReset, 0);
            work.poll(dead, max);
            dead.close();
        }
        WorkUnderTest.Started first = work.item("one");
        work.item("two");

        List<String> live = new ArrayList<>(ids(work.lease(5)));
        if (live.size() < 2) {
            live.addAll(ids(work.lease(1)));
        }
        assertThat(live).containsExactlyInAnyOrder("one", "two");
        assertThat(first.outcome).as("the same attempt goes on").isNotDone();
        assertThat(work.handler.leasedItems()).isEqualTo(2);
    }

    @Test
    void a_worker_that_sends_its_next_request_early_gets_its_item() throws Exception {
        try (Socket eager = new Socket(work.address().getHost(), work.address().getPort())) {
            work.poll(eager, 1);
            eager.getOutputStream().write(utf8("GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n"));
            work.item("one");

            String answers = "";
            for (int next = 0; next >= 0 && !answers.contains("HTTP/1.1 404"); answers += (char) next) {
                next = eager.getInputStream().read();
            }
            assertThat(answers).contains("\"id\":\"one\"");
        }
    }

    @Test
    void a_payload_is_text_or_base64_by_its_content_type() {
        byte[] bytes = {(byte) 0xff, 0};
        JsonNode text = leased(DeliveryBuilder.of("acme", "one").workload("mail").attempt(3).lane("overflow")
                .contentType("application/json; charset=utf-8").payload(utf8("{\"n\":1}")).header("traceparent", "00-1")
                .header("spillway-origin", "internal").lease(new WorkUnderTest.FixedLease()));
        assertThat(text.get("payload").textValue()).isEqualTo("{\"n\":1}");
        assertThat(text.has("payloadBase64")).isFalse();
        assertThat(text.get("headers").toString()).isEqualTo("[{\"name\":\"traceparent\",\"value\":\"00-1\"}]");
        assertThat(text.get("workload").textValue() + text.get("attempt") + text.get("lane").textValue())
                .isEqualTo("mail3overflow");

        JsonNode binary = leased(DeliveryBuilder.of("acme", "two").payload(bytes).header(
                new io.spillway.handler.Delivery.Header("raw", bytes)).lease(new WorkUnderTest.FixedLease()));
        assertThat(binary.get("payloadBase64").textValue()).isEqualTo("/wA=");
        assertThat(binary.get("headers").toString()).isEqualTo("[{\"name\":\"raw\",\"valueBase64\":\"/wA=\"}]");
        JsonNode nothing = leased(DeliveryBuilder.of("acme", "null").header("empty", "").header(
                new io.spillway.handler.Delivery.Header("null", null)).lease(new WorkUnderTest.FixedLease()));
        assertThat(nothing.get("headers").toString()).as("an empty value is not a missing one")
                .isEqualTo("[{\"name\":\"empty\",\"value\":\"\"},{\"name\":\"null\",\"value\":null}]");
        JsonNode claimed = leased(DeliveryBuilder.of("acme", "three").contentType("text/plain").payload(bytes)
                .header("spillway-order-key", "k").lease(new WorkUnderTest.FixedLease()));
        assertThat(claimed.has("payload")).as("not UTF-8, whatever its type says").isFalse();
        assertThat(claimed.get("orderKey").textValue() + text.has("orderKey")).isEqualTo("kfalse");
    }

    private JsonNode leased(DeliveryBuilder delivery) {
        work.queue(delivery.build());
        return work.lease(1).get(0);
    }

    private static String receipt(JsonNode item, String more) {
        return "{\"receipt\":" + item.get("receipt") + more + "}";
    }

    private static List<String> ids(JsonNode items) {
        List<String> ids = new ArrayList<>();
        items.forEach(item -> ids.add(item.get("id").textValue()));
        return ids;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
