package io.spillway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.worker.handlers.DeliveryJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Answers to leased items, each applied by the process that leased its item: those of another process go there in one
 * request, all at once. Only addresses that a process with the same key has signed are called. Thread-safe. Bounds: a
 * call to each process with an answer of a request, and {@value #CALL_SECONDS} s for all of them.
 */
final class Answers implements AutoCloseable {
    static final String PATH = "/v1/work:answer";
    /** Header of a forwarded request, which is not forwarded again. */
    static final String FORWARDED = "Spillway-Forwarded";
    private static final int CALL_SECONDS = 5;
    private static final Problem NO_FURTHER = Problem.of(Problem.Kind.STALE_RECEIPT,
            "The receipt is of another process than its address says. That one has ended, and the item is leased again.");
    private static final Problem UNREACHABLE = Problem.of(Problem.Kind.OWNER_UNREACHABLE,
            "The process that leased the item does not answer. Send the answer again until the lease ends.", 1_000);

    private final PullHandler handler;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(CALL_SECONDS)).build();

    /** Answers, by their indexes, that are on their way to another process. */
    private record Call(List<Integer> indexes, CompletableFuture<JsonNode> results) {}

    Answers(PullHandler handler) {
        this.handler = handler;
    }

    /**
     * Applies answers.
     *
     * @param authorization header of the request, passed on
     * @param isForwarded   whether another process sent them
     * @return an object with its {@code status} for each answer, in their order
     */
    List<ObjectNode> apply(List<Answer> answers, String authorization, boolean isForwarded) {
        List<ObjectNode> results = new ArrayList<>();
        Map<String, List<Integer>> elsewhere = new LinkedHashMap<>();
        for (int i = 0; i < answers.size(); i++) {
            ObjectNode result = GatewayResponse.JSON.createObjectNode();
            results.add(result);
            switch (answers.get(i).to(handler)) {
                case PullHandler.Answered.Accepted(var leaseUntil) -> {
                    result.put("status", 200);
                    leaseUntil.ifPresent(end -> result.put("leaseUntil", DeliveryJson.time(end)));
                }
                case PullHandler.Answered.Refused(Problem problem) -> problem.into(result);
                case PullHandler.Answered.Elsewhere(String address) -> {
                    if (isForwarded) {
                        NO_FURTHER.into(result);
                    } else {
                        elsewhere.computeIfAbsent(address, none -> new ArrayList<>()).add(i);
                    }
                }
            }
        }
        List<Call> calls = new ArrayList<>();
        elsewhere.forEach((address, indexes) -> calls.add(new Call(
                indexes, forward(address, indexes.stream().map(answers::get).toList(), authorization))));
        for (Call call : calls) {
            List<Integer> indexes = call.indexes;
            JsonNode there = call.results.join();
            for (int i = 0; i < indexes.size(); i++) {
                if (there.path(i) instanceof ObjectNode result && result.path("status").isInt()) {
                    results.set(indexes.get(i), result);
                } else {
                    UNREACHABLE.into(results.get(indexes.get(i)));
                }
            }
        }
        return results;
    }

    /** Returns the results of another process; a missing node if it does not answer. */
    private CompletableFuture<JsonNode> forward(String address, List<Answer> answers, String authorization) {
        ObjectNode body = GatewayResponse.JSON.createObjectNode();
        ArrayNode array = body.putArray("answers");
        answers.forEach(answer -> answer.into(array.addObject()));
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + PATH))
                .timeout(Duration.ofSeconds(CALL_SECONDS))
                .header("Authorization", authorization).header(FORWARDED, "1")
                .POST(HttpRequest.BodyPublishers.ofByteArray(GatewayResponse.bytes(body))).build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                // That of the request ends with the headers of its answer.
                .orTimeout(CALL_SECONDS, TimeUnit.SECONDS)
                .handle((response, failure) -> failure == null && response.statusCode() == 200
                        ? results(response.body()) : MissingNode.getInstance());
    }

    private static JsonNode results(byte[] body) {
        try {
            return GatewayResponse.JSON.readTree(body).path("results");
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    /** Ends calls that are under way. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}
