package io.spillway.worker.handlers;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.text.Printable;
import io.spillway.handler.BatchHandler;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Handler that posts several items of a tenant and workload as a JSON array, and reads an outcome for each from the
 * answer. Other answers than a success are as in {@link HttpHandler}: one that tells of the destination is of all
 * items, and with any other the call has failed.
 *
 * @param http     sends the requests; closed by this handler
 * @param maxItems of one request
 */
record HttpBatchHandler(HttpHandler http, int maxItems) implements BatchHandler {
    /** Payloads of one request; at least one item is sent. */
    static final int MAX_BYTES = 4 * 1024 * 1024;
    static final int MAX_ANSWER = 1024 * 1024;

    private static final JsonMapper JSON = new JsonMapper();
    private static final int MAX_TEXT = 4_000;
    private static final long MAX_AFTER_MILLIS = Duration.ofDays(30).toMillis();

    @Override
    public int maxItems(String workload) {
        return maxItems;
    }

    @Override
    public List<Outcome> handleAll(List<Delivery> deliveries) throws IOException, InterruptedException {
        List<Delivery> sent = deliveries.subList(0, fitting(deliveries));
        HttpHandler.Called called = http.call(requests -> requests.of(sent), MAX_ANSWER, sent.getFirst().attempt());
        List<Outcome> outcomes = new ArrayList<>(switch (called.outcome()) {
            case Outcome.Done done -> read(called, sent.size());
            case Outcome.Unavailable unavailable -> Collections.nCopies(sent.size(), unavailable);
            case Outcome one when sent.size() == 1 -> List.of(one);
            case Outcome.Retry whole -> throw new IOException(whole.detail());
            case Outcome.Dead whole -> throw new IOException(whole.reason());
            case Outcome whole -> throw new IOException(whole.toString());
        });
        outcomes.addAll(Collections.nCopies(deliveries.size() - sent.size(), Outcome.later(Duration.ZERO)));
        return outcomes;
    }

    private static int fitting(List<Delivery> deliveries) {
        long bytes = deliveries.getFirst().payload().length;
        int count = 1;
        while (count < deliveries.size() && bytes + deliveries.get(count).payload().length <= MAX_BYTES) {
            bytes += deliveries.get(count++).payload().length;
        }
        return count;
    }

    /** Returns the outcomes in an answer; all are done if it is empty. */
    private static List<Outcome> read(HttpHandler.Called called, int items) throws IOException {
        if (!called.isFull()) {
            // What is kept of it may be empty, and would mean that all are done.
            throw new IOException("The answer did not come in full: it was cut off, malformed, longer than "
                    + MAX_ANSWER + " bytes, or not there within " + HttpAnswer.MAX_MILLIS + " ms of its headers");
        }
        if (called.body().isEmpty()) {
            return Collections.nCopies(items, Outcome.done());
        }
        JsonNode list;
        try {
            list = JSON.readTree(called.body());
        } catch (JsonProcessingException e) {
            throw new IOException("The answer is not JSON: " + Printable.of(e.getOriginalMessage()), e);
        }
        if (!list.isArray() || list.size() != items) {
            throw new IOException("The answer must be a JSON array of " + items + " outcomes, or empty");
        }
        List<Outcome> outcomes = new ArrayList<>(items);
        list.forEach(each -> outcomes.add(outcome(each)));
        return outcomes;
    }

    private static Outcome outcome(JsonNode json) {
        String kind = json.path("outcome").asText();
        JsonNode after = json.path("afterMillis");
        if (!after.isMissingNode() && !(after.canConvertToLong() && after.isIntegralNumber() && after.longValue() >= 0
                && after.longValue() <= MAX_AFTER_MILLIS)) {
            return Outcome.retry("afterMillis of the answer must be a whole number from 0 to " + MAX_AFTER_MILLIS);
        }
        Optional<Duration> wait = after.isMissingNode()
                ? Optional.empty() : Optional.of(Duration.ofMillis(after.longValue()));
        String text = Printable.of(json.path(kind.equals("dead") ? "reason" : "detail").asText(), MAX_TEXT);
        return switch (kind) {
            case "done" -> Outcome.done();
            case "retry" -> new Outcome.Retry(wait, text);
            case "unavailable" -> new Outcome.Unavailable(wait, text);
            case "later" -> wait.map(Outcome::later).orElseGet(() -> Outcome.retry("later needs afterMillis"));
            case "dead" -> Outcome.dead(text);
            default -> Outcome.retry(
                    "The outcome of the answer must be done, retry, unavailable, later or dead");
        };
    }

    @Override
    public String destination(Delivery delivery) {
        return http.destination(delivery);
    }

    @Override
    public boolean leavesThreadClean() {
        return http.leavesThreadClean();
    }

    @Override
    public void close() {
        http.close();
    }
}
