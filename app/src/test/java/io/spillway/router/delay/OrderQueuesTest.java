package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.Turn;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrderQueuesTest {
    private static final KeyHash KEY = KeyHash.ofKey("acme", "", "user-1");
    private static final int STEPS = 2_000;

    private final KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
            Stores.inMemoryKeyValueStore("timers"), Serdes.Bytes(), Serdes.ByteArray()).withLoggingDisabled().build();

    /** A late item was a timer first: its offset is older than those that came meanwhile. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void items_have_their_turns_in_the_order_in_which_they_arrive_whatever_their_offsets(long seed) {
        store.init(new MockProcessorContext<Void, Void>().getStateStoreContext(), store);
        OrderQueues queues = new OrderQueues(store, 0, (tenant, change) -> { });
        Random random = new Random(seed);
        Deque<Long> timers = new ArrayDeque<>();
        Deque<Long> expected = new ArrayDeque<>();
        long nextOffset = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(5)) {
                case 0 -> timers.add(nextOffset++);
                case 1 -> arrive(queues, expected, nextOffset++);
                case 2 -> {
                    if (!timers.isEmpty()) {
                        arrive(queues, expected, random.nextBoolean() ? timers.removeFirst() : timers.removeLast());
                    }
                }
                default -> pass(queues, expected);
            }
        }
        while (!expected.isEmpty()) {
            pass(queues, expected);
        }
        try (var left = store.all()) {
            assertThat(left.hasNext()).as("something is left").isFalse();
        }
    }

    /** A scan would pass what was removed of another key that had a long queue. */
    @Test
    void the_store_is_not_scanned_for_keys_that_nobody_waits_for() {
        store.init(new MockProcessorContext<Void, Void>().getStateStoreContext(), store);
        OrderQueues queues = new OrderQueues(withoutScans(), 0, (tenant, change) -> { });
        Deque<Long> expected = new ArrayDeque<>();
        for (long offset = 0; offset < 3; offset++) {
            arrive(queues, expected, offset);
            pass(queues, expected);
            arrive(new OrderQueues(store, 0, (tenant, change) -> { }), expected, 10 + offset);
            arrive(queues, expected, 5 - offset);
            pass(new OrderQueues(store, 0, (tenant, change) -> { }), expected);
            pass(queues, expected);
        }
    }

    @SuppressWarnings("unchecked")
    private KeyValueStore<Bytes, byte[]> withoutScans() {
        return (KeyValueStore<Bytes, byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {KeyValueStore.class}, (proxy, method, arguments) -> {
                    // Holds of dead letters are read once.
                    boolean isScan = method.getName().toLowerCase(Locale.ROOT).contains("range")
                            && OrderKeys.isWaiting(((Bytes) arguments[0]).get());
                    assertThat(isScan).as(method.getName()).isFalse();
                    return method.invoke(store, arguments);
                });
    }

    /** Builds before 0.1.0 stored the offset alone. */
    @Test
    void turns_of_the_first_format_are_read() {
        store.init(new MockProcessorContext<Void, Void>().getStateStoreContext(), store);
        OrderQueues queues = new OrderQueues(store, 0, (tenant, change) -> { });
        Deque<Long> expected = new ArrayDeque<>();
        arrive(queues, expected, 3);
        arrive(queues, expected, 4);
        store.put(OrderKeys.turns(KEY), ByteBuffer.allocate(1 + Long.BYTES).put((byte) 1).putLong(3).array());

        arrive(queues, expected, 2);
        pass(queues, expected);
        pass(queues, expected);
        pass(queues, expected);
    }

    @Test
    void a_dead_letter_that_holds_its_key_a_second_time_counts_once() {
        store.init(new MockProcessorContext<Void, Void>().getStateStoreContext(), store);
        long[] held = {0};
        OrderQueues queues = new OrderQueues(store, 0, (tenant, change) -> held[0] += change);
        Turn turn = new Turn(0, KEY, 17);

        assertThat(queues.hold(turn, "acme", 1_000)).isTrue();
        assertThat(queues.hold(turn, "acme", 2_000)).isTrue();
        assertThat(held[0]).isEqualTo(1);

        queues.release(KEY);
        assertThat(held[0]).isZero();
    }

    private static void arrive(OrderQueues queues, Deque<Long> expected, long offset) {
        Record<byte[], byte[]> record = new Record<>(null, new byte[0], 0, new RecordHeaders());
        assertThat(queues.arrive(KEY, DelayRecord.of(record, offset))).isEqualTo(expected.isEmpty());
        expected.add(offset);
    }

    private static void pass(OrderQueues queues, Deque<Long> expected) {
        expected.poll();
        assertThat(queues.pass(KEY).map(DelayRecord::offset)).isEqualTo(Optional.ofNullable(expected.peek()));
    }
}
