package io.spillway.containers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Items that are sent through the gateway from its start until its close, one after the other. Owner of its thread. */
final class Items implements AutoCloseable {
    private static final long PAUSE_NANOS = 10_000_000;
    private static final Duration HANG = Duration.ofMinutes(3);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final Thread sender;
    private volatile boolean closed;

    /** @param name first part of the items' ids */
    Items(String key, String name) {
        this.sender = Thread.ofVirtual().name("items").start(() -> {
            for (int i = 0; !closed; i++) {
                send(key, name + "-" + i);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        });
    }

    private void send(String key, String id) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:8080/v1/items"))
                .header("Authorization", "Bearer " + key).header("Idempotency-Key", id).timeout(HANG)
                .POST(HttpRequest.BodyPublishers.ofString("{}")).build();
        try {
            if (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 202) {
                accepted.add(id);
            }
        } catch (IOException e) {
            // Not accepted: the next one is sent.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until this many more items have been accepted. */
    void awaitMore(int count) {
        int enough = accepted.size() + count;
        Compose.await(() -> accepted.size() >= enough);
    }

    /** Returns the ids of all accepted items; call after {@link #close}. */
    Set<String> accepted() {
        return accepted;
    }

    @Override
    public void close() {
        closed = true;
        try {
            sender.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }
}
