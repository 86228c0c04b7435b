package io.spillway.router;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.SourceSettings;
import io.spillway.core.overload.DiskRoom;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.periodic.StartDelays;
import io.spillway.kafka.topics.InitialOffsets;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.SourceTopic;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.ledger.StuckTransactionDetector;
import io.spillway.router.route.Decider;
import io.spillway.router.route.EarlyStart;
import io.spillway.router.route.LaneServices;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.route.ShardDemand;
import io.spillway.router.source.SourceDecider;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;

/** The sources of a router, by its configuration. */
final class Sources implements AutoCloseable {
    private final List<SourceRouter> all;

    /**
     * Creates sources that {@link #start} starts.
     *
     * @param services of the router's own stages
     * @param fresh    decides on a record of ingress
     */
    Sources(
            Configuration configuration, String instance, Path stateDirectory, KafkaClients clients,
            QueueAdmin queueAdmin, Admin admin, LaneServices services, Decider fresh, ShardDemand demand,
            InstantSource clock, StuckTransactionDetector stuckTransactions, MeterRegistry registry) {
        Topics topics = services.topics();
        InitialOffsets offsets = new InitialOffsets(clients, queueAdmin, topics, clock, RouterException::new);
        this.all = configuration.router().sourcesByName().entrySet().stream().map(entry -> {
            SourceSettings source = entry.getValue();
            String group = topics.sourceGroup(entry.getKey());
            // Its records have the times of their producers, which do not tell whether an item was moved before.
            LaneServices afterCommit = new LaneServices(topics, services.limits(), services.metrics(),
                    services.recorder(), services.commitRequester(), EarlyStart.NEVER, services.unreachable(),
                    services.tracked(), Optional.of(entry.getKey()));
            Decider decider = counted(decider(entry.getKey(), source, fresh), entry.getKey(), registry);
            Supplier<KafkaStreams> client = () -> new KafkaStreams(
                    RouterTopology.build(topics, source.topic(),
                            () -> new RouteProcessor(source.topic(), afterCommit, decider, demand)),
                    new StreamsConfig(StreamsProperties.of(
                            configuration, clients, topics, group, instance, stateDirectory)),
                    new RouterClients(services.recorder(), clock, stuckTransactions, services.commitRequester(), true));
            return new SourceRouter(entry.getKey(), source, group, new SourceTopic(admin, source.topic()), queueAdmin,
                    offsets, client, registry);
        }).toList();
    }

    private static Decider decider(String name, SourceSettings source, Decider fresh) {
        try {
            return new SourceDecider(source, fresh);
        } catch (InvalidSettingException e) {
            throw new InvalidSettingException(SourceSettings.KEY + "." + name + "." + e.getMessage());
        }
    }

    private static Decider counted(Decider decider, String name, MeterRegistry registry) {
        Counter records = Counter.builder("spillway.source.records").tag("source", name)
                .description("Records of a source that were read, again after a transaction that was aborted")
                .register(registry);
        return (record, nowMillis) -> {
            records.increment();
            return decider.decide(record, nowMillis);
        };
    }

    void start(StartDelays delays) {
        all.forEach(source -> source.start(delays));
    }

    /** Accepts nothing while a disk has little room. */
    void follow(DiskRoom room) {
        all.forEach(source -> source.follow(room));
    }

    @Override
    public void close() {
        all.forEach(SourceRouter::close);
    }
}
