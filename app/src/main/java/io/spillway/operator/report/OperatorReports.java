package io.spillway.operator.report;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.config.Configuration;
import io.spillway.config.SourceSettings;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the operator sees below {@code /admin}: backlogs of all tenants, their last hour, one tenant, and the instances.
 * Owner of the history and of the reads from Kafka. Thread-safe.
 */
public final class OperatorReports implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorReports.class);
    private static final String TENANTS = "/tenants/";
    /** Paths below the root of the API, for messages. */
    public static final List<String> PATHS = List.of("/depths", "/history", "/instances", TENANTS + "TENANT");
    private static final JsonMapper JSON = new JsonMapper();
    private static final long STATES_KEPT_MILLIS = 1_000;
    private static final long INSTANCES_KEPT_MILLIS = 3_000;

    private final Views views;
    private final Recent<DepthsQuery, ObjectNode> states = new Recent<>(STATES_KEPT_MILLIS);
    private final History history;
    private final TenantReport tenants;
    private final String version;
    private final OperatorReads reads;
    private final SortedMap<String, SourceSettings> sources;
    private final Topics topics;
    private final Recent<String, ObjectNode> lists = new Recent<>(INSTANCES_KEPT_MILLIS);
    private final ReentrantLock historyLock = new ReentrantLock();
    /** Guarded by {@link #historyLock}. */
    private Oldest oldest = Oldest.KNOWN;

    /** Whether the age of the oldest item can be read. What is denied is not asked again: brokers log each time. */
    private enum Oldest { KNOWN, UNKNOWN, DENIED }

    /**
     * Views of the gateway. All are followed by the caller.
     *
     * @param admittedShare part of a tenant's items that the gateway admits, 0 to 1
     */
    public record Views(
            TenantPolicies policies, Sweeps sweeps, Depths depths, LaneFlows flows,
            ToDoubleFunction<String> admittedShare) {}

    /**
     * Creates the reports of a gateway.
     *
     * @param reads   owned by the reports from here on
     * @param version version of this gateway
     * @param clock   wall clock, for the age of statuses
     */
    public OperatorReports(
            Configuration configuration, Views views, OperatorReads reads, String version, InstantSource clock) {
        this.sources = configuration.router().sourcesByName();
        this.topics = new Topics(configuration.queue());
        this.reads = reads;
        this.views = views;
        this.history = new History(views.depths());
        this.tenants = new TenantReport(
                configuration, views.policies(), views.sweeps(), views.depths(), views.admittedShare(), reads,
                clock);
        this.version = version;
    }

    /**
     * Returns the report at a path below {@code /admin}; empty if there is none.
     *
     * @param path  such as {@code /depths}
     * @param query parameters of the request by name
     * @throws IllegalArgumentException if a parameter has a wrong form
     * @throws KafkaFailure      if a report needs Kafka, which refuses or does not answer
     */
    public Optional<ObjectNode> get(String path, Map<String, String> query, long nowMillis) {
        return switch (path) {
            case "/depths" -> Optional.of(state(DepthsQuery.of(query), nowMillis));
            case "/history" -> Optional.of(history.json());
            case "/instances" -> Optional.of(lists.get(path, nowMillis, () ->
                    JSON.valueToTree(
                    Instances.read(topics, reads, reads.sources(sources, topics), version, nowMillis))));
            default -> tenant(path).map(name -> tenants.of(name, nowMillis));
        };
    }

    /** Returns the tenant that a path ends in, where a client may have percent-encoded any character. */
    private static Optional<String> tenant(String path) {
        if (!path.startsWith(TENANTS)) {
            return Optional.empty();
        }
        // A plus sign means a space in forms only.
        String name = path.substring(TENANTS.length()).replace("+", "%2B");
        return Optional.of(URLDecoder.decode(name, StandardCharsets.UTF_8)).filter(ItemLimits::isName);
    }

    private ObjectNode state(DepthsQuery query, long nowMillis) {
        return states.get(query, nowMillis, () -> JSON.valueToTree(QueueState.of(
                views.depths(), views.flows().byLane(), views.policies()::of, views.admittedShare()::applyAsDouble,
                query, nowMillis)));
    }

    /**
     * Adds a point to the history if one is due. May wait for Kafka for seconds; a call during another one returns at
     * once.
     */
    public void sample(long nowMillis) {
        if (!history.isDue(nowMillis) || !historyLock.tryLock()) {
            return;
        }
        try {
            history.add(history.isWaiting() ? oldestMillis() : OptionalLong.empty(), nowMillis);
        } finally {
            historyLock.unlock();
        }
    }

    /** Returns whether {@link #sample} would add a point now. */
    public boolean isSampleDue(long nowMillis) {
        return history.isDue(nowMillis);
    }

    private OptionalLong oldestMillis() {
        if (oldest == Oldest.DENIED) {
            return OptionalLong.empty();
        }
        try {
            Map<String, Long> millis = reads.oldestMillis(Lane.WORKED.stream()
                    .collect(Collectors.toMap(topics::lane, lane -> topics.workerGroup())));
            oldest = Oldest.KNOWN;
            return millis.values().stream().mapToLong(Long::longValue).min();
        } catch (KafkaFailure e) {
            boolean isDenied = KafkaFailure.isCausedBy(e, AuthorizationException.class);
            if (isDenied) {
                LOG.info("The console does not show the age of the oldest item: {}. Give the gateway's login the "
                        + "permissions of the operator, and restart it.", Printable.of(e.getMessage()));
            } else if (oldest == Oldest.KNOWN) {
                LOG.warn("The console cannot show the age of the oldest item: {}", Printable.of(e.getMessage()));
            }
            oldest = isDenied ? Oldest.DENIED : Oldest.UNKNOWN;
            return OptionalLong.empty();
        }
    }

    @Override
    public void close() {
        reads.close();
    }
}
