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
 * Guarantee that every item from ingress is in exactly one lane, according to committed reads. The origin identifies an
 * item.
 */
public final class ExactlyOneLane {
    private final String bootstrapServers;
    private final Topics topics;

    public ExactlyOneLane(KafkaUnderTest kafka, Topics topics) {
        this(kafka.bootstrapServers(), topics);
    }

    public ExactlyOneLane(String bootstrapServers, Topics topics) {
        this.bootstrapServers = bootstrapServers;
        this.topics = topics;
    }

    /**
     * Returns one line for each breach; empty when the guarantee holds.
     *
     * @param origins {@code topic-partition-offset} of all items in ingress
     */
    public List<String> breaches(Collection<String> origins) {
        return breaches(origins, List.of(Lane.values()));
    }

    /** As {@link #breaches(Collection)} for some lanes; the others may contain finished items that are not purged. */
    public List<String> breaches(Collection<String> origins, Collection<Lane> lanes) {
        awaitSettled(bootstrapServers, lanes.stream().map(topics::lane).toList());
        Map<String, List<String>> copiesByOrigin = new HashMap<>();
        for (Lane lane : lanes) {
            for (ConsumerRecord<byte[], byte[]> record : KafkaUnderTest.readAll(bootstrapServers, topics.lane(lane))) {
                copiesByOrigin.computeIfAbsent(originOf(record.headers()), absent -> new ArrayList<>())
                        .add(lane.label() + "-" + record.partition() + "@" + record.offset());
            }
        }
        List<String> breaches = new ArrayList<>();
        for (String origin : new TreeSet<>(origins)) {
            List<String> copies = copiesByOrigin.remove(origin);
            if (copies == null) {
                breaches.add(origin + " is in no lane");
            } else if (copies.size() > 1) {
                breaches.add(origin + " is in " + copies);
            }
        }
        copiesByOrigin.forEach((origin, copies) -> breaches.add(origin + " was not in ingress but is in " + copies));
        return breaches;
    }

    /**
     * Waits until no transaction is open in these topics. The offsets of a transaction can be visible before its
     * records, because each partition gets its own marker.
     */
    public static void awaitSettled(String bootstrapServers, Collection<String> names) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            while (!ends(admin, names, IsolationLevel.READ_COMMITTED)
                    .equals(ends(admin, names, IsolationLevel.READ_UNCOMMITTED))) {
                LockSupport.parkNanos(2_000_000);
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException("Cannot read the end offsets of " + names, e);
        }
    }

    private static Map<TopicPartition, Long> ends(Admin admin, Collection<String> names, IsolationLevel isolation)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> request = new HashMap<>();
        admin.describeTopics(names).allTopicNames().get().forEach((name, topic) -> topic.partitions().forEach(
                partition -> request.put(new TopicPartition(name, partition.partition()), OffsetSpec.latest())));
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
