package io.spillway.operator.report;

import io.spillway.config.SourceSettings;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ProgressMark;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads of the operator from maps instead of Kafka; empty at first. */
public final class FakeReads implements OperatorReads {
    public final Map<String, Map<String, Latest>> topics = new ConcurrentHashMap<>();
    public final Map<String, List<GroupMember>> groups = new ConcurrentHashMap<>();
    public final Map<String, ProgressMark> marks = new ConcurrentHashMap<>();
    public volatile List<SourceState> sources = List.of();
    public volatile OptionalLong oldestMillis = OptionalLong.empty();

    /** What reads of topics and of the oldest records throw; empty for none. */
    public volatile Optional<KafkaFailure> failure = Optional.empty();

    /** Reads of the oldest records. */
    public final AtomicInteger oldestReads = new AtomicInteger();

    /** Stores the newest value of a key. */
    public void put(String topic, String key, byte[] value, long atMillis) {
        topics.computeIfAbsent(topic, absent -> new ConcurrentHashMap<>()).put(key, new Latest(value, atMillis));
    }

    @Override
    public Map<String, Latest> latest(String topic) {
        fail();
        return topics.getOrDefault(topic, Map.of());
    }

    private void fail() {
        failure.ifPresent(each -> {
            throw each;
        });
    }

    @Override
    public List<GroupMember> members(String group) {
        return groups.getOrDefault(group, List.of());
    }

    @Override
    public Map<String, ProgressMark> marks(String topic) {
        return marks;
    }

    @Override
    public long behind(String topic, String group) {
        return 0;
    }

    @Override
    public Map<String, Long> oldestMillis(Map<String, String> lanes) {
        oldestReads.incrementAndGet();
        fail();
        return oldestMillis.isEmpty() ? Map.of()
                : Map.of(lanes.keySet().iterator().next(), oldestMillis.getAsLong());
    }

    @Override
    public List<SourceState> sources(SortedMap<String, SourceSettings> all, Topics topics) {
        return sources;
    }

    @Override
    public void close() {}
}
