package io.spillway.router.delay;

import io.spillway.Fuzz;
import io.spillway.core.delay.DelayedItem;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.routing.ReplayRules;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.Origin;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** Keys and values of the timer store of any bytes, and timers and parked items at any times. See {@link Fuzz}. */
class TimersFuzzTest {
    private static final long NOW_MILLIS = 1_795_000_000_000L;
    private static final int VERSION_AND_TIME_BYTES = 9;
    private static final String[] TEXTS = {
        "acme", "1795000001000", "-1", "9223372036854775807", "retry", "scheduled", "spillway.ingress-3-12", "2"
    };
    private static final List<String> NAMES = List.of(
            ItemHeaders.TENANT, ItemHeaders.ID, ItemHeaders.DUE, ItemHeaders.ATTEMPT, ItemHeaders.LANE_REASON,
            ItemHeaders.ORIGIN, ItemHeaders.REPLAYED_AT, ItemHeaders.DELIVER_AT, ItemHeaders.DESTINATION);

    private final DelayReader reader = new DelayReader(new ItemReader(ItemSchemas.load(), 100_000));
    private final KeyValueStore<Bytes, byte[]> store = store();

    @Test
    void a_value_is_damaged_or_is_a_record_that_is_encoded_to_the_same() {
        Fuzz.of("timer values", TimersFuzzTest::timer).afterPrefix(VERSION_AND_TIME_BYTES).withTexts(TEXTS)
                .check(this::isTimer);
    }

    @Test
    void a_key_is_of_no_item_or_of_one_at_an_offset() {
        Fuzz.of("timer keys", TimersFuzzTest::key).check(this::isKey);
    }

    @Test
    void timers_fire_once_in_order_and_never_early_and_parked_items_leave_once_in_order() {
        Fuzz.of("timers and parked items", TimersFuzzTest::steps).usually(1_000).checkAllAccepted(this::holdsForSteps);
    }

    private boolean isTimer(byte[] bytes) {
        Record<byte[], byte[]> record;
        try {
            record = TimerCodec.decode(bytes);
        } catch (DamagedTimerException e) {
            Fuzz.require(WaitingTimer.of(ParkedKey.of(1, 1, 1, 1).get(), bytes).item().isEmpty(), "damaged");
            return false;
        }
        Fuzz.require(WaitingTimer.of(ParkedKey.of(1, 1, 1, 1).get(), bytes).item().isPresent(), "not damaged");
        requireEqual(record, TimerCodec.decode(TimerCodec.encode(record)));
        // What the delay stage stores is read to the same item when it fires.
        if (reader.read(record, new Origin("delay", 0, 1), NOW_MILLIS) instanceof DelayReader.Arrival.Waits waits) {
            DelayedItem item = waits.item();
            Fuzz.require(item.times().dueMillis() <= NOW_MILLIS + ReplayRules.LONGEST_WAIT_MILLIS, "due", item);
            Record<byte[], byte[]> again = TimerCodec.decode(TimerCodec.encode(record));
            DelayedItem read = reader.readAgain(again, NOW_MILLIS).orElseThrow();
            Fuzz.require(read.key().equals(item.key()) && read.workload().equals(item.workload())
                    && read.attempts() == item.attempts() && read.isRetry() == item.isRetry()
                    && read.times().ageSinceMillis() == item.times().ageSinceMillis(), "read again", item, read);
        }
        return true;
    }

    private static void requireEqual(Record<byte[], byte[]> one, Record<byte[], byte[]> other) {
        Fuzz.require(Arrays.equals(one.key(), other.key()) && Arrays.equals(one.value(), other.value())
                && one.timestamp() == other.timestamp() && one.headers().equals(other.headers()), "record", one, other);
    }

