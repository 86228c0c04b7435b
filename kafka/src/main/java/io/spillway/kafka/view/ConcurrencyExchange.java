package io.spillway.kafka.view;

import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.core.scheduling.MaxMinSlots.Demand;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.StartDelays;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchange of demand between the workers, twice a second, which divides each concurrency limit among them. All compute
 * with the statuses in the topic, their own included. A worker that does not receive its own status keeps its parts: it
 * does not know whether the others are gone.
 *
 * <p>Owner of its publisher and its view.
 */
public final class ConcurrencyExchange implements AutoCloseable {
    /** Time for which a remainder of slots stays with the same workers. */
    static final long TURN_MILLIS = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(ConcurrencyExchange.class);
    private static final long PERIOD_MILLIS = 500;
    private static final int MAX_WORKERS = 1_000;

    private final String member;
    private final Function<MaxMinSlots, Map<String, Demand>> worker;
    private final InstantSource clock;
    private final SlotStatuses statuses;
    private final CompactedView view;
    private final StatusPublisher publisher;
    private Optional<MaxMinSlots> last = Optional.empty();

    /**
     * Creates the exchange of one worker.
     *
     * @param worker applies shares and returns the worker's demand by {@link MaxMinSlots#key}
     */
    public ConcurrencyExchange(
            KafkaClients clients, Topics topics, String name,
            Function<MaxMinSlots, Map<String, Demand>> worker, InstantSource clock) {
        this.member = Demands.Role.WORKER.member(name);
        this.worker = worker;
        this.clock = clock;
        this.statuses = new SlotStatuses(clock);
        this.view = new CompactedView(clients, topics.demand(), statuses, MAX_WORKERS, Optional.empty(), clock);
        this.publisher = new StatusPublisher(clients, topics.demand(), member);
    }

    /** Starts; returns when the others' latest demand is read and applied. */
    public void start(Duration timeout, StartDelays delays) {
        view.start(timeout);
        exchange();
        publisher.start(this::exchange, delays, PERIOD_MILLIS, reason -> LOG.warn(
                "Concurrency limits cannot be divided among the {}; trying again: {}",
                Demands.Role.WORKER.label(), reason));
    }

    @Override
    public void close() {
        // The others take over these slots at once.
        publisher.close();
        view.close();
    }

    private void exchange() {
        Map<String, Map<String, Demand>> all = statuses.ofAll();
        if (last.isEmpty() || all.containsKey(member)) {
            last = Optional.of(new MaxMinSlots(member, all, clock.millis() / TURN_MILLIS));
        }
        Map<String, Demand> demands = worker.apply(last.get());
        publisher.publish(demands.isEmpty(), RateExchange.IDLE_PERIODS,
                () -> statuses.encode(member, bounded(demands)));
    }

    private static Map<String, Demand> bounded(Map<String, Demand> demands) {
        if (demands.size() <= MaxMinSlots.MAX_PUBLISHED) {
            return demands;
        }
        return demands.entrySet().stream()
                .sorted(Map.Entry.<String, Demand>comparingByValue(Comparator.comparingInt(Demand::wanted).reversed())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MaxMinSlots.MAX_PUBLISHED)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
