package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;

/** The books of the model's tenants as its transactions make them; the router's part the model books by hand. */
final class ModelLedger {
    private final Map<String, TenantBalance> books = new HashMap<>();

    /** A line of a transaction that went through. */
    void book(String tenant, ItemState from, long[] counts, int offset) {
        books.put(tenant, books.getOrDefault(tenant, TenantBalance.EMPTY).plus(from, counts, offset));
    }

    /** One item. */
    void book(Headers item, ItemState from, ItemState to) {
        long[] counts = new long[ItemState.COUNT];
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
                assertThat(own.in(ItemState.of(lane))).as("%s: %s in %s", how, tenant, lane)
                        .isEqualTo(lying.getOrDefault(tenant + topics.lane(lane), 0L));
            }
        });
        assertThat(books.values().stream().mapToLong(own -> own.in(ItemState.DEAD_LETTER)).sum()).as(how).isEqualTo(dead);
    }

    /** At any time an item is in one place at the most, and one that is in none was handled. */
    static void checkPlaces(
            String how, Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs, Map<TopicPartition, ProgressState> committed,
            List<ProducerRecord<byte[], byte[]>> delayed, Set<String> dead, Set<String> handled) {
        Map<String, Integer> places = new HashMap<>();
        logs.forEach((place, log) -> {
            ProgressState state = committed.get(place);
            log.forEach(record -> {
                boolean isFinished = record.offset() < state.readTo() && !state.unfinished().contains(record.offset());
                places.merge(id(record.value()), isFinished ? 0 : 1, Integer::sum);
            });
        });
        delayed.forEach(record -> places.merge(id(record.value()), 1, Integer::sum));
        dead.forEach(id -> places.merge(id, 1, Integer::sum));
        places.forEach((id, count) -> {
            assertThat(count).as("%s: places of %s", how, id).isLessThanOrEqualTo(1);
            assertThat(count == 1 || handled.contains(id)).as("%s: %s is gone and was not handled", how, id).isTrue();
        });
    }

    /** The id of the model's item with this value. */
    static String id(byte[] value) {
        return new String(value, StandardCharsets.UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String tenant(Headers headers) {
        return new String(headers.lastHeader(ItemHeaders.TENANT).value(), StandardCharsets.UTF_8);
    }
}
