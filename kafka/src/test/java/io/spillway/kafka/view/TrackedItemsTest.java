package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.kafka.codec.ItemHeaders;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class TrackedItemsTest {
    private final TrackedItems items = new TrackedItems(2, "acme"::equals);

    @Test
    void the_newest_move_of_an_item_counts() {
        put("acme", "a", "", "hot fresh", 1);
        put("acme", "a", "", "delay retry", 2);
        assertThat(items.of("acme", "a")).contains(new TrackedItems.Fate(ItemState.DELAY, "retry", 3, 2));
        put("acme", "a", "", "done", 3);
        assertThat(items.of("acme", "a")).contains(new TrackedItems.Fate(ItemState.DONE, "", 3, 3));
    }

    @Test
    void other_tenants_deliveries_duplicates_and_what_is_no_move_are_ignored() {
        put("acme", "a", "", "done", 1);
        put("acme", "a", "", "dropped duplicate", 2);
        put("acme", "a", "~crm", "delay retry", 3);
        put("acme", "a", "", "nonsense", 4);
        put("acme", "a", "", "outside", 5);
        put("bolt", "a", "", "done", 6);
        items.put(new RecordHeaders(), null, 7);
        assertThat(items.of("acme", "a")).map(TrackedItems.Fate::atMillis).contains(1L);
        assertThat(items.of("bolt", "a")).isEmpty();
    }

    @Test
    void what_may_be_a_duplicate_changes_nothing_that_is_known() {
        putUndecided("a", "delay scheduled", 1);
        assertThat(items.of("acme", "a")).map(TrackedItems.Fate::atMillis).contains(1L);
        put("acme", "a", "", "done", 2);
        putUndecided("a", "delay scheduled", 3);
        assertThat(items.of("acme", "a")).contains(new TrackedItems.Fate(ItemState.DONE, "", 3, 2));
    }

    @Test
    void beyond_the_bound_the_item_that_has_not_changed_for_longest_is_forgotten() {
        put("acme", "a", "", "hot fresh", 1);
        put("acme", "b", "", "hot fresh", 2);
        put("acme", "a", "", "done", 3);
        put("acme", "c", "", "hot fresh", 4);
        assertThat(items.of("acme", "b")).isEmpty();
        assertThat(items.of("acme", "a")).isPresent();
        assertThat(items.of("acme", "c")).isPresent();
    }

    private void putUndecided(String id, String value, long atMillis) {
        items.put(headers("acme", id, "").add(ItemHeaders.DEDUPE, bytes("true")), bytes(value), atMillis);
    }

    private void put(String tenant, String id, String workload, String value, long atMillis) {
        items.put(headers(tenant, id, workload), bytes(value), atMillis);
    }

    private static Headers headers(String tenant, String id, String workload) {
        return new RecordHeaders()
                .add(ItemHeaders.TENANT, bytes(tenant)).add(ItemHeaders.ID, bytes(id))
                .add(ItemHeaders.WORKLOAD, bytes(workload)).add(ItemHeaders.ATTEMPT, bytes("3"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
