package io.spillway.kafka.topics;

import io.spillway.core.item.Lane;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;

/** The topics, groups and ids of one installation, each declared here and nowhere else. */
public final class Topics {
    /** What routing adds to a record at the most: our headers. Lanes take this much more than ingress. */
    public static final int LANE_HEADROOM_BYTES = 64 * 1024;
    /** What dead-lettering adds on top of that. */
    public static final int DEAD_LETTER_HEADROOM_BYTES = 128 * 1024;

    /** The router's store of timers, one for each partition of the delay lane. */
    public static final String TIMER_STORE = "timers";
    /** The router's store of tenants' books. */
    public static final String BOOKS_STORE = "books";
    /**
     * Partitions of the ledger: one stage folds millions of lines a second, so a few serve any number of routers. A tenant's
     * books are in the partition that follows from its name, so the number is fixed.
     */
    public static final int LEDGER_PARTITIONS = 4;
    /** The router's store of assigned shards. */
    public static final String SHARD_STORE = "shards";
    /**
     * How long the changelog of the timers remembers that one was removed. A copy of the store that misses this would
     * let the timer ring again, so a router throws away a copy that is older than half of it.
     */
    public static final long TIMER_REMOVAL_KEPT_MILLIS = 60 * 60 * 1000;

    /** Only segments that are closed are compacted: what a restore reads in vain is about as much as this. */
    private static final int TIMER_SEGMENT_BYTES = 16 * 1024 * 1024;
    /** Entries are sent at 64 KiB, several in a batch. */
    private static final int LEDGER_ENTRY_BYTES = 1024 * 1024;
    /** A tenant, a few words and our framing, and batches of them. */
    private static final int SHARD_REQUEST_BYTES = 1024 * 1024;
    private static final List<String> COMPACTED =
            List.of("policies", "keys", "sweeps", "shards", "depths");

    private final String prefix;
    private final TopicSettings settings;
    private final boolean assignsShards;

    /** Declares the topics for a queue. */
    public Topics(QueueSettings queue) {
        this.prefix = queue.kafka().prefix();
        this.settings = queue.topics();
        this.assignsShards = queue.shards().overlap().isPresent();
    }

    /** Where producers put items. */
    public String ingress() {
        return prefix + ".ingress";
    }

    /** The topic of a lane. */
    public String lane(Lane lane) {
        return prefix + "." + lane.label();
    }

    /** How many partitions ingress and every lane have. */
    public int partitions() {
        return settings.partitions();
    }

    /** Tenants' policies, compacted, by tenant. */
    public String policies() {
        return prefix + ".policies";
    }

    /** API keys' hashes, compacted, by key id. */
    public String keys() {
        return prefix + ".keys";
    }

    /** Completed sweeps, compacted, by tenant. */
    public String sweeps() {
        return prefix + ".sweeps";
    }

    /** Assigned shards, compacted, by tenant. */
    public String shards() {
        return prefix + ".shards";
    }

    /** Whether shards are assigned, so that {@link #shardRequests} and {@link #shardsChangelog} are there. */
    public boolean assignsShards() {
        return assignsShards;
    }

    /** What is asked of the book of shards, by tenant: one partition, so one stage keeps the book. */
    public String shardRequests() {
        return prefix + ".shard-requests";
    }

    /** Every move of items, summed by tenant and transaction. */
    public String ledger() {
        return prefix + ".ledger";
    }

    /** Tenants' books as the router folds them from the ledger, compacted, by tenant. */
    public String depths() {
        return prefix + ".depths";
    }

