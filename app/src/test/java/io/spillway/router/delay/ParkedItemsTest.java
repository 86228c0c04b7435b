package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.retry.RetryKey;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ParkedItemsTest {
    /** Stored items would be in another group if it changed. */
    private static final long GROUP_OF_ACME_AT_X = 0x99A87367B05D2300L;

    private static final Comparator<Parked> BY_END = Comparator.comparingLong(Parked::endMillis);
    private static final Comparator<Parked> ORDER = Comparator.comparingInt(Parked::attemptClass).thenComparing(BY_END);

    private final List<Bytes> scannedFrom = new ArrayList<>();
    private final Map<RetryKey, Long> counts = new HashMap<>();
    private KeyValueStore<Bytes, byte[]> store;
    private ParkedItems items;

    @BeforeEach
    void open() {
        KeyValueStore<Bytes, byte[]> inMemory = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore("timers"), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingDisabled()
                .build();
        inMemory.init(new MockProcessorContext<>(new Properties()).getStateStoreContext(), inMemory);
        store = watched(inMemory);
        items = new ParkedItems(store, (key, number) -> counts.merge(key, number, Long::sum));
    }

    @Test
    void items_of_a_group_leave_in_the_order_of_their_ends_and_then_of_arrival() {
        start();
        items.put(key("a"), 1, 500, 7, new byte[] {7});
        items.put(key("a"), 1, 300, 9, new byte[] {9});
        items.put(key("b"), 1, 100, 1, new byte[] {1});
        items.put(key("a"), 1, 300, 8, new byte[] {8});

        assertThat(takeAll("a")).containsExactly(8L, 9L, 7L);
        assertThat(items.next(key("a"))).isEmpty();
        assertThat(items.isEmpty()).isFalse();
        assertThat(takeAll("b")).containsExactly(1L);
        assertThat(items.isEmpty()).isTrue();
        assertThat(store.all()).isExhausted();
    }

    @Test
    void a_removed_item_costs_one_scan_that_begins_at_it_and_the_last_one_costs_none() {
        start();
        for (int i = 0; i < 100; i++) {
            items.put(key("a"), 1, i, i, new byte[1]);
            items.put(key("b"), 1, i, i, new byte[1]);
        }
        scannedFrom.clear();
        takeAll("a");
        assertThat(scannedFrom).hasSize(99).isSorted().doesNotHaveDuplicates();
        assertThat(scannedFrom.getLast()).isEqualTo(ParkedKey.of(ParkedKey.group(key("a")), 1, 98, 98));
    }

    @Test
    void a_restored_store_is_indexed_with_one_scan_for_each_group_and_counted_in_parts() {
        start();
        for (int i = 0; i < 2_500; i++) {
            items.put(key("t" + i % 10), 1, 1_000 + i, i, new byte[1]);
        }
        items.close();
        assertThat(counts.values()).containsOnly(0L);
        items = new ParkedItems(store, (key, number) -> counts.merge(key, number, Long::sum));
        scannedFrom.clear();
        List<Long> firsts = new ArrayList<>();
        while (!items.isIndexed()) {
            items.seekClass().ifPresent(first -> {
                firsts.add(first.offset());
                items.index(key("t" + first.offset() % 10));
            });
        }
        assertThat(firsts).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(scannedFrom).hasSize(11);
        assertThat(items.remove(key("t3"), items.next(key("t3")).orElseThrow().key())).hasValue(1_013);
        items.put(key("t4"), 1, 1, 9_999, new byte[1]);

        assertThat(List.of(items.count(), items.count(), items.count(), items.count()))
                .containsExactly(1_000, 1_000, 500, 0);
        assertThat(counts).containsEntry(key("t3"), 249L).containsEntry(key("t4"), 251L).containsEntry(key("t5"), 250L);
        assertThat(items.next(key("t4"))).get().extracting(ParkedItems.Item::offset).isEqualTo(9_999L);
    }

    @Test
    void keys_of_parked_items_follow_the_timers_and_stay_what_they_are() {
        Bytes key = ParkedKey.of(ParkedKey.group(new RetryKey("x", "acme")), 7, 5, 6);
        assertThat(key.compareTo(Timers.END)).isPositive();
        assertThat(key.compareTo(ParkedKey.FIRST)).isPositive();
        assertThat(key.compareTo(ParkedKey.LAST)).isNegative();
        assertThat(key.toString()).isEqualTo(ParkedKey.of(GROUP_OF_ACME_AT_X, 7, 5, 6).toString());
        assertThat(WaitingTimer.offsetOf(key.get())).contains(6L);
        assertThat(WaitingTimer.of(key.get(), new byte[0]).isParked()).isTrue();
        assertThat(WaitingTimer.offsetOf(Timers.END.get())).isEmpty();
        assertThat(WaitingTimer.offsetOf(new byte[24])).isEmpty();
        assertThat(WaitingTimer.offsetOf(new byte[25])).isEmpty();
        assertThat(WaitingTimer.offsetOf(new byte[26])).isEmpty();
        assertThat(WaitingTimer.offsetOf(new byte[16])).contains(0L);
    }

    @Test
    void items_with_fewer_attempts_leave_first_and_those_that_end_first_are_found_in_any_class() {
        start();
        items.put(key("a"), 3, 100, 1, new byte[1]);
        items.put(key("a"), 2, 300, 2, new byte[1]);
        items.put(key("a"), 1, 500, 3, new byte[1]);
        items.put(key("a"), 1, 400, 4, new byte[1]);

        assertThat(items.firstToEnd(key("a"))).get().extracting(ParkedItems.Item::offset).isEqualTo(1L);
        ParkedItems.Item next = items.next(key("a")).orElseThrow();
        assertThat(next.offset()).isEqualTo(4);
        assertThat(items.remove(key("a"), next.key())).as("the end of the first of any class").hasValue(100);
        assertThat(items.remove(key("a"), items.firstToEnd(key("a")).orElseThrow().key())).hasValue(300);
        assertThat(takeAll("a")).containsExactly(3L, 2L);
        assertThat(items.isEmpty()).isTrue();
        assertThat(store.all()).isExhausted();
    }

    @Test
    void random_items_leave_as_in_a_model_and_are_counted_also_after_restarts() {
        start();
        long seed = Long.getLong("spillway.test.seed", 20_261_122);
        Random random = new Random(seed);
        Map<String, TreeMap<Parked, Long>> model = new HashMap<>();
        for (int i = 0; i < 5_000; i++) {
            String tenant = "t" + random.nextInt(5);
            TreeMap<Parked, Long> own = model.computeIfAbsent(tenant, none -> new TreeMap<>(ORDER));
            if (random.nextInt(100) < (i < 2_500 ? 60 : 40)) {
                Parked put = new Parked(1 + random.nextInt(7), random.nextInt(1_000) * 10_000L + i);
                own.put(put, (long) i);
                items.put(key(tenant), put.attemptClass(), put.endMillis(), i, new byte[1]);
            } else if (own.isEmpty()) {
                assertThat(items.next(key(tenant))).isEmpty();
                assertThat(items.firstToEnd(key(tenant))).isEmpty();
            } else {
                boolean isOver = random.nextInt(3) == 0;
                Parked first = isOver ? Collections.min(own.keySet(), BY_END) : own.firstKey();
                ParkedItems.Item taken =
                        (isOver ? items.firstToEnd(key(tenant)) : items.next(key(tenant))).orElseThrow();
                assertThat(taken.offset()).as("seed %d, step %d", seed, i).isEqualTo(own.remove(first));
                assertThat(items.remove(key(tenant), taken.key())).as("seed %d, step %d", seed, i).isEqualTo(
                        own.keySet().stream().mapToLong(Parked::endMillis).min());
            }
            if (i % 1_000 == 999) {
                restart(model);
            }
            assertThat(counts.getOrDefault(key(tenant), 0L)).isEqualTo(own.size());
        }
    }

    private record Parked(int attemptClass, long endMillis) {}

    private void restart(Map<String, TreeMap<Parked, Long>> model) {
        items.close();
        items = new ParkedItems(store, (key, number) -> counts.merge(key, number, Long::sum));
        for (var first = items.seekClass(); first.isPresent(); first = items.seekClass()) {
            long offset = first.get().offset();
            items.index(key(model.entrySet().stream().filter(each -> each.getValue().containsValue(offset))
                    .findFirst().orElseThrow().getKey()));
        }
        while (!items.isCounted()) {
            items.count();
        }
    }

    /** Indexes and counts the empty store, as at a start. */
    private void start() {
        assertThat(items.seekClass()).isEmpty();
        assertThat(items.count()).isZero();
    }

    private static RetryKey key(String tenant) {
        return new RetryKey("", tenant);
    }

    private List<Long> takeAll(String tenant) {
        List<Long> taken = new ArrayList<>();
        for (var first = items.next(key(tenant)); first.isPresent(); first = items.next(key(tenant))) {
            taken.add(first.get().offset());
            items.remove(key(tenant), first.get().key());
        }
        return taken;
    }

    @SuppressWarnings("unchecked")
    private KeyValueStore<Bytes, byte[]> watched(KeyValueStore<Bytes, byte[]> watched) {
        return (KeyValueStore<Bytes, byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {KeyValueStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("range")) {
                        scannedFrom.add((Bytes) arguments[0]);
                    }
                    return method.invoke(watched, arguments);
                });
    }
}
