package io.spillway.router.feedback;

import io.spillway.core.ratelimit.RateShares;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.StartDelays;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Demands;
import io.spillway.kafka.view.StatusPublisher;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchange of measured demand between routers, twice a second, which divides each tenant's rate among them. Without
 * news for three seconds each router admits the whole rate; if Kafka is unreachable, no items are routed either.
 *
 * <p>Owner of its publisher and its view.
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
    private long lastMillis;

    public RateExchange(KafkaClients clients, Topics topics, String instance, RateShares shares, InstantSource clock) {
        this.instance = instance;
        this.shares = shares;
        this.clock = clock;
        this.demands = new Demands(clock);
        this.view = new CompactedView(clients, topics.demand(), demands, MAX_ROUTERS, Optional.empty(), clock);
        this.publisher = new StatusPublisher(clients, topics.demand(), instance);
    }

    /** Starts, and returns when the other routers' latest demand is read. */
    public void start(Duration timeout, StartDelays delays) {
        view.start(timeout);
        lastMillis = clock.millis();
        publisher.start(this::exchange, delays, PERIOD_MILLIS,
                reason -> LOG.warn("Rates cannot be divided among the routers; trying again: {}", reason));
    }

    /** Returns the number of live routers, this one included. */
    public int routers() {
        return 1 + demands.ofOthers(instance).size();
    }

    @Override
    public void close() {
        // The other routers take over this share at once.
        publisher.close();
        view.close();
    }

    private void exchange() {
        long nowMillis = clock.millis();
        long intervalMillis = Math.max(1, nowMillis - lastMillis);
        lastMillis = nowMillis;
        publisher.publish(demands.encode(instance, shares.endInterval(intervalMillis)));
        shares.divide(demands.ofOthers(instance));
    }
}
