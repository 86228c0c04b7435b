package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.policy.Lane;
import io.spillway.policy.Place;
import io.spillway.policy.ProgressState;
import io.spillway.policy.TenantBooks;
import io.spillway.topic.ItemHeaders;
import io.spillway.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;

/** The books of the model's tenants as its transactions make them; the router's part the model books by hand. */
final class ModelBooks {
    private final Map<String, TenantBooks> books = new HashMap<>();

    /** A line of a transaction that went through. */
    void book(String tenant, Place from, long[] counts, int offset) {
        books.put(tenant, books.getOrDefault(tenant, TenantBooks.EMPTY).plus(from, counts, offset));
    }

    /** One item. */
    void book(Headers item, Place from, Place to) {
        long[] counts = new long[Place.COUNT];
        counts[to.ordinal()] = 1;
        book(tenant(item), from, counts, 0);
    }

    /** At any time they say how many of each tenant's items lie in each lane. */
    void check(
            String how, Topics topics, Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs,
            Map<TopicPartition, ProgressState> committed, List<ProducerRecord<byte[], byte[]>> delayed, int dead) {
        Map<String, Long> lying = new HashMap<>();
        logs.forEach((place, log) -> log.forEach(record -> {
            ProgressState state = committed.get(place);
            if (record.offset() >= state.readTo() || state.unfinished().contains(record.offset())) {
                lying.merge(tenant(record.headers()) + place.topic(), 1L, Long::sum);
            }
        }));
        delayed.forEach(record -> lying.merge(tenant(record.headers()) + record.topic(), 1L, Long::sum));
        books.forEach((tenant, own) -> {
            for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DELAY)) {
                assertThat(own.in(Place.of(lane))).as("%s: %s in %s", how, tenant, lane)
                        .isEqualTo(lying.getOrDefault(tenant + topics.lane(lane), 0L));
            }
        });
        assertThat(books.values().stream().mapToLong(own -> own.in(Place.DEAD_LETTER)).sum()).as(how).isEqualTo(dead);
    }

    private static String tenant(Headers headers) {
        return new String(headers.lastHeader(ItemHeaders.TENANT).value(), StandardCharsets.UTF_8);
    }
}
