package io.spillway.router.feedback;

import io.spillway.core.item.Printable;
import io.spillway.core.ratelimit.RateShares;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Demands;
import io.spillway.kafka.view.StatusPublisher;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchange of measured demand between routers, twice a second, which divides each tenant's rate among them. Without
 * news for three seconds each router admits the whole rate; if Kafka is unreachable, no items are routed either.
 *
 * <p>Owner of its publisher, its view and its thread.
 */
public final class RateExchange implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RateExchange.class);
    private static final long PERIOD_MILLIS = 500;
    private static final int MAX_ROUTERS = 1_000;

    private final String instance;
    private final RateShares shares;
    private final InstantSource clock;
    private final Demands demands;
    private final CompactedView view;
    private final StatusPublisher publisher;
    private final ScheduledExecutorService thread;
    private long lastMillis;
    private boolean failed;

    public RateExchange(KafkaClients clients, Topics topics, String instance, RateShares shares, InstantSource clock) {
        this.instance = instance;
        this.shares = shares;
        this.clock = clock;
        this.demands = new Demands(clock);
        this.view = new CompactedView(clients, topics.demand(), demands, MAX_ROUTERS, Optional.empty(), clock);
        this.publisher = new StatusPublisher(clients, topics.demand(), instance);
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("router-rate-shares").factory());
    }

    /** Starts, and returns when the other routers' latest demand is read. */
    public void start(Duration timeout) {
        view.start(timeout);
        lastMillis = clock.millis();
        thread.scheduleAtFixedRate(
                this::exchange, Math.floorMod(instance.hashCode(), PERIOD_MILLIS), PERIOD_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Returns the number of live routers, this one included. */
    public int routers() {
        return 1 + demands.ofOthers(instance).size();
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (thread.awaitTermination(2, TimeUnit.SECONDS)) {
                // The other routers take over this share at once.
                publisher.takeBack();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        publisher.close();
        view.close();
    }

    /** Catches failures because one must not end the periodic work. */
    private void exchange() {
        try {
            long nowMillis = clock.millis();
            long intervalMillis = Math.max(1, nowMillis - lastMillis);
            lastMillis = nowMillis;
            Map<String, Double> demand = shares.endInterval(intervalMillis);
            publisher.say(demands.encode(instance, demand));
            shares.divide(demands.ofOthers(instance));
            failed = false;
        } catch (RuntimeException e) {
            if (!failed && !thread.isShutdown()) {
                LOG.warn("Rates cannot be divided among the routers; trying again: {}", Printable.of(e.getMessage()));
            }
            failed = true;
        }
    }
}
