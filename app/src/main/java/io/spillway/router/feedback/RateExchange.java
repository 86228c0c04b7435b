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
 * Tells the other routers twice a second what this one is asked for, hears the same from them, and divides the rates by it.
 * When Kafka does not answer, the others are not heard and each admits the whole rate after three seconds: items that cannot
 * be routed either.
 *
 * <p>Owner of its announcer, its view and its thread.
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
    private final StatusPublisher announcer;
    private final ScheduledExecutorService thread;
    private long lastMillis;
    private boolean failed;

    public RateExchange(KafkaClients clients, Topics topics, String instance, RateShares shares, InstantSource clock) {
        this.instance = instance;
        this.shares = shares;
        this.clock = clock;
        this.demands = new Demands(clock);
        this.view = new CompactedView(clients, topics.demand(), demands, MAX_ROUTERS, Optional.empty(), clock);
        this.announcer = new StatusPublisher(clients, topics.demand(), instance);
        this.thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("router-rate-shares").factory());
    }

    /** Returns when it knows what the others told last. */
    public void start(Duration timeout) {
        view.start(timeout);
        lastMillis = clock.millis();
        thread.scheduleAtFixedRate(
                this::exchangeSafely, Math.floorMod(instance.hashCode(), PERIOD_MILLIS), PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Routers that live, this one too. */
    public int routers() {
        return 1 + demands.ofOthers(instance).size();
    }

    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (thread.awaitTermination(2, TimeUnit.SECONDS)) {
                // The others take over its part at once.
                announcer.takeBack();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        announcer.close();
        view.close();
    }

    /** One failure must not end the periodic work. */
    private void exchangeSafely() {
        try {
            long nowMillis = clock.millis();
            long intervalMillis = Math.max(1, nowMillis - lastMillis);
            lastMillis = nowMillis;
            Map<String, Double> demand = shares.endInterval(intervalMillis);
            announcer.say(demands.encode(instance, demand));
            shares.divide(demands.ofOthers(instance));
            failed = false;
        } catch (RuntimeException e) {
            if (!failed && !thread.isShutdown()) {
                LOG.warn("Rates cannot be divided among the routers: {}", Printable.of(e.getMessage()));
            }
            failed = true;
        }
    }
}
