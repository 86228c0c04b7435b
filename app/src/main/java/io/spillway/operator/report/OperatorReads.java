package io.spillway.operator.report;

import io.spillway.config.SourceSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ProgressMark;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Reads from Kafka that only somebody who looks needs, so that nothing is followed while nobody does. Thread-safe. Each
 * method throws {@link io.spillway.kafka.topics.KafkaFailure} if the cluster refuses or does not answer.
 */
public interface OperatorReads extends AutoCloseable {
    /**
     * Newest value of a key of a compacted topic.
     *
     * @param atMillis time of the record, epoch milliseconds
     */
    record Latest(byte[] value, long atMillis) {}

    /**
     * Member of a consumer group.
     *
     * @param partitions assigned partitions by topic, ascending
     */
    record GroupMember(String clientId, String host, Map<String, List<Integer>> partitions) {}

    /** Returns the newest values of a compacted topic by key, at most 100,000, as of two seconds ago or later. */
    Map<String, Latest> latest(String topic);

    /** Returns the members of a consumer group, in no order; empty if there is no such group. */
    List<GroupMember> members(String group);

    /** Returns the newest mark of each instance that follows a compacted topic or has, by the name of the instance. */
    Map<String, ProgressMark> marks(String topic);

    /** Returns the number of records of a topic that a group has not finished, with markers of transactions. */
    long behind(String topic, String group);

    /**
     * Returns the time of the oldest record that a group has not finished, epoch milliseconds, by topic. Those where
     * nothing waits, or only records of open transactions, are missing.
     *
     * @param groups the group of each topic
     */
    Map<String, Long> oldestMillis(Map<String, String> groups);

    /** Returns the states of sources, in the order of their names; problems that are met are part of them. */
    List<SourceState> sources(SortedMap<String, SourceSettings> sources, Topics topics);

    @Override
    void close();
}
