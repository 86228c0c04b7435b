package io.spillway.router.delay;

import io.spillway.core.retry.RetryKey;
import io.spillway.kafka.topics.Topics;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Benchmark of parked items, 300,000 of 1,000 tenants in one partition: prints figures and asserts none. Not part of
 * the normal run: {@code mvn test -Dtest=ParkedItemsBenchmark}. Measures the store alone.
 */
class ParkedItemsBenchmark {
    private static final int ITEMS = 300_000;
    private static final int TENANTS = 1_000;

    @TempDir
    private Path directory;

    private final byte[] item = new byte[300];

    @Test
    void three_hundred_thousand_items_are_parked_found_again_and_taken_in_turns() {
        KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(Topics.TIMER_STORE), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingDisabled()
                .build();
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "benchmark");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "unused:1");
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, TimerStoreMemory.class);
        store.init(new MockProcessorContext<byte[], byte[]>(properties, new TaskId(1, 0), directory.toFile())
                .getStateStoreContext(), store);
        ParkedItems first = new ParkedItems(store, (key, items) -> { });
        index(first);
        count(first);
        double putMillis = millis(() -> {
            for (int i = 0; i < ITEMS; i++) {
                first.put(key(i), 1, 1_800_000_000_000L + i, i, item);
            }
        });
        System.out.printf("park: %.2f us each%n", 1_000 * putMillis / ITEMS);

        ParkedItems items = new ParkedItems(store, (key, number) -> { });
        System.out.printf("index %,d groups: %.1f ms%n", TENANTS, millis(() -> index(items)));
        System.out.printf("count %,d items: %.1f ms%n", ITEMS, millis(() -> count(items)));
        Timers timers = new Timers(store);
        timers.storeEnd();
        double[] took = new double[ITEMS / 1_000];
        double[] scans = new double[ITEMS / 1_000];
        for (int run = 0; run < took.length; run++) {
            int from = 1_000 * run;
            took[run] = millis(() -> {
                for (int i = from; i < from + 1_000; i++) {
                    items.remove(key(i), items.next(key(i)).orElseThrow().key());
                }
            });
            timers.put(1_000, run, item);
            scans[run] = millis(() -> timers.takeDue(2_000, (offset, timer) -> { }));
        }
        print("take 1,000 of 1,000 tenants", took);
        print("take one timer between", scans);
        store.close();
    }

    private static void index(ParkedItems items) {
        for (var found = items.seekClass(); found.isPresent(); found = items.seekClass()) {
            items.index(key((int) found.get().offset()));
        }
    }

    private static void count(ParkedItems items) {
        while (!items.isCounted()) {
            items.count();
        }
    }

    private static RetryKey key(int item) {
        return new RetryKey("", "tenant-" + item % TENANTS);
    }

    private static double millis(Runnable task) {
        long startNanos = System.nanoTime();
        task.run();
        return (System.nanoTime() - startNanos) / 1e6;
    }

    private static void print(String what, double[] millis) {
        Arrays.sort(millis);
        System.out.printf("%-30s median %8.4f ms, most %8.4f ms (%d runs)%n",
                what, millis[millis.length / 2], millis[millis.length - 1], millis.length);
    }
}
