package io.spillway.bench.load;

import io.spillway.bench.peers.Answers;
import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.ProcessFigures;
import io.spillway.bench.support.Scene;
import io.spillway.bench.support.Trends;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/** Samples of a long run, while items are sent. Used by the thread that drives it, except for {@link #stop}. */
final class EnduranceWatch implements LoadRun.Observer {
    private static final double MIB = 1 << 20;
    private static final String DEAD_LETTERS = "dead-letter";
    private static final int PROGRESS_LINES = 60;
    /** Time for what was sent to finish after a stop. */
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final List<String> OF_KAFKA = List.of("__consumer_offsets", "__transaction_state");

    private final Bench bench;
    private final EnduranceTraffic plan;
    private final long sampleNanos;
    private final long collectNanos;
    private final int segmentMebibytes;
    private final Trends trends = new Trends();
    /** Topics that grow during the run whatever happens: dead letters, and those that keep records for an hour. */
    private final Set<String> growing = new TreeSet<>(Set.of(DEAD_LETTERS));
    private final AtomicBoolean isStopping = new AtomicBoolean();
    private Ledger ledger;
    private long nextSampleNanos;
    private long nextCollectNanos;
    private long nextLineNanos;
    private long stoppedAtNanos = Long.MAX_VALUE;
    private long nowNanos;
    private int sent = -1;
    private int dead;
    private Accounts accounts;
    private String prefix = "";

    /**
     * Creates a watch.
     *
     * @param sampleSeconds    between two samples
     * @param collectSeconds   between two complete collections, after which the heap is sampled
     * @param segmentMebibytes size of the segments of queues and of Kafka's own topics; 0 leaves what they have
     */
    EnduranceWatch(
            Bench bench, EnduranceTraffic plan, int sampleSeconds, int collectSeconds, int segmentMebibytes) {
        this.bench = bench;
        this.plan = plan;
        this.sampleNanos = TimeUnit.SECONDS.toNanos(sampleSeconds);
        this.collectNanos = TimeUnit.SECONDS.toNanos(collectSeconds);
        this.segmentMebibytes = segmentMebibytes;
    }

    @Override
    public void begin(Scene scene, QueueUnderTest queue) {
        prefix = scene.prefix() + ".";
        scene.topics().all().stream().filter(spec -> isKeptByTime(spec.configs()))
                .forEach(spec -> growing.add(spec.name().substring(prefix.length())));
        growing.forEach(topic -> trends.expectGrowth(topicName(topic)));
        trends.expectGrowth("dead letters");
        if (segmentMebibytes > 0) {
            List<String> topics = new ArrayList<>(OF_KAFKA);
            scene.topics().all().stream().filter(spec -> isQueue(spec.configs())).forEach(spec ->
                    topics.add(spec.name()));
            AlterConfigOp smaller = new AlterConfigOp(
                    new ConfigEntry(TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(segmentMebibytes << 20)),
                    AlterConfigOp.OpType.SET);
            Map<ConfigResource, Collection<AlterConfigOp>> changes = new TreeMap<>(
                    Comparator.comparing(ConfigResource::name));
            topics.forEach(topic ->
                    changes.put(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(smaller)));
            Answers.get(bench.admin().incrementalAlterConfigs(changes).all());
        }
    }

    private static boolean isKeptByTime(Map<String, String> configs) {
        return Long.parseLong(configs.getOrDefault(TopicConfig.RETENTION_MS_CONFIG, "-1")) > 0;
    }

    /** Other topics have small segments as they are. */
    private static boolean isQueue(Map<String, String> configs) {
        return TopicConfig.CLEANUP_POLICY_DELETE.equals(configs.getOrDefault(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE));
    }

