package io.spillway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Outcome;
import io.spillway.worker.handlers.PullSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Work API on a free port, in front of a worker that starts queued items as far as the handler's limit allows. Owner
 * of the server, the client and the threads of its attempts.
 */
final class WorkUnderTest implements AutoCloseable {
    static final String KEY = "spw_0123456789abcdef0123456789abcdef";
    static final byte[] RECEIPT_KEY = "a key of receipts".getBytes(StandardCharsets.UTF_8);
    static final Instant NOW = Instant.parse("2026-11-23T08:00:00Z");

    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final PullHandler handler;
    final String url;
    private final WorkServer server;
    private final HttpClient client;
    private final Deque<Started> waiting = new ArrayDeque<>();
    private int running;

    /** @param maxBytes as in {@link PullHandler} */
    WorkUnderTest(int maxBytes) {
        this(maxBytes, HttpClient.newHttpClient(), Map.of());
    }

    /** @param client closed by this */
    WorkUnderTest(int maxBytes, HttpClient client, Map<String, String> settings) {
        this("this", maxBytes, client, settings);
    }

    /** Process with this name; on another port than a free one, the others reach it there. */
    WorkUnderTest(String name, int maxBytes, HttpClient client, Map<String, String> settings) {
        this.client = client;
        Map<String, String> all = new HashMap<>(settings);
        all.put("handler.type", "pull");
        all.putIfAbsent("handler.pull.port", "0");
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), all);
        handler = new PullHandler(configuration.handler().of(PullSettings.class).orElseThrow(), RECEIPT_KEY, name,
                maxBytes, InstantSource.fixed(NOW));
        handler.onDemand(this::fill);
        server = new WorkServer(
                configuration, handler, AdminKey.of(KEY), registry, InstantSource.system(), System::nanoTime);
        url = server.start();
    }

    /** Attempt of a queued item. */
    static final class Started {
        final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        final Delivery delivery;
        volatile Thread thread;

        Started(Delivery delivery) {
            this.delivery = delivery;
        }
    }

    /** Lease with this end, whose renewals end when they ask to. */
    static final class FixedLease implements Delivery.Lease {
        volatile Instant endsAt = NOW.plusSeconds(30);

        @Override
        public Instant endsAt() {
            return endsAt;
        }

        @Override
        public Instant renew(Duration time) {
            Instant asked = NOW.plus(time);
            endsAt = asked.isAfter(endsAt) ? asked : endsAt;
            return endsAt;
        }
    }

    /** Queues an item with 30 s for its attempt. */
    Started item(String id) {
        return queue(DeliveryBuilder.of("acme", id).contentType("text/plain")
                .payload(id.getBytes(StandardCharsets.UTF_8)).lease(new FixedLease()).build());
    }

    Started queue(Delivery delivery) {
        Started item = new Started(delivery);
        synchronized (this) {
            waiting.add(item);
        }
        fill();
        return item;
    }

    /** Starts an attempt at once, as the worker does for an item suspected of a crash. */
    Started startNow(Delivery delivery) {
        Started item = new Started(delivery);
        synchronized (this) {
            running++;
        }
        run(item);
        return item;
    }

    private synchronized void fill() {
        while (running < handler.limit() && !waiting.isEmpty()) {
            running++;
            run(waiting.remove());
        }
    }

    private void run(Started item) {
        item.thread = Thread.ofVirtual().unstarted(() -> {
            try {
                item.outcome.complete(handler.handle(item.delivery));
            } catch (InterruptedException e) {
                item.outcome.completeExceptionally(e);
            }
            synchronized (this) {
                running--;
            }
            fill();
        });
        item.thread.start();
    }

    synchronized int running() {
        return running;
    }

    HttpResponse<String> post(String action, String body) {
        return send("POST", "/v1/work:" + action, "Bearer " + KEY, body);
    }

    /** Leases up to this many items, and waits for the first one. */
    JsonNode lease(int max) {
        HttpResponse<String> response = post("lease", "{\"max\":" + max + ",\"waitMillis\":30000}");
        if (response.statusCode() != 200) {
            throw new AssertionError(response.body());
        }
        return json(response).get("items");
    }

    URI address() {
        return URI.create(url);
    }

    /** Sends a lease call on a connection of its own, and returns when it waits for an item. */
    void poll(Socket connection, int max) throws IOException {
        String body = "{\"max\":" + max + ",\"waitMillis\":30000}";
        int asked = handler.askedItems();
        connection.getOutputStream().write(("POST /v1/work:lease HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + KEY
                + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
        while (handler.askedItems() < asked + max) {
            Thread.onSpinWait();
        }
    }

    static JsonNode json(HttpResponse<String> response) {
        try {
            return GatewayResponse.JSON.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param authorization empty for none */
    HttpResponse<String> send(String method, String path, String authorization, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        handler.close();
        server.close();
        client.close();
    }
}
