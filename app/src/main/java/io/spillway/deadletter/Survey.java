package io.spillway.deadletter;

import io.spillway.kafka.topics.QueueProgress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What a run will meet, found by reading all of it once before anything is done: so the run can refuse what cannot be,
 * knows how far it is, and reads no further in a partition than it must.
 */
public final class Survey {
    /** Most dead letters that cannot be replayed that are named; the rest is counted. */
    public static final int MAX_NAMED = 20;

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

    /** Reads; not to the end when it was stopped. */
    boolean read(Scan scan, DeadLetterFilter filter, Disposal disposal, ReplayForecast forecast, ScanListener watch) {
        return scan.over(partitions, watch, letter -> {
            if (filter.matches(letter)) {
                matching++;
                disposal.obstacle(letter).ifPresentOrElse(why -> leave(letter, why), () -> take(letter, forecast));
            }
        });
    }

    private void leave(DeadLetter letter, String why) {
        unfit++;
        if (obstacles.size() < MAX_NAMED) {
            obstacles.add(letter.position() + ": " + why);
        }
    }

    private void take(DeadLetter letter, ReplayForecast forecast) {
        if (tally.count() < limit) {
            ReplayForecast.Fate fate = forecast.of(letter, tally.count());
            tally.add(letter, fate == ReplayForecast.Fate.SWEPT, fate == ReplayForecast.Fate.EXPIRED);
            endOfMatches.put(new TopicPartition(letter.record().topic(), letter.record().partition()), letter.record().offset() + 1);
        }
    }

    List<QueueProgress> partitions() {
        return partitions;
    }

    /** Where the run may stop in a partition: behind the last that it will take; 0 when it takes none. */
    long endOfMatches(TopicPartition partition) {
        return endOfMatches.getOrDefault(partition, 0L);
    }

    /** Those that the run will take, by tenant and reason. */
    public DeadLetterCounts tally() {
        return tally;
    }

    /** Those that the filter means, beyond the limit too. */
    public long matching() {
        return matching;
    }

    /** Of those that the filter means, how many cannot be taken. */
    public long unfit() {
        return unfit;
    }

    /** The first of them with the reason, as partition-offset: reason; at most {@link #MAX_NAMED}. */
    public List<String> obstacles() {
        return List.copyOf(obstacles);
    }
}