    @Override
    public void look(Ledger seen, QueueUnderTest queue, long atNanos) {
        ledger = seen;
        nowNanos = atNanos;
        dead = queue.givenUp();
        if (isStopping.get()) {
            stoppedAtNanos = Math.min(stoppedAtNanos, atNanos);
        } else if (sent < 0 && atNanos >= nextSampleNanos && atNanos > 0) {
            nextSampleNanos = atNanos + sampleNanos;
            sample((RunningQueue) queue, atNanos);
        }
        if (atNanos >= nextLineNanos) {
            nextLineNanos = atNanos + Flow.nanos(Math.max(10, plan.seconds() / PROGRESS_LINES));
            int offered = sent < 0 ? ledger.offered(tenant -> true, 0, atNanos) : sent;
            System.out.printf(
                    "%,6d s: %,d sent, %,d done, %,d dead, %,d waiting; heap %.0f MiB, resident %.0f MiB,"
                            + " disk %.0f MiB%n",
                    TimeUnit.NANOSECONDS.toSeconds(atNanos), offered, ledger.itemsDone(), dead,
                    offered - ledger.itemsDone() - dead, trends.last("heap after a collection, MiB"),
                    trends.last("resident, MiB"), trends.last("disk, MiB"));
        }
    }

    private void sample(RunningQueue queue, long atNanos) {
        if (atNanos >= nextCollectNanos) {
            nextCollectNanos = atNanos + collectNanos;
            System.gc();
            trends.add("heap after a collection, MiB", atNanos,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MIB);
        }
        ProcessFigures own = ProcessFigures.of(ProcessHandle.current().pid());
        trends.add("resident, MiB", atNanos, own.residentBytes() / MIB);
        trends.add("threads", atNanos, own.threads());
        trends.add("handles", atNanos, own.handles());
        trends.add("metric series", atNanos, queue.series());
        trends.add("stored timers", atNanos, queue.gauge("spillway.delay.timers"));
        trends.add("router state, MiB", atNanos, ProcessFigures.bytesBelow(queue.stateDirectory()) / MIB);
        ProcessFigures broker = ProcessFigures.of(bench.broker().pid());
        trends.add("broker resident, MiB", atNanos, broker.residentBytes() / MIB);
        trends.add("broker threads", atNanos, broker.threads());
        trends.add("broker handles", atNanos, broker.handles());
        trends.add("dead letters", atNanos, dead);
        Map<String, Long> topics = topicBytes();
        long grown = growing.stream().mapToLong(topic -> topics.getOrDefault(topic, 0L)).sum();
        trends.add("disk, MiB", atNanos,
                (ProcessFigures.bytesBelow(bench.broker().directory()) - grown) / MIB);
        topics.forEach((topic, bytes) -> trends.add(topicName(topic), atNanos, bytes / MIB));
    }

    private static String topicName(String topic) {
        return "topic " + topic + ", MiB";
    }

    private Map<String, Long> topicBytes() {
        List<Integer> brokers = Answers.get(bench.admin().describeCluster().nodes()).stream().map(Node::id).toList();
        Map<String, Long> bytes = new TreeMap<>();
        Answers.get(bench.admin().describeLogDirs(brokers).allDescriptions()).values().stream()
                .flatMap(directories -> directories.values().stream())
                .forEach(directory -> directory.replicaInfos().forEach((partition, replica) -> {
                    String topic = partition.topic();
                    if (topic.startsWith(prefix)) {
                        bytes.merge(topic.substring(prefix.length()), replica.size(), Long::sum);
                    } else if (OF_KAFKA.contains(topic)) {
                        bytes.merge(topic, replica.size(), Long::sum);
                    }
                }));
        return bytes;
    }

    @Override
    public boolean isStopped() {
        return isStopping.get();
    }

    /** Sends no more items. Any thread may call it. */
    void stop() {
        isStopping.set(true);
    }

    @Override
    public void sent(int items) {
        sent = items;
    }

    @Override
    public void end(Scene scene) {
        accounts = Accounts.of(scene);
    }

    boolean isOver(Ledger seen) {
        return seen.itemsDone() + dead >= sent
                || stoppedAtNanos != Long.MAX_VALUE && nowNanos - stoppedAtNanos > STOP_NANOS;
    }

    /** Whether every item that was sent has one fate, according to the ledger and to the topics. */
    boolean isSettled() {
        return accounts != null && accounts.isSettled(sent);
    }

    Trends trends() {
        return trends;
    }

    /** Fates of the items, ages by tenant and the table of what was sampled. */
    String report() {
        if (ledger == null) {
            return "Nothing was measured.\n";
        }
        long endNanos = Math.min(Flow.nanos(plan.seconds()), Math.min(stoppedAtNanos, nowNanos));
        return EnduranceReport.of(ledger, endNanos, sent, accounts) + "\n" + trends.table();
    }
}
