package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.kafka.codec.KeyHash;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SeenIdsTest {
    private static final long WINDOW_MILLIS = 1_000;

    private final KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
            Stores.inMemoryKeyValueStore("timers"), Serdes.Bytes(), Serdes.ByteArray()).withLoggingDisabled().build();
    private final SeenIds ids = new SeenIds(store, 3);

    @BeforeEach
    void open() {
        MockProcessorContext<Void, Void> context = new MockProcessorContext<>();
        store.init(context.getStateStoreContext(), store);
    }

    @Test
    void ids_beyond_a_tenants_bound_are_new_and_not_remembered_until_others_are_forgotten() {
        assertThat(see("acme", "a", 0)).isEqualTo(SeenIds.Seen.NEW);
        assertThat(see("acme", "b", 0)).isEqualTo(SeenIds.Seen.NEW);
        assertThat(see("acme", "c", 500)).isEqualTo(SeenIds.Seen.NEW);
        assertThat(see("acme", "d", 500)).isEqualTo(SeenIds.Seen.NEW_WITHOUT_ROOM);
        assertThat(see("acme", "d", 500)).isEqualTo(SeenIds.Seen.NEW_WITHOUT_ROOM);
        assertThat(see("bolt", "d", 500)).isEqualTo(SeenIds.Seen.NEW);
        ids.forget(1_000);
        assertThat(see("acme", "c", 1_000)).isEqualTo(SeenIds.Seen.AGAIN);
        assertThat(see("acme", "d", 1_000)).isEqualTo(SeenIds.Seen.NEW);
        assertThat(see("acme", "d", 1_000)).isEqualTo(SeenIds.Seen.AGAIN);
    }

    @Test
    void an_id_that_comes_again_after_its_time_is_remembered_anew() {
        see("acme", "a", 0);
        assertThat(see("acme", "a", 1_500)).isEqualTo(SeenIds.Seen.NEW);
        ids.forget(2_000);
        assertThat(see("acme", "a", 2_000)).isEqualTo(SeenIds.Seen.AGAIN);
        ids.forget(2_500);
        try (var left = store.all()) {
            assertThat(left.hasNext()).isFalse();
        }
    }

    private SeenIds.Seen see(String tenant, String id, long nowMillis) {
        return ids.see(KeyHash.ofId(tenant, "", id), tenant, WINDOW_MILLIS, nowMillis);
    }
}
