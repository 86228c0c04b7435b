package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.retry.RetrySettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Parked items of an earlier run, of more tenants than the gate has groups. */
class DelayedRetriesTest {
    private static final long NOW_MILLIS = 1_800_000_000_000L;
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.NONE_SET);

    private final List<Long> paid = new ArrayList<>();
    private final List<Long> over = new ArrayList<>();
    private KeyValueStore<Bytes, byte[]> store;
    private ParkedItems items;

    /** The value of an item is its tenant. */
    private final DelayedRetries.Handler handler = new DelayedRetries.Handler() {
        @Override
        public Optional<DelayedItem> read(byte[] item) {
            RetryKey key = key(new String(item, StandardCharsets.UTF_8));
            return Optional.of(new DelayedItem(key, "", true, 1, NOW_MILLIS, NOW_MILLIS, false));
        }

        @Override
        public boolean paid(long offset, byte[] item) {
            return paid.add(offset);
        }

        @Override
        public void over(long offset, byte[] item) {
            over.add(offset);
        }
    };

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
        DelayedRetries retries = opened(RetryGate.MAX_GROUPS);
        for (int run = 0; run < 2 * tenants / DelayedRetries.INDEXED_AT_ONCE; run++) {
            retries.run(handler, NOW_MILLIS + 1_000);
        }
        assertThat(over).hasSize(tenants).doesNotHaveDuplicates();
        assertThat(paid).isEmpty();
        assertThat(items.isEmpty()).isTrue();
    }

    @Test
    void those_without_a_group_share_one_and_go_on() {
        park(5, NOW_MILLIS + 1_000);
        DelayedRetries retries = opened(2);
        retries.run(handler, NOW_MILLIS);
        assertThat(paid).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);
        assertThat(items.isEmpty()).isTrue();
    }

    /** Parks one item of each tenant, in groups of their own. */
    private void park(int tenants, long endMillis) {
        ParkedItems earlier = new ParkedItems(store, (key, number) -> {});
        for (int i = 0; i < tenants; i++) {
            byte[] value = ("t" + i).getBytes(StandardCharsets.UTF_8);
            earlier.put(key("t" + i), AttemptClasses.of(1), endMillis, i, value);
        }
    }

    private DelayedRetries opened(int maxGroups) {
        items = new ParkedItems(store, (key, number) -> {});
        return new DelayedRetries(new RetryGate(RetrySettings.DEFAULT, 0, 1, maxGroups), items, new Timers(store),
                new AttemptMailboxes().open(), tenant -> POLICY);
    }

    private static RetryKey key(String tenant) {
        return new RetryKey("", tenant);
    }
}
