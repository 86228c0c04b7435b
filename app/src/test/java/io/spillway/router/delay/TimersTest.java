package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.TreeSet;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimersTest {
    private final List<Bytes> scannedFrom = new ArrayList<>();
    private final List<Long> fired = new ArrayList<>();
    private KeyValueStore<Bytes, byte[]> store;
    private Timers timers;

    @BeforeEach
    void open() {
        KeyValueStore<Bytes, byte[]> inMemory = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore("timers"), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingDisabled()
                .build();
        inMemory.init(new MockProcessorContext<>(new Properties()).getStateStoreContext(), inMemory);
        store = watched(inMemory);
        timers = new Timers(store);
    }

    @Test
    void the_store_is_not_scanned_while_the_earliest_timer_is_not_due() {
        timers.put(1_000, 1, new byte[1]);
        take(500);
        assertThat(scannedFrom).hasSize(1);

        for (int now = 501; now < 1_000; now++) {
            take(now);
        }
        assertThat(scannedFrom).hasSize(1);
        assertThat(timers.nextDueMillis()).isEqualTo(1_000);
        assertThat(take(1_000)).containsExactly(1L);
        assertThat(timers.nextDueMillis()).isEqualTo(Timers.NEVER);
        take(2_000);
        assertThat(scannedFrom).hasSize(2);
    }

    @Test
    void a_scan_starts_at_the_earliest_timer_and_not_at_removed_ones() {
        for (int i = 0; i < 3_000; i++) {
            timers.put(1_000 + i, i, new byte[1]);
        }
        take(10_000);
        take(10_000);
        take(10_000);

        assertThat(scannedFrom).extracting(Bytes::toString).doesNotHaveDuplicates().isSorted();
        assertThat(fired).hasSize(3_000).isSorted();
    }

    @Test
    void the_cursor_moves_back_to_an_earlier_timer() {
        timers.put(5_000, 1, new byte[1]);
        take(1_000);
        timers.put(4_000, 2, new byte[1]);
        timers.put(4_500, 3, new byte[1]);
        assertThat(timers.nextDueMillis()).isEqualTo(4_000);

        assertThat(take(4_000)).containsExactly(2L);
        assertThat(take(6_000)).containsExactly(3L, 1L);
        timers.put(100, 4, new byte[1]);
        assertThat(take(6_000)).as("after all were taken, and the clock was set back").containsExactly(4L);
    }

    @Test
    void two_timers_of_the_same_millisecond_are_kept_apart() {
        timers.put(1_000, 8, new byte[1]);
        timers.put(1_000, 7, new byte[1]);

        assertThat(take(1_000)).containsExactly(7L, 8L);
    }

    @Test
    void a_restored_store_keeps_every_timer() {
        timers.put(2_000, 1, new byte[1]);
        timers.put(1_000, 2, new byte[1]);
        timers = new Timers(store);

        assertThat(timers.waiting()).isEqualTo(2);
        assertThat(timers.nextDueMillis()).isZero();
        assertThat(take(1_500)).containsExactly(2L);
        assertThat(timers.nextDueMillis()).isEqualTo(2_000);
    }

    @Test
    void a_timer_whose_handler_failed_stays_in_the_store() {
        timers.put(1_000, 1, new byte[1]);
        assertThatThrownBy(() -> timers.takeDue(1_000, (offset, timer) -> {
            throw new IllegalStateException("test");
        })).hasMessage("test");

        assertThat(take(1_000)).containsExactly(1L);
    }

    @Test
    void random_timers_fire_once_in_order_and_none_early() {
        long seed = Long.getLong("spillway.test.seed", 20_261_121);
        Random random = new Random(seed);
        record Set(long due, long offset) {}
        TreeSet<Set> model = new TreeSet<>(java.util.Comparator.comparingLong(Set::due).thenComparingLong(Set::offset));
        long now = 1_000_000;
        for (int i = 0; i < 50_000; i++) {
            if (random.nextInt(3) > 0) {
                long due = now + 1 + random.nextInt(2_000);
                model.add(new Set(due, i));
                timers.put(due, i, new byte[1]);
            } else {
                now += random.nextInt(200) - 10;
                List<Long> expected = new ArrayList<>();
                while (!model.isEmpty() && model.first().due <= now && expected.size() < Timers.MOST) {
                    expected.add(model.pollFirst().offset);
                }
                assertThat(take(now)).as("step %d of seed %d", i, seed).isEqualTo(expected);
                assertThat(timers.waiting()).as("step %d of seed %d", i, seed).isEqualTo(model.size());
            }
        }
    }

    private List<Long> take(long nowMillis) {
        List<Long> taken = new ArrayList<>();
        timers.takeDue(nowMillis, (offset, timer) -> taken.add(offset));
        fired.addAll(taken);
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
