package io.spillway.router.delay;

import io.spillway.kafka.topics.Topics;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Benchmark of the timer store with a million timers: prints figures and asserts none. Not part of the normal run:
 * {@code mvn test -Dtest=TimersBenchmark}. Measures the store alone, without changelog and lanes.
 */
class TimersBenchmark {
    private static final int MILLION = 1_000_000;
    private static final int ROUNDS = 100;
    private static final long NOW = 1_800_000_000_000L;
    private static final long FAR_MILLIS = 3_600_000;

    @TempDir
    private Path directory;

    private final Random random = new Random(20_261_121);
    private final byte[] timer = new byte[300];
    private long offset;
    private long now = NOW;

    @Test
    void a_million_timers_do_not_slow_the_store() {
        KeyValueStore<Bytes, byte[]> small = open("small");
        KeyValueStore<Bytes, byte[]> large = open("large");
        Timers few = new Timers(small);
        Timers million = new Timers(large);
        few.takeDue(now, (at, bytes) -> { });
        million.takeDue(now, (at, bytes) -> { });
        for (int i = 0; i < ROUNDS; i++) {
            thousandDue(few);
            thousandDue(million);
        }
        long startNanos = System.nanoTime();
        for (int i = 0; i < MILLION; i++) {
            million.put(NOW + FAR_MILLIS + random.nextInt(86_400_000), offset++, timer);
        }
        System.out.printf("put 1,000,000 timers of %d bytes: %.2f us each%n", timer.length,
                (System.nanoTime() - startNanos) / 1e3 / MILLION);
        double[] withFew = new double[ROUNDS];
        double[] withMillion = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            withFew[i] = thousandDue(few);
            withMillion[i] = thousandDue(million);
        }
        print("1,000 due, none else waiting", withFew);
        print("1,000 due, 1,000,000 waiting far ahead, in turns", withMillion);
        nothingDue(million);

        for (int i = 0; i < 200_000; i++) {
            million.put(now + 1 + i / 100, offset++, timer);
        }
        now += 3_000;
        double[] took = new double[200];
        for (int i = 0; i < took.length; i++) {
            took[i] = millis(() -> million.takeDue(now, (at, bytes) -> { }));
        }
        print("each 1,000 of 200,000 due at once, 1,000,000 waiting", took);
        print("seek from the cursor after 200,000 deletes", seeks(large, null));
        print("seek from the start after 200,000 deletes", seeks(large, Bytes.wrap(new byte[16])));
        Timers restarted = new Timers(large);
        System.out.printf("first look after a restart (from the start): %.2f ms, estimate %,d%n",
                millis(() -> restarted.takeDue(now, (at, bytes) -> { })), restarted.waiting());
        small.close();
        large.close();
    }

    private KeyValueStore<Bytes, byte[]> open(String name) {
        StateStoreContext context = new MockProcessorContext<byte[], byte[]>(
                properties(), new TaskId(1, 0), directory.resolve(name).toFile()).getStateStoreContext();
        KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(Topics.TIMER_STORE), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingDisabled()
                .build();
        store.init(context, store);
        return store;
    }

    /** Returns how long it takes to take 1,000 timers, in milliseconds. */
    private double thousandDue(Timers timers) {
        for (int i = 0; i < 1_000; i++) {
            timers.put(now + 1 + random.nextInt(50), offset++, timer);
        }
        now += 50;
        return millis(() -> {
            if (timers.takeDue(now, (at, bytes) -> { }) != 1_000) {
                throw new AssertionError("not 1,000");
            }
        });
    }

    private void nothingDue(Timers timers) {
        double[] took = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            took[round] = millis(() -> {
                for (int i = 0; i < 1_000; i++) {
                    timers.takeDue(now, (at, bytes) -> { });
                }
            }) / 1_000;
        }
        print("nothing due, 1,000,000 waiting", took);
    }

    /** Opens a scan and reads one timer, from the given key or from the cursor. */
    private double[] seeks(KeyValueStore<Bytes, byte[]> store, Bytes from) {
        Bytes cursor;
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            cursor = all.next().key;
        }
        double[] took = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            took[round] = millis(() -> {
                try (KeyValueIterator<Bytes, byte[]> scan = store.range(from == null ? cursor : from, null)) {
                    scan.next();
                }
            });
        }
        return took;
    }

    private static double millis(Runnable task) {
        long startNanos = System.nanoTime();
        task.run();
        return (System.nanoTime() - startNanos) / 1e6;
    }

    private static void print(String what, double[] millis) {
        Arrays.sort(millis);
        System.out.printf("%-55s median %8.4f ms, most %8.4f ms (%d runs)%n",
                what, millis[millis.length / 2], millis[millis.length - 1], millis.length);
    }

    private static Properties properties() {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "benchmark");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "unused:1");
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, TimerStoreMemory.class);
        return properties;
    }
}