    private static byte[] timer(SplittableRandom random) {
        Headers headers = new RecordHeaders();
        for (int i = random.nextInt(6); i > 0; i--) {
            headers.add(NAMES.get(random.nextInt(NAMES.size())), random.nextInt(12) == 0 ? null
                    : TEXTS[random.nextInt(TEXTS.length)].getBytes(StandardCharsets.UTF_8));
        }
        if (random.nextBoolean()) {
            headers.add(ItemHeaders.TENANT, new byte[] {'a'}).add(ItemHeaders.DUE, "1795000000500".getBytes(
                    StandardCharsets.US_ASCII));
        }
        byte[] value = new byte[random.nextInt(random.nextInt(10) == 0 ? 300 : 8)];
        Record<byte[], byte[]> record = new Record<>(random.nextBoolean() ? null : new byte[random.nextInt(5)],
                random.nextInt(8) == 0 ? null : value, random.nextLong(Long.MAX_VALUE) >> random.nextInt(63), headers);
        byte[] bytes = TimerCodec.encode(record);
        requireEqual(record, TimerCodec.decode(bytes));
        return bytes;
    }

    private boolean isKey(byte[] key) {
        Optional<Long> offset = WaitingTimer.offsetOf(key);
        if (offset.isPresent()) {
            WaitingTimer timer = WaitingTimer.of(key, new byte[0]);
            Fuzz.require(timer.offset() == offset.get() && timer.item().isEmpty(), "offset", offset, timer);
            Fuzz.require(!timer.isParked() || Bytes.wrap(key).compareTo(Timers.END) > 0, "parked before the end");
        }
        return offset.isPresent();
    }

    private static byte[] key(SplittableRandom random) {
        if (random.nextBoolean()) {
            byte[] key = new byte[16];
            random.nextBytes(key);
            return key;
        }
        long offset = random.nextLong(Long.MAX_VALUE);
        byte[] key = ParkedKey.of(random.nextLong(), random.nextInt(1, 8), random.nextLong(), offset).get();
        Fuzz.require(WaitingTimer.offsetOf(key).equals(Optional.of(offset)), "offset", offset);
        return key;
    }

    private static byte[] steps(SplittableRandom random) {
        byte[] steps = new byte[random.nextInt(10, 150)];
        random.nextBytes(steps);
        return steps;
    }

    /** Runs the steps on the store and on a model of sorted sets: two bytes are a step. */
    private boolean holdsForSteps(byte[] steps) {
        Stage stage = new Stage(store);
        for (int i = 0; i + 1 < steps.length; i += 2) {
            stage.step(steps[i] & 0xff, steps[i + 1] & 0xff);
        }
        stage.drain();
        return true;
    }

    private static KeyValueStore<Bytes, byte[]> store() {
        KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore("timers"), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingDisabled()
                .build();
        store.init(new MockProcessorContext<>(new Properties()).getStateStoreContext(), store);
        return store;
    }

    /** Timers and parked items of one store, each with a model. */
    private static final class Stage {
        private static final int GROUPS = 3;

        private record Timer(long dueMillis, long offset) {}

        private record Parked(int attemptClass, long endMillis, long offset) {}

        private final KeyValueStore<Bytes, byte[]> store;
        private final TreeSet<Timer> waiting =
                new TreeSet<>(Comparator.comparingLong(Timer::dueMillis).thenComparingLong(Timer::offset));
        private final List<TreeSet<Parked>> parked = new ArrayList<>();
        private final Map<RetryKey, Long> counts = new HashMap<>();
        private Timers timers;
        private ParkedItems items;
        private long nowMillis = 1_000_000;
        private long offset;

        Stage(KeyValueStore<Bytes, byte[]> store) {
            this.store = store;
            List<Bytes> keys = new ArrayList<>();
            try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
                all.forEachRemaining(each -> keys.add(each.key));
            }
            keys.forEach(store::delete);
            for (int group = 0; group < GROUPS; group++) {
                parked.add(new TreeSet<>(Comparator.comparingInt(Parked::attemptClass)
                        .thenComparingLong(Parked::endMillis).thenComparingLong(Parked::offset)));
            }
            open();
        }

