package io.spillway.kafka.view;

import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.StartDelays;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchange of measured demand between the processes of one role, twice a second while there is any, which divides each
 * tenant's rate among them: the routers for the rates of the lanes, and the gateways for the rates of admission.
 * Without news for three seconds each process admits the whole rate; if Kafka is unreachable, no items are routed or
 * accepted either.
 *
 * <p>Owner of its publisher and its view.
 */
public final class RateExchange implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RateExchange.class);
    private static final long PERIOD_MILLIS = 500;
    /** A process without demand says so in every third period; the others take it for dead after six. */
    static final int IDLE_PERIODS = 3;
    private static final int MAX_INSTANCES = 1_000;

    private final Demands.Role role;
    private final String member;
    private final ProportionalRates shares;
    private final InstantSource clock;
    private final Demands demands;
    private final CompactedView view;
    private final StatusPublisher publisher;
    private long lastMillis;

    /** Creates the exchange of one process of a role; its name is that of the instance. */
    public RateExchange(
            KafkaClients clients, Topics topics, Demands.Role role, String instance, ProportionalRates shares,
            InstantSource clock) {
        this.role = role;
        this.member = role.member(instance);
        this.shares = shares;
        this.clock = clock;
        this.demands = new Demands(role, clock);
        this.view = new CompactedView(clients, topics.demand(), demands, MAX_INSTANCES, Optional.empty(), clock);
        this.publisher = new StatusPublisher(clients, topics.demand(), member);
    }

    /** Starts, and returns when the others' latest demand is read. */
    public void start(Duration timeout, StartDelays delays) {
        view.start(timeout);
        lastMillis = clock.millis();
        publisher.start(this::exchange, delays, PERIOD_MILLIS,
                reason -> LOG.warn("Rates cannot be divided among the {}; trying again: {}", role.label(), reason));
    }

    /** Returns the number of live processes of the role, this one included. */
    public int processes() {
        return 1 + demands.ofOthers(member).size();
    }

    @Override
    public void close() {
        // The others take over this share at once.
        publisher.close();
        view.close();
    }

    private void exchange() {
        long nowMillis = clock.millis();
        long intervalMillis = Math.max(1, nowMillis - lastMillis);
        lastMillis = nowMillis;
        Map<String, Double> demand = shares.endInterval(intervalMillis);
        publisher.publish(demand.isEmpty(), IDLE_PERIODS, () -> demands.encode(member, demand));
        shares.divide(demands.ofOthers(member));
    }
}
