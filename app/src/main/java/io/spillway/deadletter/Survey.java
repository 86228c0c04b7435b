package io.spillway.deadletter;

import io.spillway.kafka.topics.QueueProgress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Preview of a run, from one read of all unfinished dead letters before any change. It gives the run its total for
 * progress reports, the dead letters that cannot be processed, and the offset after which it can stop in each
 * partition.
 */
public final class Survey {
    /** Maximum number of obstacles with details; all are counted. */
    private static final int MAX_NAMED = 20;

    private final List<QueueProgress> partitions;
    private final long limit;
    private final DeadLetterCounts tally = new DeadLetterCounts();
    private final Map<TopicPartition, Long> endOfMatches = new HashMap<>();
    private final List<String> obstacles = new ArrayList<>();
    private long matching;
    private long unfit;

    Survey(List<QueueProgress> partitions, long limit) {
        this.partitions = partitions;
        this.limit = limit;
    }

    /** Adds a dead letter that matches the filter. */
    void add(DeadLetter letter, Disposal disposal, ReplayForecast forecast) {
        matching++;
        disposal.obstacle(letter).ifPresentOrElse(reason -> skip(letter, reason), () -> take(letter, forecast));
    }

    private void skip(DeadLetter letter, String reason) {
        unfit++;
        if (obstacles.size() < MAX_NAMED) {
            obstacles.add(letter.position() + ": " + reason);
        }
    }

    private void take(DeadLetter letter, ReplayForecast forecast) {
        if (tally.count() < limit) {
            tally.add(letter, forecast.of(letter, tally.count()));
            TopicPartition partition = new TopicPartition(letter.record().topic(), letter.record().partition());
            endOfMatches.put(partition, letter.record().offset() + 1);
        }
    }

    List<QueueProgress> partitions() {
        return partitions;
    }

    /** Returns the offset after the last dead letter to take in a partition; 0 for none. */
    long endOfMatches(TopicPartition partition) {
        return endOfMatches.getOrDefault(partition, 0L);
    }

    /** Returns the counts of the dead letters that the run will take. */
    public DeadLetterCounts tally() {
        return tally;
    }

    /** Returns the number of dead letters that match the filter, including those over the limit. */
    public long matching() {
        return matching;
    }

    /** Returns the number of matching dead letters that cannot be taken. */
    public long unfit() {
        return unfit;
    }

    /** Returns the first of them as {@code partition-offset: reason}; at most {@value #MAX_NAMED}. */
    public List<String> obstacles() {
        return List.copyOf(obstacles);
    }
}