        void step(int kind, int number) {
            switch (kind % 9) {
                case 0, 1 -> put(nowMillis + number - 30);
                case 2 -> put(nowMillis + (long) number * number * number);
                case 3, 4 -> {
                    nowMillis = Math.max(0, nowMillis + number - 20);
                    take(Integer.MAX_VALUE);
                }
                case 5 -> park(number);
                case 6 -> leave(number, false);
                case 7 -> leave(number, true);
                default -> {
                    if (number % 2 == 0) {
                        take(number % 5);
                    }
                    open();
                }
            }
        }

        void drain() {
            // What fires may add timers.
            for (int i = 0; i < 100 && !waiting.isEmpty(); i++) {
                nowMillis += 1L << 30;
                take(Integer.MAX_VALUE);
            }
            take(Integer.MAX_VALUE);
            Fuzz.require(waiting.isEmpty() && timers.nextDueMillis() == Timers.NEVER, "left", waiting);
            for (int group = 0; group < GROUPS; group++) {
                while (!parked.get(group).isEmpty()) {
                    leave(group, false);
                }
                leave(group, true);
            }
            Fuzz.require(items.isEmpty() && counts.values().stream().allMatch(count -> count == 0), "counts", counts);
        }

        private void put(long dueMillis) {
            waiting.add(new Timer(dueMillis, offset));
            timers.put(dueMillis, offset++, new byte[] {1});
        }

        /** Takes what is due; the handler fails at one of them, and then the store is opened again. */
        private void take(int failsAt) {
            List<Timer> fired = new ArrayList<>();
            try {
                timers.takeDue(nowMillis, (each, value) -> {
                    Timer first = waiting.first();
                    Fuzz.require(first.offset() == each && first.dueMillis() <= nowMillis, "fired", each, waiting);
                    if (fired.size() == failsAt) {
                        throw new IllegalStateException("test");
                    }
                    fired.add(waiting.pollFirst());
                    if (each % 7 == 0) {
                        put(nowMillis + 1 + each % 5);
                    }
                });
            } catch (IllegalStateException failed) {
                open();
                return;
            }
            Fuzz.require(waiting.isEmpty() || waiting.first().dueMillis() > nowMillis, "late", nowMillis, waiting);
            Fuzz.require(waiting.isEmpty() || timers.nextDueMillis() <= waiting.first().dueMillis(), "next", waiting);
        }

        private void park(int number) {
            int group = number % GROUPS;
            Parked item = new Parked(1 + number % 7, nowMillis + number / 2, offset++);
            parked.get(group).add(item);
            timers.storeEnd();
            items.put(key(group), item.attemptClass(), item.endMillis(), item.offset(), new byte[] {(byte) group});
        }

        private void leave(int number, boolean byEnd) {
            int group = number % GROUPS;
            TreeSet<Parked> model = parked.get(group);
            Optional<Parked> expected = !byEnd ? model.stream().findFirst()
                    : model.stream().min(Comparator.comparingLong(Parked::endMillis));
            Optional<ParkedItems.Item> next = byEnd ? items.firstToEnd(key(group)) : items.next(key(group));
            Fuzz.require(next.isPresent() == expected.isPresent(), "present", next, model);
            next.ifPresent(item -> {
                Parked left = model.stream().filter(each -> each.offset() == item.offset()).findFirst().orElseThrow();
                Fuzz.require(byEnd ? left.endMillis() == expected.get().endMillis() : left.equals(expected.get()),
                        "order", left, model);
                model.remove(left);
                items.remove(key(group), item.key());
            });
        }

        /** Opens the store as after a restart. */
        private void open() {
            timers = new Timers(store);
            counts.clear();
            items = new ParkedItems(store, (key, number) -> counts.merge(key, number, Long::sum));
            while (!items.isIndexed()) {
                items.seekClass().ifPresent(first -> items.index(key(first.value()[0])));
            }
            while (!items.isCounted()) {
                items.count();
            }
            for (int group = 0; group < GROUPS; group++) {
                Fuzz.require(counts.getOrDefault(key(group), 0L) == parked.get(group).size(), "count", counts, parked);
            }
        }

        private static RetryKey key(int group) {
            return new RetryKey("mail", "tenant-" + group);
        }
    }
}
