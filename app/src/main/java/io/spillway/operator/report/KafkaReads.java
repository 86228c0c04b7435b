package io.spillway.operator.report;

import io.spillway.config.SourceSettings;
import io.spillway.kafka.topics.FirstUnfinished;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.InstanceViews;
import io.spillway.kafka.view.ProgressMark;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads of the operator with clients that are created by the first one. Owner of the clients, under a lock: readers
 * wait for each other.
 */
public final class KafkaReads implements OperatorReads {
    private static final long KEPT_MILLIS = 2_000;
    private static final int MAX_KEYS = 100_000;
    private static final Duration POLL = Duration.ofMillis(200);
    /** Polls without progress: five seconds, then the cluster does not answer. */
    private static final int MAX_EMPTY_POLLS = 25;
    private static final int API_TIMEOUT_MILLIS = 10_000;

    private final KafkaClients clients;
    private final InstantSource clock;
    /** Not a monitor, as in {@link Recent}. */
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<Admin> admin = Optional.empty();
    private Optional<Consumer<byte[], byte[]>> consumer = Optional.empty();
    private final Recent<String, Map<String, Latest>> kept = new Recent<>(KEPT_MILLIS);
    private boolean closed;

    /** Creates reads whose clients are not connected yet. */
    public KafkaReads(KafkaClients clients, InstantSource clock) {
        this.clients = clients;
        this.clock = clock;
    }

    @Override
    public Map<String, Latest> latest(String topic) {
        return kept.get(topic, clock.millis(), () -> locked(() -> readLatest(topic)));
    }

    private Map<String, Latest> readLatest(String topic) {
        return reading("read topic " + topic, reader -> {
            List<TopicPartition> partitions = reader.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition())).toList();
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            Map<String, Latest> latest = new HashMap<>();
            int empty = 0;
            while (ends.entrySet().stream().anyMatch(end -> reader.position(end.getKey()) < end.getValue())) {
                var records = reader.poll(POLL);
                empty = records.isEmpty() ? empty + 1 : 0;
                if (empty > MAX_EMPTY_POLLS) {
                    throw new KafkaException("no records for " + POLL.multipliedBy(empty).toSeconds() + " s");
                }
                records.forEach(record -> {
                    if (record.key() == null) {
                        return;
                    }
                    String key = new String(record.key(), StandardCharsets.UTF_8);
                    if (record.value() == null) {
                        latest.remove(key);
                    } else if (latest.size() < MAX_KEYS || latest.containsKey(key)) {
                        latest.put(key, new Latest(record.value(), record.timestamp()));
                    }
                });
            }
            return Collections.unmodifiableMap(latest);
        });
    }

    @Override
    public List<GroupMember> members(String group) {
        return locked(() -> new QueueAdmin(admin(), clients.commands()).members(group).stream()
                .map(KafkaReads::member).toList());
    }

    private static GroupMember member(MemberDescription member) {
        Map<String, List<Integer>> partitions = member.assignment().topicPartitions().stream().sorted(
                        Comparator.comparingInt(TopicPartition::partition))
                .collect(Collectors.groupingBy(TopicPartition::topic, TreeMap::new,
                        Collectors.mapping(TopicPartition::partition, Collectors.toList())));
        return new GroupMember(member.clientId(), member.host(), partitions);
    }

    @Override
    public Map<String, ProgressMark> marks(String topic) {
        return locked(() -> readMarks(topic));
    }

    private Map<String, ProgressMark> readMarks(String topic) {
        List<String> groups = TopicAdmin.get(admin().listGroups().all(), "list groups").stream()
                .map(GroupListing::groupId).toList();
        return InstanceViews.marks(admin(), groups, topic);
    }

    @Override
    public long behind(String topic, String group) {
        return locked(() -> new QueueAdmin(admin(), clients.commands()).behind(topic, group));
    }

    @Override
    public Map<String, Long> oldestMillis(Map<String, String> groups) {
        return locked(() -> readOldest(groups));
    }

    private Map<String, Long> readOldest(Map<String, String> groups) {
        QueueAdmin queues = new QueueAdmin(admin(), clients.commands());
        List<QueueProgress> waiting = groups.entrySet().stream()
                .flatMap(topic -> queues.readProgress(topic.getKey(), topic.getValue(), false).stream())
                .filter(part -> part.waiting() > 0).toList();
        Map<String, Long> oldest = new HashMap<>();
        if (!waiting.isEmpty()) {
            reading("read the oldest records", reader -> FirstUnfinished.millis(reader, waiting))
                    .forEach((partition, millis) -> oldest.merge(partition.topic(), millis, Math::min));
        }
        return oldest;
    }

    @Override
    public List<SourceState> sources(SortedMap<String, SourceSettings> sources, Topics topics) {
        return sources.isEmpty() ? List.of() : locked(() -> {
            QueueAdmin queues = new QueueAdmin(admin(), clients.commands());
            return sources.entrySet().stream().map(source -> SourceState.read(source.getKey(), source.getValue(),
                    topics.sourceGroup(source.getKey()), admin(), queues)).toList();
        });
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    private interface Reading<T> {
        T with(Consumer<byte[], byte[]> reader);
    }

    /** Reads with the consumer, and discards it after a failure. */
    private <T> T reading(String what, Reading<T> reading) {
        requireOpen();
        Consumer<byte[], byte[]> reader = consumer.orElseGet(() -> clients.consumer(Map.of(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 65_536,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, API_TIMEOUT_MILLIS)));
        consumer = Optional.of(reader);
        try {
            T result = reading.with(reader);
            reader.unsubscribe();
            return result;
        } catch (KafkaException e) {
            consumer = Optional.empty();
            reader.close();
            throw new KafkaFailure("cannot " + what, e);
        }
    }

    private Admin admin() {
        requireOpen();
        Admin opened = admin.orElseGet(() -> clients.admin(API_TIMEOUT_MILLIS));
        admin = Optional.of(opened);
        return opened;
    }

    private void requireOpen() {
        if (closed) {
            throw new KafkaFailure("the gateway is stopping", new KafkaException("closed"));
        }
    }

    @Override
    public void close() {
        locked(() -> {
            closed = true;
            consumer.ifPresent(Consumer::close);
            admin.ifPresent(opened -> opened.close(Duration.ofSeconds(1)));
            return closed;
        });
    }
}
