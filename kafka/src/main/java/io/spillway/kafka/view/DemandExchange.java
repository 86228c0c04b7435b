package io.spillway.kafka.view;

import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.core.scheduling.MaxMinSlots.Demand;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchange of demand between the processes of one role, twice a second while there is any, which divides limits among
 * them: the routers the rates of the lanes, the gateways the rates of admission, and the workers concurrency. If Kafka
 * is unreachable, no items are accepted, routed or handled either.
 *
 * <p>Owner of its publisher and its view.
 */
public final class DemandExchange<D> implements AutoCloseable {
    /** Time for which a remainder of slots stays with the same workers. */
    static final long TURN_MILLIS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(DemandExchange.class);
    private static final long PERIOD_MILLIS = 500;
    /** A process without demand says so in every third period; the others take it for dead after six. */
    private static final int IDLE_PERIODS = 3;
    private static final int MAX_INSTANCES = 1_000;

    private final String member;
    private final BiFunction<String, Long, Map<String, D>> round;
    private final InstantSource clock;
    private final Demands<D> demands;
    private final CompactedView view;
    private final StatusPublisher publisher;
    private long lastMillis;

    private DemandExchange(
            KafkaClients clients, Topics topics, Demands<D> demands, String instance,
            BiFunction<String, Long, Map<String, D>> round, InstantSource clock) {
        this.member = demands.role().member(instance);
        this.round = round;
        this.clock = clock;
        this.demands = demands;
        this.view = new CompactedView(clients, topics.demand(), demands, MAX_INSTANCES, Optional.empty(), clock);
        this.publisher = new StatusPublisher(clients, topics.demand(), member);
    }

    /**
     * Creates the exchange that divides tenants' rates among the routers or the gateways. Without news for three
     * seconds each admits the whole rate.
     */
    public static DemandExchange<Double> ofRates(
            KafkaClients clients, Topics topics, Demands.Role role, String instance, ProportionalRates shares,
            InstantSource clock) {
        Demands<Double> demands = Demands.ofRates(role, clock);
        return new DemandExchange<>(clients, topics, demands, instance, (member, intervalMillis) -> {
            Map<String, Double> own = shares.endInterval(intervalMillis);
            shares.divide(demands.ofOthers(member));
            return own;
        }, clock);
    }

    /**
     * Creates the exchange that divides concurrency limits among the workers. All compute with the statuses in the
     * topic, their own included. A worker that does not receive its own status keeps its parts: it does not know
     * whether the others are gone.
     *
     * @param worker applies shares and returns the worker's demand by {@link MaxMinSlots#key}
     */
    public static DemandExchange<Demand> ofSlots(
            KafkaClients clients, Topics topics, String instance,
            Function<MaxMinSlots, Map<String, Demand>> worker, InstantSource clock) {
        Demands<Demand> demands = Demands.ofSlots(clock);
        return new DemandExchange<>(clients, topics, demands, instance, new BiFunction<>() {
            private Optional<MaxMinSlots> last = Optional.empty();

            @Override
            public Map<String, Demand> apply(String member, Long intervalMillis) {
                Map<String, Map<String, Demand>> all = demands.ofAll();
                if (last.isEmpty() || all.containsKey(member)) {
                    last = Optional.of(new MaxMinSlots(member, all, clock.millis() / TURN_MILLIS));
                }
                return MaxMinSlots.published(worker.apply(last.get()));
            }
        }, clock);
    }

    /** Starts; returns when the others' latest demand is read and applied. */
    public void start(Duration timeout, StartDelays delays) {
        view.start(timeout);
        lastMillis = clock.millis();
        exchange();
        publisher.start(this::exchange, delays, PERIOD_MILLIS, reason -> LOG.warn(
                "Limits cannot be divided among the {}; trying again: {}", demands.role().label(), reason));
    }

    /** Returns the number of live processes of the role, this one included. */
    public int processes() {
        return 1 + demands.ofOthers(member).size();
    }

    @Override
    public void close() {
        // The others take over these parts at once.
        publisher.close();
        view.close();
    }

    private void exchange() {
        long nowMillis = clock.millis();
        Map<String, D> own = round.apply(member, Math.max(1, nowMillis - lastMillis));
        lastMillis = nowMillis;
        publisher.publish(own.isEmpty(), IDLE_PERIODS, () -> demands.encode(member, own));
    }
}
