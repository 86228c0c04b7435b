package io.spillway.kafka.view;

import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader of the trail into {@link TrackedItems}: all of it, and then what comes, from when a tenant is tracked.
 * Without one the trail of all others would be read for nobody. After an error it goes on where it was.
 */
public final class TrailFollower extends TopicFollower {
    private final TrackedItems items;
    private final BooleanSupplier isWanted;
    /** Only its own thread uses it. */
    private long next;

    /**
     * Creates a follower that {@link #start} starts.
     *
     * @param isWanted whether any tenant is tracked
     */
    public TrailFollower(
            KafkaClients clients, Topics topics, TrackedItems items, BooleanSupplier isWanted, InstantSource clock) {
        super(clients, topics.trail(), "trail-", Map.of(), clock);
        this.items = items;
        this.isWanted = isWanted;
    }

    /** Starts, and does not wait for anything. */
    public void start() {
        begin();
    }

    @Override
    protected void follow(Consumer<byte[], byte[]> from, List<TopicPartition> partitions) {
        while (isRunning() && !isWanted.getAsBoolean()) {
            pause();
        }
        TopicPartition trail = partitions.getFirst();
        long end = from.endOffsets(partitions).get(trail);
        long start = from.beginningOffsets(partitions).get(trail);
        // One that ends before was made anew.
        from.seek(trail, next > end ? start : Math.max(start, next));
        while (isRunning()) {
            from.poll(items.isComplete() ? POLL : Duration.ofMillis(50))
                    .forEach(record -> items.put(record.headers(), record.value(), record.timestamp()));
            next = from.position(trail);
            if (next >= end) {
                items.complete();
            }
        }
    }
}
