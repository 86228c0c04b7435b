package io.spillway.guarantee;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Concurrent callers of a gateway that may be killed during their calls. They count items by response: confirmed,
 * unknown or refused. Owner of its threads.
 */
final class GatewayCalls {
    private static final int CALLERS = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern URL = Pattern.compile("gateway=(http://\\S+)");

    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicLong confirmed = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final CountDownLatch anyConfirmed = new CountDownLatch(1);
    private final List<Thread> callers;
    private volatile boolean stopped;

    /**
     * Starts the callers.
     *
     * @param key   API key of the tenant
     * @param limit maximum number of items for each caller
     */
    GatewayCalls(SpillwayProcess gateway, String key, int limit, long seed) {
        Matcher url = URL.matcher(gateway.readyLine());
        if (!url.find()) {
            throw new IllegalStateException("No gateway URL in " + gateway.readyLine());
        }
        URI items = URI.create(url.group(1) + "/v1/items");
        this.callers = IntStream.range(0, CALLERS)
                .mapToObj(caller -> Thread.ofVirtual().start(() -> call(items, key, limit, new Random(seed + caller))))
                .toList();
    }

    /** Waits until an item is confirmed, so that an item could be lost. */
    void awaitConfirmed() throws InterruptedException {
        anyConfirmed.await();
    }

    /** Returns the number of items that the gateway confirmed; call after {@link #end}. */
    long confirmed() {
        return confirmed.get();
    }

    /** Returns the number of items that may be stored; call after {@link #end}. */
    long unknown() {
        return unknown.get();
    }

    /** Returns the number of items that the gateway refused; call after {@link #end}. */
    long refused() {
        return refused.get();
    }

    void end() throws InterruptedException {
        stopped = true;
        for (Thread caller : callers) {
            caller.join();
        }
        client.close();
    }

    private void call(URI items, String key, int limit, Random random) {
        for (int i = 0; i < limit && !stopped; i++) {
            String plan = FlakyHandler.PLANS[random.nextInt(FlakyHandler.PLANS.length)];
            HttpRequest request = HttpRequest.newBuilder(items)
                    .timeout(TIMEOUT)
                    .header("Authorization", "Bearer " + key)
                    .POST(HttpRequest.BodyPublishers.ofString(plan))
                    .build();
            try {
                switch (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode()) {
                    case 202 -> {
                        confirmed.incrementAndGet();
                        anyConfirmed.countDown();
                    }
                    case 503 -> unknown.incrementAndGet();
                    default -> refused.incrementAndGet();
                }
            } catch (ConnectException e) {
                return;
            } catch (IOException e) {
                unknown.incrementAndGet();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
