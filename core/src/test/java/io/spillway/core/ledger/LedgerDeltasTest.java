package io.spillway.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.ItemState;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class LedgerDeltasTest {
    private final LedgerDeltas sums = new LedgerDeltas(ItemState.HOT);

    @Test
    void each_move_is_counted_for_its_tenant_and_new_state() {
        sums.add("a", ItemState.DONE);
        sums.add("b", ItemState.DROPPED);
        sums.add("a", ItemState.DONE);
        sums.add("a", ItemState.DELAY);

        assertThat(read(sums)).isEqualTo(Map.of("a/DONE", 2L, "a/DELAY", 1L, "b/DROPPED", 1L));
        assertThat(sums.size()).isEqualTo(2);
    }

    @Test
    void an_item_that_is_taken_back_is_not_counted() {
        sums.add("a", ItemState.DONE);
        sums.add("a", ItemState.DONE);
        sums.remove("a", ItemState.DONE);
        assertThat(read(sums)).isEqualTo(Map.of("a/DONE", 1L));
        assertThat(sums.isEmpty()).isFalse();
    }

    @Test
    void after_clear_the_table_is_empty() {
        for (int i = 0; i < 1_000; i++) {
            sums.add("tenant-" + i, ItemState.DONE);
        }
        sums.clear();
        assertThat(sums.isEmpty()).isTrue();
        sums.add("tenant-1", ItemState.DELAY);
        assertThat(read(sums)).isEqualTo(Map.of("tenant-1/DELAY", 1L));
    }

    @Test
    void random_moves_have_the_same_sums_as_in_a_plain_map() {
        for (int run = 0; run < 20; run++) {
            long seed = System.nanoTime();
            Random random = new Random(seed);
            Map<String, Long> expected = new HashMap<>();
            LedgerDeltas all = new LedgerDeltas(ItemState.HOT);
            for (int batch = 0; batch < 3; batch++) {
                LedgerDeltas some = new LedgerDeltas(ItemState.HOT);
                for (int i = random.nextInt(5_000); i > 0; i--) {
                    String tenant = "t" + random.nextInt(700);
                    ItemState to = ItemState.values()[1 + random.nextInt(ItemState.COUNT - 1)];
                    some.add(tenant, to);
                    expected.merge(tenant + "/" + to, 1L, Long::sum);
                }
                all.takeAll(some);
                assertThat(some.isEmpty()).isTrue();
            }
            assertThat(read(all)).as("seed %d", seed).isEqualTo(expected);
        }
    }

    @Test
    void names_that_share_a_java_hash_are_kept_apart() {
        assertThat("Aa").hasSameHashCodeAs("BB");
        sums.add("Aa", ItemState.DONE);
        sums.add("BB", ItemState.DROPPED);
        assertThat(read(sums)).isEqualTo(Map.of("Aa/DONE", 1L, "BB/DROPPED", 1L));
    }

    @Test
    void names_of_any_length_are_told_apart_over_many_clears() {
        for (int round = 0; round < 3; round++) {
            Map<String, Long> expected = new HashMap<>();
            for (int length = 1; length <= ItemLimits.MAX_NAME_LENGTH; length++) {
                for (String name : new String[] {"a".repeat(length), "a".repeat(length - 1) + "b"}) {
                    sums.add(name, ItemState.DONE);
                    sums.add(name, ItemState.DONE);
                    expected.put(name + "/DONE", 2L);
                }
            }
            assertThat(read(sums)).isEqualTo(expected);
            sums.clear();
        }
    }

    @Test
    void a_name_that_is_not_ascii_is_rejected_and_leaves_no_trace() {
        sums.add("a", ItemState.DONE);
        assertThatThrownBy(() -> sums.add("a\u00e9", ItemState.DONE)).isInstanceOf(IllegalArgumentException.class);
        sums.add("b", ItemState.DROPPED);
        assertThat(read(sums)).isEqualTo(Map.of("a/DONE", 1L, "b/DROPPED", 1L));
    }

    @Test
    void at_its_bound_it_requests_a_commit_and_still_accepts_more() {
        for (int i = 0; i < LedgerDeltas.MANY - 1; i++) {
            sums.add("t" + i, ItemState.DONE);
        }
        assertThat(sums.isFull()).isFalse();
        sums.add("another", ItemState.DONE);
        assertThat(sums.isFull()).isTrue();
        sums.add("one more", ItemState.DONE);
        assertThat(sums.size()).isEqualTo(LedgerDeltas.MANY + 1);
    }

    @ParameterizedTest
    @EnumSource(value = ItemState.class, names = {"DONE", "DROPPED"})
    void items_cannot_leave_a_final_state(ItemState end) {
        assertThatThrownBy(() -> new LedgerDeltas(end)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource(value = ItemState.class, names = "HOT", mode = Mode.EXCLUDE)
    void counts_of_another_state_are_not_added(ItemState other) {
        if (ItemState.LEFT.contains(other)) {
            assertThatThrownBy(() -> sums.takeAll(new LedgerDeltas(other)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static Map<String, Long> read(LedgerDeltas sums) {
        Map<String, Long> read = new HashMap<>();
        sums.forEach((tenant, from, counts) -> {
            for (ItemState to : ItemState.values()) {
                if (counts[to.ordinal()] > 0) {
                    read.put(tenant + "/" + to, counts[to.ordinal()]);
                }
            }
        });
        return read;
    }
}
