package io.spillway.operator.report;

import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reader of the {@link QueueState} for commands: follows the compacted topics of balances and policies, and asks the
 * cluster for the rest. It writes nothing, and commits nothing. Owner of its clients; used by one thread. Bound:
 * {@code router.maxTenants} tenants.
 */
public final class QueueReader implements AutoCloseable {
    /** Ages and members change slowly, and each reading costs the cluster some requests. */
    public static final long READ_EVERY_MILLIS = 3_000;
    /** Label of the ingress topic beside those of the lanes. */
    public static final String INGRESS = "ingress";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final KafkaClients clients;
    private final Configuration configuration;
    private final Topics topics;
    private final InstantSource clock;
    /** Ends of what is opened, the last one first. */
    private final Deque<Runnable> closes = new ArrayDeque<>();
    private final KafkaReads reads;
    private final TenantPolicies policies;
    private final Depths depths;
    private final LaneFlows flows;
    private final Recent<String, Readings> readings = new Recent<>(READ_EVERY_MILLIS);

    /**
     * Readings that are not in the balances.
     *
     * @param ingress      number of items in ingress that are not routed yet
     * @param ledgerBehind entries of the ledger that are not in the balances yet
     * @param oldestMillis age of the oldest first record by the label of the lane, when it was read
     */
    public record Readings(long ingress, long ledgerBehind, Map<String, Long> oldestMillis, Instances instances) {}

    /**
     * Reads the compacted topics, which takes a moment; throws {@code KafkaFailure} if one cannot be read.
     *
     * @param withPolicies whether to read the policies, which takes longer than the balances. Without them, whether a
     *                     tenant is late or paused is not known
     */
    public QueueReader(Configuration configuration, InstantSource clock, boolean withPolicies) {
        this.configuration = configuration;
        this.topics = new Topics(configuration.queue());
        this.clients = new KafkaClients(configuration.queue());
        this.clock = clock;
        this.reads = new KafkaReads(clients, clock);
        closes.push(reads::close);
        try {
            TenantPolicies defaults = new TenantPolicies(configuration.defaults());
            this.policies = withPolicies ? follow(topics.policies(), defaults) : defaults;
            this.depths = follow(topics.depths(), new Depths());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        this.flows = new LaneFlows(depths);
    }

    private <C extends ViewContent<?>> C follow(String topic, C content) {
        CompactedView view = new CompactedView(
                clients, topic, content, configuration.router().maxTenants(), Optional.empty(), clock);
        closes.push(view::close);
        view.start(PATIENCE);
        return content;
    }

    public TenantPolicies policies() {
        return policies;
    }

    public Depths depths() {
        return depths;
    }

    /** Returns the state now. The rates of the lanes are known from the second call on. */
    public QueueState state(DepthsQuery query) {
        long nowMillis = clock.millis();
        flows.sample(nowMillis);
        return QueueState.of(depths, flows.byLane(), policies::of, tenant -> null, query, nowMillis);
    }

    /** Returns the state of a tenant now; empty if it has no balance. */
    public Optional<QueueState.Tenant> tenant(String tenant) {
        return depths.of(tenant).map(depth ->
                QueueState.Tenant.of(tenant, depth, policies.of(tenant), null, clock.millis()));
    }

    /** Returns the last readings, or new ones if they are older than {@value #READ_EVERY_MILLIS} ms. */
    public Readings readings() {
        long nowMillis = clock.millis();
        return readings.get("", nowMillis, () -> read(nowMillis));
    }

    /** Returns the sources of the configuration, now. */
    public List<SourceState> sources() {
        return reads.sources(configuration.router().sourcesByName(), topics);
    }

    private Readings read(long nowMillis) {
        Map<String, String> groups = new HashMap<>(Map.of(topics.ingress(), topics.routerGroup()));
        Lane.WORKED.forEach(lane -> groups.put(topics.lane(lane), topics.workerGroup()));
        Map<String, Long> ages = new HashMap<>();
        reads.oldestMillis(groups).forEach((topic, millis) -> ages.put(
                Lane.WORKED.stream().filter(lane -> topics.lane(lane).equals(topic)).findFirst()
                        .map(Lane::label).orElse(INGRESS), nowMillis - millis));
        return new Readings(
                reads.behind(topics.ingress(), topics.routerGroup()),
                reads.behind(topics.ledger(), topics.routerGroup()), ages,
                Instances.read(topics, reads, List.of(), "", nowMillis));
    }

    @Override
    public void close() {
        while (!closes.isEmpty()) {
            closes.pop().run();
        }
    }
}
