package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.hashing.TenantHash;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class UnwrittenBalancesTest {
    private static final Depth NOTHING = new Depth(TenantBalance.EMPTY, FlowRates.startingAt(0), GrowingLimit.NONE, 0);

    private record Expected(TenantBalance balance, Depth written, long offset, long sinceMillis, boolean isUrgent) {}

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final UnwrittenBalances table = new UnwrittenBalances(seed);
    private final Map<String, Expected> expected = new LinkedHashMap<>();

    @RepeatedTest(5)
    void random_changes_give_the_same_content_and_order_as_a_linked_map() {
        int names = 1 << random.nextInt(4, 13);
        for (int round = 0; round < 100; round++) {
            // Sometimes more come than go, sometimes fewer.
            int outOfTen = random.nextInt(10);
            for (int step = 0; step < 400; step++) {
                if (random.nextInt(10) < outOfTen) {
                    addLine("t" + random.nextInt(names), round);
                } else if (random.nextBoolean()) {
                    removeOldest();
                } else {
                    remove("t" + random.nextInt(names));
                }
            }
            if (random.nextInt(30) == 0) {
                table.clear();
                expected.clear();
            }
            checkAll(names);
        }
        while (!expected.isEmpty()) {
            removeOldest();
        }
        checkAll(names);
    }

    @Test
    void after_more_rows_than_it_keeps_an_empty_table_starts_as_new() {
        for (int i = 0; i < UnwrittenBalances.KEPT_ROWS + 100; i++) {
            addLine("t" + i, i);
        }
        checkAll(1_000);
        while (!expected.isEmpty()) {
            removeOldest();
        }
        assertThat(table.isEmpty()).isTrue();
        addLine("t1", 7);
        checkAll(1_000);
    }

    @Test
    void names_with_equal_index_hashes_are_kept_apart() {
        Map<Long, String> byUpperHash = new HashMap<>();
        List<String> colliding = new ArrayList<>();
        for (int i = 0; colliding.size() < 4; i++) {
            byte[] name = bytes("t" + i);
            String other = byUpperHash.put(TenantHash.of(name, 0, name.length, seed) >>> Integer.SIZE, "t" + i);
            if (other != null) {
                colliding.add(other);
                colliding.add("t" + i);
            }
        }
        addLine(colliding.get(0), 1);
        assertThat(find(colliding.get(1))).isEqualTo(UnwrittenBalances.NONE);
        colliding.forEach(name -> addLine(name, 2));
        checkAll(1);
        remove(colliding.get(0));
        remove(colliding.get(3));
        assertThat(find(colliding.get(0))).isEqualTo(UnwrittenBalances.NONE);
        assertThat(find(colliding.get(3))).isEqualTo(UnwrittenBalances.NONE);
        checkAll(1);
    }

    @Test
    void a_prefix_or_suffix_of_a_name_is_not_found() {
        addLine("acme", 1);
        assertThat(find("acme")).isNotEqualTo(UnwrittenBalances.NONE);
        assertThat(find("acm")).isEqualTo(UnwrittenBalances.NONE);
        assertThat(find("acme2")).isEqualTo(UnwrittenBalances.NONE);
        assertThat(find("cme")).isEqualTo(UnwrittenBalances.NONE);
        byte[] around = bytes("xacmey");
        assertThat(table.find(around, 1, 4)).isEqualTo(find("acme"));
    }

    @Test
    void the_change_in_waiting_items_is_those_that_entered_lanes_minus_those_that_left() {
        int row = table.add(bytes("a"), NOTHING, 0, 0);
        table.count(row, ItemState.OUTSIDE, counts(ItemState.HOT, 10), 0);
        table.count(row, ItemState.OUTSIDE, counts(ItemState.DROPPED, 5), 0);
        assertThat(table.waitingChange(row)).isEqualTo(10);
        table.count(row, ItemState.HOT, counts(ItemState.DELAY, 4), 0);
        assertThat(table.waitingChange(row)).isEqualTo(10);
        table.count(row, ItemState.HOT, counts(ItemState.DONE, 3), 0);
        table.count(row, ItemState.DELAY, counts(ItemState.DEAD_LETTER, 4), 0);
        assertThat(table.waitingChange(row)).isEqualTo(3);
        table.count(row, ItemState.AGED, counts(ItemState.DONE, 7), 0);
        assertThat(table.waitingChange(row)).isEqualTo(-4);
    }

    private void addLine(String tenant, long offset) {
        ItemState from = ItemState.LEFT.get(random.nextInt(ItemState.LEFT.size()));
        ItemState to = ItemState.values()[1 + random.nextInt(ItemState.COUNT - 1)];
        long[] counts = counts(to, 1 + random.nextInt(1_000));
        int row = find(tenant);
        if (row == UnwrittenBalances.NONE) {
            assertThat(expected).as("seed %d", seed).doesNotContainKey(tenant);
            Depth written =
                    new Depth(TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts(ItemState.HOT, random.nextInt(50)), 0),
                    FlowRates.startingAt(random.nextInt()), GrowingLimit.NONE, offset);
            row = table.add(bytes(tenant), written, offset, offset + 1);
            expected.put(tenant, new Expected(written.balance(), written, offset, offset + 1, false));
        }
        table.count(row, from, counts, 0);
        boolean isUrgent = random.nextInt(5) == 0;
        if (isUrgent) {
            table.markUrgent(row);
        }
        expected.computeIfPresent(tenant, (name, was) -> new Expected(
                was.balance().plus(from, counts, 0), was.written(), was.offset(), was.sinceMillis(),
                was.isUrgent() || isUrgent));
    }

    private void removeOldest() {
        if (!expected.isEmpty()) {
            String oldest = expected.keySet().iterator().next();
            assertThat(new String(table.tenant(table.oldest()), StandardCharsets.US_ASCII)).as("seed %d", seed)
                    .isEqualTo(oldest);
            expected.remove(oldest);
            table.remove(table.oldest());
        }
    }

    private void remove(String tenant) {
        int row = find(tenant);
        assertThat(expected.remove(tenant) != null).as("seed %d", seed).isEqualTo(row != UnwrittenBalances.NONE);
        if (row != UnwrittenBalances.NONE) {
            table.remove(row);
        }
    }

    private void checkAll(int names) {
        assertThat(table.size()).as("seed %d", seed).isEqualTo(expected.size());
        assertThat(table.isEmpty()).isEqualTo(expected.isEmpty());
        assertThat(table.oldest()).as("seed %d", seed)
                .isEqualTo(expected.isEmpty() ? UnwrittenBalances.NONE : find(expected.keySet().iterator().next()));
        expected.forEach((tenant, balance) -> {
            int row = find(tenant);
            assertThat(new Expected(table.balance(row), table.written(row), table.firstOffset(row),
                    table.sinceMillis(row), table.isUrgent(row)))
                    .as("seed %d, %s", seed, tenant).isEqualTo(balance);
            assertThat(new String(table.tenant(row), StandardCharsets.US_ASCII)).isEqualTo(tenant);
        });
        for (int i = 0; i < names; i++) {
            assertThat(find("t" + i) != UnwrittenBalances.NONE).as("seed %d", seed)
                    .isEqualTo(expected.containsKey("t" + i));
        }
    }

    private int find(String tenant) {
        byte[] name = bytes(tenant);
        return table.find(name, 0, name.length);
    }

    private static long[] counts(ItemState to, long count) {
        long[] counts = new long[ItemState.COUNT];
        counts[to.ordinal()] = count;
        return counts;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
