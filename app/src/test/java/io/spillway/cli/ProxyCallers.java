package io.spillway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Senders with a steady rate, and external workers, behind a proxy. None of them sends a request twice, and all answers
 * are recorded with the phase of the test in which they came. Owner of its threads.
 */
final class ProxyCallers {
    private static final int SENDERS = 4;
    private static final long EVERY_MILLIS = 40;
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient client;
    private final String itemsUrl;
    private final String tenantKey;
    private final String workerKey;
    private final Map<String, Answer> sent = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Handling> handled = new ConcurrentLinkedQueue<>();
    private final Map<String, AtomicInteger> polls = new ConcurrentHashMap<>();
    private final List<Thread> senders;
    private final List<Thread> workers;
    private volatile String phase = "start";
    private volatile boolean sendersStopped;
    private volatile boolean workersStopped;

    /**
     * Answer to a request.
     *
     * @param status 0 without an answer
     * @param what   the problem of a gateway, or a part of any other answer
     */
    record Answer(String phase, int status, String what) {}

    /** What an external worker did with an item, and the answer to that. */
    record Handling(String id, int attempt, Answer answer) {}

    ProxyCallers(HttpClient client, ProxyUnderTest proxy, String tenantKey, String workerKey) {
        this.client = client;
        this.itemsUrl = proxy.itemsUrl();
        this.tenantKey = tenantKey;
        this.workerKey = workerKey;
        this.workers = proxy.workUrls().stream().flatMap(url -> IntStream.range(0, 2)
                .mapToObj(worker -> Thread.ofVirtual().start(() -> work(url)))).toList();
        this.senders = IntStream.range(0, SENDERS)
                .mapToObj(sender -> Thread.ofVirtual().start(() -> send(sender))).toList();
    }

    /** Begins a phase. */
    void begin(String name) {
        phase = name;
    }

    /** Waits for answers to senders that come from now on. */
    void awaitMore(int answers) {
        int until = sent.size() + answers;
        while (sent.size() < until) {
            LockSupport.parkNanos(5_000_000);
        }
    }

    void endSenders() throws InterruptedException {
        sendersStopped = true;
        for (Thread sender : senders) {
            sender.join();
        }
    }

    /** Ends each worker after its long poll, and one more call without items. */
    void endWorkers() throws InterruptedException {
        workersStopped = true;
        for (Thread worker : workers) {
            worker.join();
        }
    }

    Map<String, Answer> sent() {
        return sent;
    }

    List<Handling> handled() {
        return List.copyOf(handled);
    }

    /** Returns the number of answers to senders of a phase, by status and problem. */
    Map<String, Long> answers(String inPhase) {
        return sent.values().stream().filter(answer -> answer.phase.equals(inPhase)).collect(Collectors.groupingBy(
                answer -> (answer.status + " " + answer.what).strip(), TreeMap::new, Collectors.counting()));
    }

    /** Returns a line for the calls of workers in a phase: leases and answers by status. */
    String work(String inPhase, String kind) {
        return new TreeMap<>(polls).entrySet().stream().filter(poll -> poll.getKey().startsWith(inPhase + "|" + kind))
                .map(poll -> poll.getKey().split("\\|")[2] + ": " + poll.getValue()).collect(Collectors.joining(", "));
    }

    private void send(int sender) {
        long dueMillis = System.currentTimeMillis();
        for (int i = 0; !sendersStopped; i++) {
            LockSupport.parkUntil(dueMillis);
            dueMillis += EVERY_MILLIS;
            String id = "s" + sender + "-" + i;
            sent.put(id, call(HttpRequest.newBuilder(URI.create(itemsUrl + "/v1/items"))
                    .header("Authorization", "Bearer " + tenantKey)
                    .header("Idempotency-Key", id), "x".repeat(100), false));
        }
    }

    private void work(String url) {
        while (true) {
            boolean isLast = workersStopped;
            Answer leased = work(url, "lease", "{\"max\":5,\"waitMillis\":" + (isLast ? 0 : 30_000) + "}");
            count("lease", leased);
            if (leased.status != 200) {
                // As a worker would: not at once again while the process starts.
                LockSupport.parkNanos(50_000_000);
                continue;
            }
            JsonNode items = json(leased.what).get("items");
            for (JsonNode item : items) {
                Answer answer = work(url, "done", "{\"receipt\":\"" + item.get("receipt").textValue() + "\"}");
                count("done", answer);
                handled.add(new Handling(item.get("id").textValue(), item.get("attempt").intValue(), answer));
            }
            if (isLast && items.isEmpty()) {
                return;
            }
        }
    }

    private void count(String kind, Answer answer) {
        String what = answer.status == 200 ? "200" : (answer.status + " " + answer.what).strip();
        polls.computeIfAbsent(answer.phase + "|" + kind + "|" + what, absent -> new AtomicInteger()).incrementAndGet();
    }

    private Answer work(String url, String action, String body) {
        return call(HttpRequest.newBuilder(URI.create(url + "/v1/work:" + action))
                .header("Authorization", "Bearer " + workerKey), body, true);
    }

    private Answer call(HttpRequest.Builder request, String body, boolean keepsBody) {
        try {
            HttpResponse<String> response = client.send(
                    request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                    HttpResponse.BodyHandlers.ofString());
            String what = response.statusCode() < 300 ? keepsBody ? response.body() : "" : problem(response.body());
            return new Answer(phase, response.statusCode(), what);
        } catch (IOException e) {
            return new Answer(phase, 0, e.getClass().getSimpleName() + " " + e.getMessage());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the name of the problem that a gateway or worker answers, or "proxy" for an answer of the proxy. */
    private static String problem(String body) {
        return body.startsWith("{") ? json(body).get("type").textValue().replace("urn:spillway:problem:", "") : "proxy";
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }
}
