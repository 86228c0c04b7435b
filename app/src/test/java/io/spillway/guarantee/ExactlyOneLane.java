package io.spillway.guarantee;

import io.spillway.policy.Lane;
import io.spillway.topic.ItemHeaders;
import io.spillway.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * The guarantee that every item which ingress took lies in exactly one lane, as far as committed reads can tell. An
 * item is known by where it entered.
 */
public final class ExactlyOneLane {
    private final KafkaUnderTest kafka;
    private final Topics topics;

    public ExactlyOneLane(KafkaUnderTest kafka, Topics topics) {
        this.kafka = kafka;
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
        Map<String, List<String>> placesOfOrigin = new HashMap<>();
        for (Lane lane : lanes) {
            for (ConsumerRecord<byte[], byte[]> record : kafka.readAll(topics.lane(lane))) {
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
