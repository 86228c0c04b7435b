package io.spillway.kafka.topics;

import io.spillway.core.item.Lane;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;

/** Names and required state of all topics, consumer groups and application ids of one queue. */
public final class Topics {
    /** Most bytes that routing adds to a record as headers. Lanes accept this much more than ingress. */
    public static final int LANE_HEADROOM_BYTES = 64 * 1024;
    /** Most bytes that routing and dead-lettering add to a record. */
    public static final int DEAD_LETTER_HEADROOM_BYTES = 128 * 1024;

    /** The router's store of timers: one partition for each partition of the delay lane. */
    public static final String TIMER_STORE = "timers";
    /** The router's store of tenants' balances. */
    public static final String BALANCE_STORE = "books";
    /**
     * Partitions of the ledger. One consumer sums millions of lines a second, so a few partitions serve any number of
     * routers. A tenant's partition follows from the hash of its name, so the number is fixed.
     */
    public static final int LEDGER_PARTITIONS = 4;
    /** The router's store of assigned shards. */
    public static final String SHARD_STORE = "shards";
    /** The router's store of schedules and their progress. */
    public static final String SCHEDULE_STORE = "schedules";
    /**
     * How long compacted topics keep the removal of a key. A reader that misses a removal would keep the key, so a
     * {@code CompactedView} reads the topic again when it could have missed one. A copy of the timers that misses one
     * would fire the timer again: it has almost so long to catch up, and a router discards one that was left long ago.
     */
    public static final long REMOVAL_KEPT_MILLIS = 24 * 60 * 60 * 1000;

    /** Purged records stay on disk until their segment is full: up to this much, or two records, for each partition. */
    private static final int QUEUE_SEGMENT_BYTES = 64 * 1024 * 1024;
    /** Only closed segments are compacted, so a start or a restore reads about this much obsolete data. */
    private static final int COMPACTED_SEGMENT_BYTES = 16 * 1024 * 1024;
    private static final String COMPACTED_SEGMENT_MILLIS = "600000";
    /** Entries have up to 64 KiB, and a batch holds several. */
    private static final int LEDGER_ENTRY_BYTES = 1024 * 1024;
    /** A request holds a tenant, a short text and framing, and a batch holds many. */
    private static final int SHARD_REQUEST_BYTES = 1024 * 1024;

    private final String prefix;
    /** Asked for with each item. */
    private final String ingress;
    private final Map<Lane, String> lanes = new EnumMap<>(Lane.class);
    private final TopicSettings settings;
    private final boolean assignsShards;

    /** Declares the topics of a queue. */
    public Topics(QueueSettings queue) {
        this.prefix = queue.kafka().prefix();
        this.ingress = prefix + ".ingress";
        for (Lane lane : Lane.values()) {
            lanes.put(lane, prefix + "." + lane.label());
        }
        this.settings = queue.topics();
        this.assignsShards = queue.shards().overlap().isPresent();
    }

    /** Returns the topic that producers write to. */
    public String ingress() {
        return ingress;
    }

    /** Returns the topic of a lane. */
    public String lane(Lane lane) {
        return lanes.get(lane);
    }

    /** Returns the number of partitions of ingress and of every lane. */
    public int partitions() {
        return settings.partitions();
    }

    /** Returns the compacted topic of tenants' policies, by tenant. */
    public String policies() {
        return prefix + ".policies";
    }

    /** Returns the compacted topic of API keys' hashes, by key id. */
    public String keys() {
        return prefix + ".keys";
    }

    /** Returns the compacted topic of completed sweeps, by tenant. */
    public String sweeps() {
        return prefix + ".sweeps";
    }

    /** Returns the compacted topic of assigned shards, by tenant. */
    public String shards() {
        return prefix + ".shards";
    }

    /** Returns the compacted topic of schedules, by tenant and name. One partition, so that one task keeps it. */
    public String schedules() {
        return prefix + ".schedules";
    }

    /** Returns the changelog of the schedule stage's store; Kafka Streams derives the same name. */
    public String schedulesChangelog() {
        return routerGroup() + "-" + SCHEDULE_STORE + "-changelog";
    }

    /** Returns whether shards are assigned, in which case {@link #shardRequests} and {@link #shardsChangelog} exist. */
    public boolean assignsShards() {
        return assignsShards;
    }

    /** Returns the topic of requests to the shard stage, by tenant. One partition, so that one task keeps it. */
    public String shardRequests() {
        return prefix + ".shard-requests";
    }

    /** Returns the topic of finished items, one record each, in one partition. */
    public String trail() {
        return prefix + ".trail";
    }

