package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.delay.DelayStage;
import io.spillway.core.delay.DelayedItem;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemTimes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Parked items of an earlier run, of more tenants than the gate has groups. */
class DelayStorageTest {
    private static final long NOW_MILLIS = 1_800_000_000_000L;
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.NONE_SET);

    private final List<Long> paid = new ArrayList<>();
    private final List<Long> over = new ArrayList<>();
    private KeyValueStore<Bytes, byte[]> store;
    private DelayStorage storage;
    private DelayStage<DelayRecord> stage;

    @BeforeEach
    void open() {
        store = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore("timers"), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled()
                .withCachingDisabled()
                .build();
        store.init(new MockProcessorContext<>(new Properties()).getStateStoreContext(), store);
    }

    @Test
    void all_end_at_their_time() {
        int tenants = RetryGate.MAX_GROUPS + 50;
        park(tenants, NOW_MILLIS + 1_000);
        open(RetryGate.MAX_GROUPS);
        for (int run = 0; run < 2 * tenants / DelayStorage.INDEXED_AT_ONCE; run++) {
            run(NOW_MILLIS + 1_000 + run * DelayStage.BUSY_PERIOD_MILLIS);
        }
        assertThat(over).hasSize(tenants).doesNotHaveDuplicates();
        assertThat(paid).isEmpty();
        assertThat(storage.parked.isEmpty()).isTrue();
    }

    @Test
    void those_without_a_group_share_one_and_go_on() {
        park(5, NOW_MILLIS + 1_000);
        open(2);
        run(NOW_MILLIS);
        assertThat(paid).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);
        assertThat(storage.parked.isEmpty()).isTrue();
    }

    /** Parks one item of each tenant, in groups of their own. The key of an item is its tenant. */
    private void park(int tenants, long endMillis) {
        ParkedItems earlier = new ParkedItems(store, (key, number) -> {});
        for (int i = 0; i < tenants; i++) {
            byte[] tenant = ("t" + i).getBytes(StandardCharsets.UTF_8);
            earlier.put(key("t" + i), AttemptClasses.of(1), endMillis, i,
                    TimerCodec.encode(new Record<>(tenant, tenant, endMillis)));
        }
    }

    private void open(int maxGroups) {
        ItemEnds ends = new ItemEnds(
                (tenant, workload, margin, now) -> ItemEnds.NO_SWEEP_MILLIS, ItemEnds.NO_FAILURES, () -> 0);
        storage = new DelayStorage(store, (key, number) -> {}, (item, now) -> Optional.of(read(item)), due -> {});
        stage = new DelayStage<>(
                storage, new RetryGate(RetrySettings.DEFAULT, 0, 1, maxGroups), ends, (tenant, workload) -> POLICY);
    }

    /** Returns an item whose time is over when its record says so. */
    private static DelayedItem read(DelayRecord item) {
        long ageSince = item.record().timestamp() - POLICY.retryForMillis();
        return new DelayedItem(key(new String(item.record().key(), StandardCharsets.UTF_8)), "", true, 1,
                new ItemTimes(ageSince, ageSince, ageSince, NOW_MILLIS, true));
    }

    private void run(long nowMillis) {
        assertThat(storage.restore(stage, nowMillis)).isEmpty();
        stage.run(nowMillis).forEach(each -> (each.isGranted() ? paid : over).add(each.item().offset()));
    }

    private static RetryKey key(String tenant) {
        return new RetryKey("", tenant);
    }
}
