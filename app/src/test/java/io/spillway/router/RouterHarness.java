package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.retry.UnreachableSubscriptions;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.routing.ItemRouter;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.periodic.ClockWatch;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.GrownLimits;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.delay.AttemptMailboxes;
import io.spillway.router.delay.DelayMetrics;
import io.spillway.router.delay.DelayProcessor;
import io.spillway.router.delay.DelayReader;
import io.spillway.router.delay.TimerStoreMemory;
import io.spillway.router.ledger.CommitRequester;
import io.spillway.router.ledger.FoldProcessor;
import io.spillway.router.ledger.LedgerGap;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.route.Decider;
import io.spillway.router.route.ItemDecider;
import io.spillway.router.route.LaneServices;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.route.RouterMetrics;
import io.spillway.router.route.ShardDemand;
import io.spillway.router.schedules.ScheduleProcessor;
import io.spillway.router.shards.ShardProcessor;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;

/** The router's topology without a broker, on a clock that is set. */
public final class RouterHarness implements AutoCloseable {
    static final Instant START = Instant.parse("2026-11-21T08:00:00Z");
    public static final long START_MILLIS = START.toEpochMilli();
    static final List<Lane> LANES = List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER);
    static final int MAX_TENANTS = 100;
    private static final RecordCodec<WorkItem> ITEMS = new RecordCodec<>(new WorkItem());

    /** Passes reports of attempts to the delay stage. */
    final AttemptMailboxes mailboxes = new AttemptMailboxes();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final Topics topics;
    TestInputTopic<byte[], byte[]> ingress;
    TestInputTopic<byte[], byte[]> delay;
    /** Recorder of the router's moves; its tasks and producer run on the test's own thread. */
    public LedgerRecorder recorder;
    /** Entries between the mark and the commit that a new fold task reads. */
    LedgerGap gap = (partition, from, reader) -> { };
    final Map<String, Integer> lowered = new HashMap<>();
    final LoweredLimits limits = new LoweredLimits(() -> lowered);
    /** The balances that the router sees. */
    final Depths depths = new Depths();
    DelayMetrics delays;
    RouterMetrics metrics;
    /** Protection of hot; tests call its look method. */
    final Fleet fleet;
    final List<ProducerRecord<byte[], byte[]>> offered = new ArrayList<>();
    private long nowMillis = START_MILLIS;
    private long nanoTime;
    private ClockWatch clockWatch;
    public final TenantPolicies policies;
    final Sweeps sweeps = new Sweeps();
    long enteredAtMillis = START_MILLIS;
    private final ShardAssignments assignments = new ShardAssignments();
    private final Configuration configuration;
    private final Path state = StateDirectory.create();
    private final UnaryOperator<Decider> wrap;
    private final Function<String, KeyValueBytesStoreSupplier> stores;
    private TopologyTestDriver driver;
    private final Map<Lane, TestOutputTopic<byte[], byte[]>> outputs = new EnumMap<>(Lane.class);

    public RouterHarness() {
        this(decider -> decider);
    }

    /** Creates a router whose deciders are wrapped to inject failures; its timers are in memory. */
    public RouterHarness(UnaryOperator<Decider> wrap) {
        this(wrap, Stores::inMemoryKeyValueStore, Map.of());
    }

    /** Creates a router with its production stores, which take longer to open. */
    static RouterHarness withRocksDb() {
        return withRocksDb(Map.of());
    }

    /** Creates a router with its production stores and further settings, by key. */
    static RouterHarness withRocksDb(Map<String, String> settings) {
        return new RouterHarness(decider -> decider, Stores::persistentKeyValueStore, settings);
    }

    /** Creates a router with further settings, by key. With a source, ingress is its topic. */
    public static RouterHarness configured(Map<String, String> settings) {
        return new RouterHarness(decider -> decider, Stores::inMemoryKeyValueStore, settings);
    }

    private RouterHarness(
            UnaryOperator<Decider> wrap, Function<String, KeyValueBytesStoreSupplier> stores, Map<String, String> own) {
        Map<String, String> settings = new HashMap<>(own);
        settings.putIfAbsent("topics.maxBytes", "20000");
        this.configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), settings);
        this.topics = new Topics(configuration.queue());
        this.fleet = new Fleet(configuration.router().protection(), topics.partitions());
        this.policies = new TenantPolicies(configuration.defaults());
        this.wrap = wrap;
        this.stores = stores;
        open();
    }

    private void open() {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "unused:1");
        properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, TimerStoreMemory.class);
        driver = new TopologyTestDriver(topology(), properties, Instant.ofEpochMilli(nowMillis));
        ingress = driver.createInputTopic(topics.ingress(), new ByteArraySerializer(), new ByteArraySerializer());
        delay = driver.createInputTopic(topics.lane(Lane.DELAY), new ByteArraySerializer(), new ByteArraySerializer());
        LANES.forEach(lane -> outputs.put(lane, driver.createOutputTopic(
                topics.lane(lane), new ByteArrayDeserializer(), new ByteArrayDeserializer())));
    }

    /** Replaces the router by a new one, whose timer store is restored; offsets begin at 0 again. */
    void restart() {
        Map<Bytes, byte[]> stored = new HashMap<>();
        try (KeyValueIterator<Bytes, byte[]> all = timers().all()) {
            all.forEachRemaining(each -> stored.put(each.key, each.value));
        }
        driver.close();
        registry.clear();
        open();
        stored.forEach(timers()::put);
    }

    private Topology topology() {
        metrics = new RouterMetrics(registry, 2);
        recorder = new LedgerRecorder(topics);
        CommitRequester requester = new CommitRequester(configuration.router().commitInterval(), System::nanoTime);
        InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
        clockWatch = new ClockWatch("Router", clock, () -> nanoTime);
        delays = new DelayMetrics(registry, 2, topics.partitions(), clock);
        ItemSchemas schemas = ItemSchemas.load();
        PlacementView placements = new PlacementView(configuration.queue(), policies, assignments);
        ShardDemand demand = new ShardDemand(placements, assignments);
        ItemEnds ends = new ItemEnds(sweeps::coveredBeforeMillis, ItemEnds.NO_FAILURES, clockWatch::aheadMillis);
        ItemRouter rules = new ItemRouter(ends, new GrownLimits(depths, MAX_TENANTS)::ofLanes, new RateTable(1_000),
                new ItemPlacement(fleet, placements));
        LaneServices services = new LaneServices(topics, limits, metrics, recorder, requester,
                (to, at, k, v, its) -> offered.add(new ProducerRecord<>("hot", to, at, k, v, its)),
                new UnreachableSubscriptions(), name -> policies.of(name).isTracked(),
                configuration.router().sourcesByName().keySet().stream().findFirst());
        ItemReader ingressReader = new ItemReader(schemas, topics.ingressMaxBytes(), ItemLimits.MAX_HEADERS,
                configuration.router().maxHeaderBytes());
        ItemReader delayed = new ItemReader(schemas, topics.delayedMaxBytes(), ItemLimits.MAX_LANE_HEADERS,
                configuration.router().maxDelayedHeaderBytes());
        int count = topics.partitions();
        Decider fresh = wrap.apply(new ItemDecider(ingressReader, policies, sweeps, rules, metrics, count, false));
        Decider due = wrap.apply(new ItemDecider(delayed, policies, sweeps, rules, metrics, count, true));
        RouterTopology.Processors processors = new RouterTopology.Processors(
                () -> new RouteProcessor(topics.ingress(), services, fresh, demand),
                () -> new DelayProcessor(services, new DelayReader(delayed), due, new DelayProcessor.Rules(
                        configuration.retry(), policies::of, ends, mailboxes), delays, 1, clock),
                () -> new FoldProcessor(gap, tenant -> policies.of(tenant).growth(), 1_000_000_000L),
                () -> new ShardProcessor(placements.capacity(), MAX_TENANTS),
                () -> new ScheduleProcessor(topics, placements, policies, registry));
        return RouterTopology.build(topics, processors, stores);
    }

    /** Sends a request to the shard stage. */
    void ask(String tenant, ShardRequest request) {
        driver.createInputTopic(topics.shardRequests(), new ByteArraySerializer(), new ByteArraySerializer())
                .pipeInput(tenant.getBytes(StandardCharsets.UTF_8), request.encode());
    }

    /**
     * Returns the shard stage's answers since the last call, in order, after the router's view has applied them. A
     * tombstone is empty.
     */
    List<Map.Entry<String, Optional<ShardAssignment>>> takeAnswers() {
        List<Map.Entry<String, Optional<ShardAssignment>>> answers = new ArrayList<>();
        for (TestRecord<byte[], byte[]> record : driver
                .createOutputTopic(topics.shards(), new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList()) {
            String tenant = new String(record.key(), StandardCharsets.UTF_8);
            if (record.value() == null) {
                assignments.remove(tenant);
            } else {
                assignments.put(tenant, record.value());
            }
            answers.add(Map.entry(tenant, assignments.answer(tenant)));
        }
        return answers;
    }

    /** Returns the store of the shard stage. */
    KeyValueStore<Bytes, byte[]> shardStore() {
        return driver.getKeyValueStore(Topics.SHARD_STORE);
    }

    public static byte[] item(String tenant, long enqueuedAtMillis) {
        return item(tenant, "id-1", enqueuedAtMillis, "");
    }

    public static byte[] item(String tenant, String id, long enqueuedAtMillis, String workload) {
        return ITEMS.encode(new WorkItem(tenant, id, Instant.ofEpochMilli(enqueuedAtMillis), workload, "web",
                "text/plain", Map.of("a", "b"), ByteBuffer.wrap("payload".getBytes(StandardCharsets.UTF_8))));
    }

    public static Headers headers(String... namesAndValues) {
        RecordHeaders headers = new RecordHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        return headers;
    }

    static String header(TestRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    public void set(String tenant, PolicyField field, String value) {
        policies.put(tenant, TenantPolicies.encode(tenant, PolicySettings.NONE_SET.with(field, value)));
    }

    void sweep(String tenant, long startedAtMillis, long completedAtMillis) {
        sweeps.put(tenant, Sweeps.encode(tenant, "sweep-1", new Sweep(startedAtMillis, completedAtMillis)));
    }

    public void send(byte[] value) {
        send(value, new RecordHeaders());
    }

    public void send(byte[] value, Headers headers) {
        ingress.pipeInput(new TestRecord<>("key".getBytes(StandardCharsets.UTF_8), value, headers, enteredAtMillis));
    }

    /** Writes a record to the delay lane. */
    public void sendDelayed(byte[] value, Headers headers) {
        delay.pipeInput(new TestRecord<>("key".getBytes(StandardCharsets.UTF_8), value, headers, enteredAtMillis));
    }

    /** Returns the timer store. */
    KeyValueStore<Bytes, byte[]> timers() {
        return driver.getKeyValueStore(Topics.TIMER_STORE);
    }

    /** Moves the local clock forward, as a wrong time server does; no time passes. */
    void stepClock(Duration step) {
        nowMillis += step.toMillis();
        clockWatch.aheadMillis();
        driver.advanceWallClockTime(step);
    }

    long nowMillis() {
        return nowMillis;
    }

    public void advance(Duration time) {
        nanoTime += time.toNanos();
        stepClock(time);
    }

    /** Returns the finished items that are recorded; only with {@code topics.trail}. */
    List<TestRecord<byte[], byte[]>> trail() {
        return driver.createOutputTopic(topics.trail(), new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
    }

    List<TestRecord<byte[], byte[]>> take(Lane lane) {
        return outputs.get(lane).readRecordsToList();
    }

    /** Returns the only record in a lane and checks that the other lanes are empty. */
    TestRecord<byte[], byte[]> only(Lane lane) {
        TestRecord<byte[], byte[]> found = null;
        for (Lane each : LANES) {
            List<TestRecord<byte[], byte[]>> records = take(each);
            assertThat(records).as("in %s; wanted one in %s", each, lane).hasSize(each == lane ? 1 : 0);
            found = each == lane ? records.getFirst() : found;
        }
        return found;
    }

    double count(String metric, String tag, String value) {
        return registry.get(metric).tag(tag, value).counter().count();
    }

    double dropped() {
        return registry.get("spillway.dropped").counters().stream().mapToDouble(counter -> counter.count()).sum();
    }

    @Override
    public void close() {
        driver.close();
        StateDirectory.delete(state);
    }
}