    /** Returns the topic of the action log: what operators did, kept for 90 days. */
    public String actions() {
        return prefix + ".actions";
    }

    /** Returns whether finished items are recorded, in which case {@link #trail} exists. */
    public boolean keepsTrail() {
        return !settings.trailKept().isZero();
    }

    /** Returns the topic of the ledger: all moves of items, summed by tenant and transaction. */
    public String ledger() {
        return prefix + ".ledger";
    }

    /** Returns the compacted topic of tenants' balances, which the router computes from the ledger, by tenant. */
    public String depths() {
        return prefix + ".depths";
    }

    /** Returns the ledger's partition of a tenant. The Java specification defines the hash. */
    public static int ledgerPartition(String tenant) {
        int hash = tenant.hashCode();
        // The low bits alone depend mostly on the last letters.
        return Math.floorMod(hash ^ hash >>> 16, LEDGER_PARTITIONS);
    }

    /** Returns the changelog of the store of tenants' balances; Kafka Streams derives the same name. */
    public String balancesChangelog() {
        return routerGroup() + "-" + BALANCE_STORE + "-changelog";
    }

    /** Returns the settings of a compacted topic, such as {@link #balancesChangelog} and {@link #shardsChangelog}. */
    public Map<String, String> compactedConfigs() {
        return compacted(TopicConfig.CLEANUP_POLICY_COMPACT, COMPACTED_SEGMENT_BYTES, Map.of(
                TopicConfig.DELETE_RETENTION_MS_CONFIG, Long.toString(REMOVAL_KEPT_MILLIS)));
    }

    /** Returns the topic of recent demand at each router, by instance: compacted, kept for one hour. */
    public String demand() {
        return prefix + ".demand";
    }

    /** Returns the topic of workers' statuses of the hot lane, by worker: compacted, kept for one hour. */
    public String laneState() {
        return prefix + ".lane-state";
    }

    /** Returns the topic of the workers' reports of their attempts: one partition, kept for ten minutes. */
    public String attempts() {
        return prefix + ".attempts";
    }

    /** Returns the topic of tenants' durations and timeouts in each worker, by worker: compacted, kept for one hour. */
    public String timeouts() {
        return prefix + ".timeouts";
    }

    /** Returns the changelog of the shard stage's store; Kafka Streams derives the same name. */
    public String shardsChangelog() {
        return routerGroup() + "-" + SHARD_STORE + "-changelog";
    }

    /** Returns the changelog of the timers of the delay lane; Kafka Streams derives the same name. */
    public String timersChangelog() {
        return routerGroup() + "-" + TIMER_STORE + "-changelog";
    }

    /** Returns the application id and consumer group of the router. */
    public String routerGroup() {
        return prefix + ".router";
    }

    /** Returns the application id and group of a source. ACLs for transactions of the router include it. */
    public String sourceGroup(String source) {
        return routerGroup() + "-source-" + source;
    }

    /** Returns the consumer group of the workers. */
    public String workerGroup() {
        return prefix + ".worker";
    }

    /** Returns the group of finished dead letters, also the transactional id of replays, so that only one runs. */
    public String replayGroup() {
        return prefix + ".replay";
    }

    /** Returns the size limit of a record in ingress, in bytes. */
    public int ingressMaxBytes() {
        return settings.maxBytes();
    }

    /** Returns the size limit of a record in a lane, in bytes. */
    public int laneMaxBytes() {
        return settings.maxBytes() + LANE_HEADROOM_BYTES;
    }

    /**
     * Returns the size limit for the reader of the delay lane, in bytes. Every item with its headers is below it, and a
     * record of this size still fits into a lane after its headers are sorted. Larger records are dead-lettered.
     */
    public int delayedMaxBytes() {
        return settings.maxBytes() + LANE_HEADROOM_BYTES / 2;
    }

    /** Returns the size limit of a dead letter, in bytes: any record of ingress fits, with added headers. */
    public int deadLetterMaxBytes() {
        return settings.maxBytes() + DEAD_LETTER_HEADROOM_BYTES;
    }

