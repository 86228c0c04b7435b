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
 * Callers of a gateway that may be killed beneath them, each one item after the other. Items are told apart by what the caller
 * knows of them: confirmed, and perhaps stored. Owns its threads; the counts are theirs.
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
     * Starts to call.
     *
     * @param gateway that is ready
     * @param key     of the tenant
     * @param most    items of each caller
     */
    GatewayCalls(SpillwayProcess gateway, String key, int most, long seed) {
        Matcher url = URL.matcher(gateway.readyLine());
        if (!url.find()) {
            throw new IllegalStateException("no gateway in " + gateway.readyLine());
        }
        URI items = URI.create(url.group(1) + "/v1/items");
        this.callers = IntStream.range(0, CALLERS)
                .mapToObj(caller -> Thread.ofVirtual().start(() -> call(items, key, most, new Random(seed + caller))))
                .toList();
    }

    /** Waits until an item is confirmed, so that there is something to lose. */
    void awaitConfirmed() throws InterruptedException {
        anyConfirmed.await();
    }

    /** Items that the gateway said Kafka has. After {@link #end}. */
    long confirmed() {
        return confirmed.get();
    }

    /** Items that may be stored or not. After {@link #end}. */
    long unknown() {
        return unknown.get();
    }

    /** Items that the gateway said it has not taken, for whatever reason. After {@link #end}. */
    long refused() {
        return refused.get();
    }

    /** Ends the callers. */
    void end() throws InterruptedException {
        stopped = true;
        for (Thread caller : callers) {
            caller.join();
        }
        client.close();
    }

    private void call(URI items, String key, int most, Random random) {
        for (int i = 0; i < most && !stopped; i++) {
            HttpRequest request = HttpRequest.newBuilder(items)
                    .timeout(TIMEOUT)
                    .header("Authorization", "Bearer " + key)
                    .POST(HttpRequest.BodyPublishers.ofString(FickleHandler.PLANS[random.nextInt(FickleHandler.PLANS.length)]))
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
