package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
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

/** Ledger of the model's tenants, from its transactions; the model adds the router's entries itself. */
final class ModelLedger {
    private final Map<String, TenantBalance> balances = new HashMap<>();
    private long deadByReason;

    /** Adds an entry of a committed transaction. */
    void add(String tenant, ItemState from, long[] counts) {
        if (LedgerOwner.deadReason(tenant).isPresent()) {
            deadByReason += counts[ItemState.DEAD_LETTER.ordinal()];
            return;
        }
        if (LedgerOwner.dropReason(tenant).isPresent()) {
            return;
        }
        balances.put(tenant, balances.getOrDefault(tenant, TenantBalance.EMPTY).plus(from, counts));
    }

    /** Adds a move of one item. */
    void add(Headers item, ItemState from, ItemState to) {
        long[] counts = new long[ItemState.COUNT];
        counts[to.ordinal()] = 1;
        add(tenant(item), from, counts);
    }

    /** Adds the move of one item to the dead-letter lane. */
    void addDead(Headers item, ItemState from) {
        add(item, from, ItemState.DEAD_LETTER);
        deadByReason++;
    }

    /** Asserts that the balances equal the number of items of each tenant in each lane. */
    void check(
            String how, Topics topics, Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs,
            Map<TopicPartition, ProgressState> committed, List<ProducerRecord<byte[], byte[]>> delayed, int dead) {
        Map<String, Long> stored = new HashMap<>();
        logs.forEach((partition, log) -> log.forEach(record -> {
            ProgressState state = committed.get(partition);
            if (record.offset() >= state.readTo() || state.unfinished().contains(record.offset())) {
                stored.merge(tenant(record.headers()) + partition.topic(), 1L, Long::sum);
            }
        }));
        delayed.forEach(record -> stored.merge(tenant(record.headers()) + record.topic(), 1L, Long::sum));
        balances.forEach((tenant, balance) -> {
            for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DELAY)) {
                assertThat(balance.in(ItemState.of(lane))).as("%s: %s in %s", how, tenant, lane)
                        .isEqualTo(stored.getOrDefault(tenant + topics.lane(lane), 0L));
            }
        });
        assertThat(balances.values().stream().mapToLong(balance -> balance.in(ItemState.DEAD_LETTER)).sum())
                .as(how).isEqualTo(dead);
        assertThat(deadByReason).as(how).isEqualTo(dead);
    }

    /** Asserts that an item is in at most one lane, and that an item in no lane was handled. */
    static void checkLanes(
            String how, Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs,
            Map<TopicPartition, ProgressState> committed, List<ProducerRecord<byte[], byte[]>> delayed,
            Set<String> dead, Set<String> handled) {
        Map<String, Integer> copies = new HashMap<>();
        logs.forEach((partition, log) -> {
            ProgressState state = committed.get(partition);
            log.forEach(record -> {
                boolean isFinished = record.offset() < state.readTo() && !state.unfinished().contains(record.offset());
                copies.merge(id(record.value()), isFinished ? 0 : 1, Integer::sum);
            });
        });
        delayed.forEach(record -> copies.merge(id(record.value()), 1, Integer::sum));
        dead.forEach(id -> copies.merge(id, 1, Integer::sum));
        copies.forEach((id, count) -> {
            assertThat(count).as("%s: copies of %s", how, id).isLessThanOrEqualTo(1);
            assertThat(count == 1 || handled.contains(id)).as("%s: %s is lost", how, id).isTrue();
        });
    }

    /** Returns the id of the item with this value. */
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