    /** Returns the required state of every topic. */
    public List<TopicSpec> all() {
        List<TopicSpec> specs = new ArrayList<>();
        // Topics that the router reads are stored uncompressed, so that the size limit also holds in its memory.
        specs.add(queue(ingress(), partitions(), ingressMaxBytes(), "uncompressed", "LogAppendTime"));
        for (Lane lane : Lane.values()) {
            specs.add(queue(
                    lane(lane), partitions(), lane == Lane.DEAD_LETTER ? deadLetterMaxBytes() : laneMaxBytes(),
                    lane == Lane.DELAY ? "uncompressed" : "producer"));
        }
        specs.add(spec(timersChangelog(), partitions(), timersChangelogConfigs()));
        specs.add(queue(ledger(), LEDGER_PARTITIONS, LEDGER_ENTRY_BYTES, "producer"));
        specs.add(spec(balancesChangelog(), LEDGER_PARTITIONS, compactedConfigs()));
        for (String name : List.of(
                policies(), keys(), sweeps(), shards(), depths(), schedules(), schedulesChangelog())) {
            specs.add(spec(name, 1, compactedConfigs()));
        }
        specs.add(status(demand()));
        specs.add(status(laneState()));
        specs.add(spec(attempts(), 1, durable(EventTopics.attempts())));
        specs.add(status(timeouts()));
        specs.add(spec(actions(), 1, durable(EventTopics.actions())));
        if (assignsShards) {
            specs.add(queue(shardRequests(), 1, SHARD_REQUEST_BYTES, "producer"));
            specs.add(spec(shardsChangelog(), 1, compactedConfigs()));
        }
        if (keepsTrail()) {
            specs.add(spec(trail(), 1, durable(EventTopics.trail(settings.trailKept().toMillis()))));
        }
        return specs;
    }

    /** Returns the topic settings of {@link #timersChangelog}. */
    public Map<String, String> timersChangelogConfigs() {
        // A timer holds the largest record of the delay lane, with its key and its encoded headers.
        int maxBytes = laneMaxBytes() + LANE_HEADROOM_BYTES;
        int segmentBytes = Math.max(COMPACTED_SEGMENT_BYTES, 2 * maxBytes);
        return compacted(TopicConfig.CLEANUP_POLICY_COMPACT, segmentBytes, Map.of(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxBytes),
                // Timers are short-lived: compacting when a fifth is new rewrites the rest about four times.
                TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.2",
                TopicConfig.DELETE_RETENTION_MS_CONFIG, Long.toString(REMOVAL_KEPT_MILLIS)));
    }

    private TopicSpec spec(String name, int partitions, Map<String, String> configs) {
        return new TopicSpec(name, partitions, settings.replication(), configs);
    }

    /** Records of a queue never expire by size, and by time only if it must be; finished ones are purged. */
    private TopicSpec queue(String name, int partitions, int maxBytes, String compression) {
        // A lane keeps the timestamp of ingress. If it rejected a record for it, the router would stop.
        return queue(name, partitions, maxBytes, compression, "CreateTime");
    }

    /** The timestamps of ingress say when the broker took an item, by the broker's clock: sweeps need that. */
    private TopicSpec queue(String name, int partitions, int maxBytes, String compression, String timestamps) {
        return spec(name, partitions, durable(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, timestamps,
                // Kafka measures the age of a segment by the timestamps of its records, which jump in a lane. Every
                // jump by this time would start a new segment, with open files and memory maps.
                TopicConfig.SEGMENT_MS_CONFIG, Long.toString(Long.MAX_VALUE),
                TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(Math.max(QUEUE_SEGMENT_BYTES, 2 * maxBytes)),
                TopicConfig.RETENTION_MS_CONFIG,
                settings.retention().map(time -> Long.toString(time.toMillis())).orElse("-1"),
                TopicConfig.RETENTION_BYTES_CONFIG, "-1",
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxBytes),
                TopicConfig.COMPRESSION_TYPE_CONFIG, compression)));
    }

    /** Statuses are replaced several times a second; short segments and retention keep startup reads small. */
    private TopicSpec status(String name) {
        String policy = TopicConfig.CLEANUP_POLICY_COMPACT + "," + TopicConfig.CLEANUP_POLICY_DELETE;
        return spec(name, 1, compacted(
                policy, COMPACTED_SEGMENT_BYTES, Map.of(TopicConfig.RETENTION_MS_CONFIG, "3600000")));
    }

    private Map<String, String> compacted(String policy, int segmentBytes, Map<String, String> more) {
        Map<String, String> configs = new HashMap<>(more);
        configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, policy);
        configs.put(TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(segmentBytes));
        configs.put(TopicConfig.SEGMENT_MS_CONFIG, COMPACTED_SEGMENT_MILLIS);
        // A changelog would inherit the timestamps of producers, and start a segment at every jump of them.
        configs.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
        return durable(configs);
    }

    private Map<String, String> durable(Map<String, String> configs) {
        Map<String, String> all = new HashMap<>(configs);
        all.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, settings.replication() >= 3 ? "2" : "1");
        all.put(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
        all.put(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        all.put(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        return all;
    }
}