    /** The partition of the ledger that has the lines of a tenant whose name is there, ASCII. */
    public static int ledgerPartition(byte[] names, int offset, int length) {
        // As String.hashCode, which its specification fixes.
        int hash = 0;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + names[i];
        }
        // The low bits alone would go by the last letters.
        return Math.floorMod(hash ^ hash >>> 16, LEDGER_PARTITIONS);
    }

    /** What Kafka Streams makes of the tenants' books: it derives this name itself. */
    public String booksChangelog() {
        return routerGroup() + "-" + BOOKS_STORE + "-changelog";
    }

    /** The settings of {@link #booksChangelog}, for whoever creates it. */
    public Map<String, String> booksChangelogConfigs() {
        return safe(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
    }

    /** What each router has been asked for lately, by instance: compacted, and kept for an hour. */
    public String demand() {
        return prefix + ".demand";
    }

    /** What each worker says of hot, by worker: compacted, and kept for an hour. */
    public String laneState() {
        return prefix + ".lane-state";
    }

    /** What Kafka Streams makes of the book of shards: it derives this name itself. */
    public String shardsChangelog() {
        return routerGroup() + "-" + SHARD_STORE + "-changelog";
    }

    /** The settings of {@link #shardsChangelog}, for whoever creates it. */
    public Map<String, String> shardsChangelogConfigs() {
        return safe(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
    }

    /** What Kafka Streams makes of the timers of the delay lane: it derives this name itself. */
    public String timersChangelog() {
        return routerGroup() + "-" + TIMER_STORE + "-changelog";
    }

    /** Application id and consumer group of the router. */
    public String routerGroup() {
        return prefix + ".router";
    }

    /** Consumer group of the workers. */
    public String workerGroup() {
        return prefix + ".worker";
    }

    /** Group that remembers which dead letters are finished, and transactional id of whoever finishes them: one at a time. */
    public String replayGroup() {
        return prefix + ".replay";
    }

    /** Largest record of ingress in bytes. */
    public int ingressMaxBytes() {
        return settings.maxBytes();
    }

    /** Largest record of a lane in bytes. */
    public int laneMaxBytes() {
        return settings.maxBytes() + LANE_HEADROOM_BYTES;
    }

    /**
     * Largest record that the delay lane's reader takes, in bytes: every item with our headers, and so much less than
     * a lane takes that it still fits after its headers are put in order. What is larger is a dead letter.
     */
    public int delayedMaxBytes() {
        return settings.maxBytes() + LANE_HEADROOM_BYTES / 2;
    }

    /** Largest record of the dead-letter lane in bytes: whatever ingress took fits, with our headers. */
    public int deadLetterMaxBytes() {
        return settings.maxBytes() + DEAD_LETTER_HEADROOM_BYTES;
    }

    /** Every topic as it should be. */
    public List<TopicSpec> all() {
        List<TopicSpec> specs = new ArrayList<>();
        // What the router reads is stored uncompressed, so that the size limit holds for what it will unpack.
        specs.add(queue(ingress(), settings.maxBytes(), "uncompressed"));
        for (Lane lane : Lane.values()) {
            specs.add(queue(
                    lane(lane),
                    lane == Lane.DEAD_LETTER ? deadLetterMaxBytes() : laneMaxBytes(),
                    lane == Lane.DELAY ? "uncompressed" : "producer"));
        }
        specs.add(new TopicSpec(timersChangelog(), settings.partitions(), settings.replication(), timersChangelogConfigs()));
        specs.add(queue(ledger(), LEDGER_PARTITIONS, LEDGER_ENTRY_BYTES, "producer"));
        specs.add(new TopicSpec(booksChangelog(), LEDGER_PARTITIONS, settings.replication(), booksChangelogConfigs()));
        for (String name : COMPACTED) {
            specs.add(compacted(prefix + "." + name));
        }
        specs.add(spoken(demand()));
        specs.add(spoken(laneState()));
        if (assignsShards) {
            specs.add(queue(shardRequests(), 1, SHARD_REQUEST_BYTES, "producer"));
            specs.add(new TopicSpec(shardsChangelog(), 1, settings.replication(), shardsChangelogConfigs()));
        }
        return specs;
    }

    /** The settings of {@link #timersChangelog}, for whoever creates it. */
    public Map<String, String> timersChangelogConfigs() {
        // A timer takes the largest record of the delay lane, and its key and our encoding of its headers.
        int maxBytes = laneMaxBytes() + LANE_HEADROOM_BYTES;
        return safe(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT,
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxBytes),
                TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(Math.max(TIMER_SEGMENT_BYTES, 2 * maxBytes)),
                TopicConfig.SEGMENT_MS_CONFIG, "600000",
                // Timers die young: compact when a fifth is new, which writes the rest about four times over.
                TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.2",
                TopicConfig.DELETE_RETENTION_MS_CONFIG, Long.toString(TIMER_REMOVAL_KEPT_MILLIS)));
    }

    /** Nothing in a queue expires by time or size: it is purged below what is finished. */
    private TopicSpec queue(String name, int maxBytes, String compression) {
        return queue(name, settings.partitions(), maxBytes, compression);
    }

    private TopicSpec queue(String name, int partitions, int maxBytes, String compression) {
        return new TopicSpec(name, partitions, settings.replication(), safe(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG, "-1",
                TopicConfig.RETENTION_BYTES_CONFIG, "-1",
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(maxBytes),
                TopicConfig.COMPRESSION_TYPE_CONFIG, compression)));
    }

    private TopicSpec compacted(String name) {
        return new TopicSpec(name, 1, settings.replication(), safe(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT)));
    }

    /** What is said several times a second and soon of no use: not much of it is to be read at a start. */
    private TopicSpec spoken(String name) {
        return new TopicSpec(name, 1, settings.replication(), safe(Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                TopicConfig.CLEANUP_POLICY_COMPACT + "," + TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.RETENTION_MS_CONFIG, "3600000",
                TopicConfig.SEGMENT_MS_CONFIG, "600000")));
    }

    private Map<String, String> safe(Map<String, String> configs) {
        Map<String, String> all = new HashMap<>(configs);
        all.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, settings.replication() >= 3 ? "2" : "1");
        all.put(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
        // A lane that refused a record for its time would stop the router: absurd times are ours to judge.
        all.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime");
        all.put(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        all.put(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        return all;
    }
}
