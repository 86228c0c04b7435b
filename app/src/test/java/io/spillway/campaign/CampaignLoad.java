package io.spillway.campaign;

import io.spillway.producer.ItemBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Items of many tenants, through gateway and producer in turn, until it is stopped. Remembers of each item whether it
 * was accepted. Each tenant has a thread of its own and is drawn from the seed. Owner of its clients and threads.
 */
final class CampaignLoad implements AutoCloseable {
    static final int TENANTS = 32;
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final long MEAN_GAP_NANOS = 200_000_000;
    private static final int FLOOD = 300;
    private static final int ORDER_KEYS = 20;
    /** Later items of a tenant do not always fail, kill or hang, so that a run does not wait long for its end. */
    private static final int LAST_TROUBLE = 300;

    private static final List<String> KILLERS = List.of("halt", "memory", "heap");

    /** What a tenant's items are like. The first tenants have these kinds, all others are steady. */
    enum Kind {
        FLOODING, FLAKY, SLOW, POISONED, REFUSED, KILLING, HANGING, SCHEDULED, SWEPT, PAUSED, ISOLATED, LASTING,
        ORDERED, STEADY
    }

    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Producer<byte[], byte[]> producer;
    private final String ingress;
    private final URI gateway;
    private final Map<String, String> keys;
    private final long meanGapNanos;
    private final List<Thread> senders = new ArrayList<>();
    private volatile boolean stopped;

    /**
     * Starts to send.
     *
     * @param bootstrapServers that have no faulty network
     * @param gateway          address of the gateway
     * @param keys             API key by tenant, for those who send through the gateway
     */
    CampaignLoad(String bootstrapServers, String ingress, URI gateway, Map<String, String> keys, long seed) {
        this(bootstrapServers, ingress, gateway, keys, seed, MEAN_GAP_NANOS);
    }

    /** As the other, with another mean time between two items, or bursts, of a tenant. */
    CampaignLoad(
            String bootstrapServers, String ingress, URI gateway, Map<String, String> keys, long seed,
            long meanGapNanos) {
        this.meanGapNanos = meanGapNanos;
        this.producer = new KafkaProducer<>(
                // As producers.md tells: with more requests in flight, a batch may be stored twice after a time-out.
                Map.of("bootstrap.servers", bootstrapServers, "linger.ms", "5", "delivery.timeout.ms", "120000",
                        "max.in.flight.requests.per.connection", "1"),
                new ByteArraySerializer(), new ByteArraySerializer());
        this.ingress = ingress;
        this.gateway = gateway.resolve("/v1/items");
        this.keys = Map.copyOf(keys);
        for (int i = 0; i < TENANTS; i++) {
            int tenant = i;
            SplittableRandom random = new SplittableRandom(seed * 31 + tenant);
            senders.add(Thread.ofVirtual().start(() -> send(tenant, random)));
        }
    }

    static String tenant(int index) {
        return kind(index).name().toLowerCase(Locale.ROOT) + "-" + index;
    }

    static Kind kind(int index) {
        return Kind.values()[Math.min(index, Kind.values().length - 1)];
    }

    private void send(int index, SplittableRandom random) {
        String tenant = tenant(index);
        Kind kind = kind(index);
        int number = 0;
        while (!stopped) {
            int burst = kind == Kind.FLOODING && random.nextInt(100) == 0 ? FLOOD : kind == Kind.ORDERED ? 4 : 1;
            for (int i = 0; i < burst && !stopped; i++) {
                String id = kind == Kind.ORDERED ? "k" + random.nextInt(ORDER_KEYS) + "." + number++ : "i" + number++;
                if (burst == 1 && kind != Kind.ORDERED && keys.containsKey(tenant) && random.nextBoolean()) {
                    byHttp(tenant, id, payload(kind, random, number));
                } else {
                    byProducer(tenant, id, kind, payload(kind, random, number));
                }
            }
            LockSupport.parkNanos((long) (-meanGapNanos * Math.log(1 - random.nextDouble())));
        }
    }

    private static String payload(Kind kind, SplittableRandom random, int number) {
        return switch (kind) {
            // Both retries fail first, and those with fewer attempts go first: without later successes that earn
            // retries, more than a hundred of these would go once a minute and partition.
            case FLAKY -> random.nextInt(3) == 0 && number < LAST_TROUBLE ? "flaky" : "ok";
            case SLOW -> "200";
            case ORDERED -> "ordered " + random.nextInt(1, 20);
            case LASTING -> random.nextInt(20) == 0 ? "lasting " + random.nextInt(6_000, 20_000) : "ok";
            case POISONED -> random.nextInt(60) == 0 && number < LAST_TROUBLE ? "poison" : "ok";
            case REFUSED -> random.nextInt(10) == 0 ? "dead" : "ok";
            // Each costs six starts of workers, in which everything else waits: one in most runs.
            case KILLING -> number == 100 || number == 200 && random.nextInt(3) == 0
                    ? KILLERS.get(random.nextInt(KILLERS.size())) : "ok";
            case HANGING -> number == 50 ? "never" : number % 100 == 0 && number < LAST_TROUBLE ? "hang" : "ok";
            default -> "ok";
        };
    }

    private void byProducer(String tenant, String id, Kind kind, String payload) {
        ItemBuilder item = ItemBuilder.of(tenant).id(id).payload(payload.getBytes(StandardCharsets.UTF_8));
        if (kind == Kind.ORDERED) {
            item.orderKey(id.substring(0, id.indexOf('.')));
        }
        if (kind == Kind.SCHEDULED) {
            Instant now = Instant.now();
            item.deliverAt(now.plusSeconds(10), now);
        }
        String name = tenant + "/" + id;
        unknown.add(name);
        producer.send(item.toRecord(ingress), (stored, failure) -> {
            if (failure == null) {
                confirmed(name);
            }
        });
    }

    private void confirmed(String name) {
        accepted.add(name);
        unknown.remove(name);
    }

    private void byHttp(String tenant, String id, String payload) {
        HttpRequest request = HttpRequest.newBuilder(gateway).timeout(TIMEOUT)
                .header("Authorization", "Bearer " + keys.get(tenant)).header("Idempotency-Key", id)
                .POST(HttpRequest.BodyPublishers.ofString(payload)).build();
        String name = tenant + "/" + id;
        unknown.add(name);
        try {
            int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status == 202) {
                confirmed(name);
            } else if (status != 503) {
                unknown.remove(name);
            }
        } catch (IOException e) {
            // Perhaps it was stored.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the load, and waits for the answers to what was sent. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Thread sender : senders) {
            sender.join();
        }
        producer.flush();
    }

    /** Returns the items that were confirmed, {@code TENANT/ID}; complete after {@link #stop}. */
    Set<String> accepted() {
        return Set.copyOf(accepted);
    }

    /** Returns the items of which nobody knows whether they are stored. */
    Set<String> unknown() {
        return Set.copyOf(unknown);
    }

    @Override
    public void close() {
        stopped = true;
        try {
            for (Thread sender : senders) {
                sender.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close(Duration.ofSeconds(10));
        http.shutdownNow();
    }
}
