package io.spillway.guarantee;

import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;

/**
 * The guarantee that every item which ingress took lies in exactly one lane, as far as committed reads can tell. An
 * item is known by where it entered.
 */
public final class ExactlyOneLane {
    private final String bootstrapServers;
    private final Topics topics;

    public ExactlyOneLane(KafkaUnderTest kafka, Topics topics) {
        this(kafka.bootstrapServers(), topics);
    }

    /** As it stands on another cluster. */
    public ExactlyOneLane(String bootstrapServers, Topics topics) {
        this.bootstrapServers = bootstrapServers;
        this.topics = topics;
    }

    /**
     * Reads the lanes and compares.
     *
     * @param origins {@code topic-partition-offset} of everything that ingress took
     * @return one line for each breach, empty when the guarantee holds
     */
    public List<String> breaches(Collection<String> origins) {
        return breaches(origins, List.of(Lane.values()));
    }

    /** As {@link #breaches(Collection)} in some lanes: what a reader has taken from the others lies there until it is purged. */
    public List<String> breaches(Collection<String> origins, Collection<Lane> lanes) {
        awaitSettled(bootstrapServers, lanes.stream().map(topics::lane).toList());
        Map<String, List<String>> placesOfOrigin = new HashMap<>();
        for (Lane lane : lanes) {
            for (ConsumerRecord<byte[], byte[]> record : KafkaUnderTest.readAll(bootstrapServers, topics.lane(lane))) {
                placesOfOrigin.computeIfAbsent(originOf(record.headers()), absent -> new ArrayList<>())
                        .add(lane.label() + "-" + record.partition() + "@" + record.offset());
            }
        }
        List<String> breaches = new ArrayList<>();
        for (String origin : new TreeSet<>(origins)) {
            List<String> places = placesOfOrigin.remove(origin);
            if (places == null) {
                breaches.add(origin + " is in no lane");
            } else if (places.size() > 1) {
                breaches.add(origin + " is in " + places);
            }
        }
        placesOfOrigin.forEach((origin, places) -> breaches.add(origin + " was never taken but is in " + places));
        return breaches;
    }

    /**
     * Returns when no transaction is open in these topics. The offsets of a transaction can be visible a moment before
     * its records are: each partition gets its marker by itself.
     */
    public static void awaitSettled(String bootstrapServers, Collection<String> names) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            while (!ends(admin, names, IsolationLevel.READ_COMMITTED).equals(ends(admin, names, IsolationLevel.READ_UNCOMMITTED))) {
                LockSupport.parkNanos(2_000_000);
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException("cannot read the ends of " + names, e);
        }
    }

    private static Map<TopicPartition, Long> ends(Admin admin, Collection<String> names, IsolationLevel isolation)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        admin.describeTopics(names).allTopicNames().get().forEach((name, topic) -> topic.partitions()
                .forEach(partition -> request.put(new TopicPartition(name, partition.partition()), OffsetSpec.latest())));
        Map<TopicPartition, Long> ends = new HashMap<>();
        admin.listOffsets(request, new ListOffsetsOptions(isolation)).all().get()
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    private static String originOf(Headers headers) {
        return headers.lastHeader(ItemHeaders.ORIGIN) != null
                ? text(headers, ItemHeaders.ORIGIN)
                : text(headers, ItemHeaders.ORIGIN_TOPIC) + "-" + text(headers, ItemHeaders.ORIGIN_PARTITION) + "-"
                        + text(headers, ItemHeaders.ORIGIN_OFFSET);
    }

    private static String text(Headers headers, String name) {
        return new String(headers.lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
