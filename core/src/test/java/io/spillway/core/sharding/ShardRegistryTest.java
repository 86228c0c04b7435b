package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardRegistryTest {
    @Test
    void with_64_slots_4_a_tenant_and_2_shared_8_700_tenants_have_a_shard_and_every_pair_keeps_the_bound() {
        ShardRegistry book = new ShardRegistry(64, 2);
        int assigned = 0;
        ShardResult answer = book.assign("tenant-0", 4, 1);
        while (answer instanceof ShardResult.Assigned && assigned < 10_416) {
            assigned++;
            answer = book.assign("tenant-" + assigned, 4, 1);
        }
        System.out.println("64 slots, 4 a tenant, 2 shared: " + assigned + " tenants, then " + answer);
        assertThat(assigned).isEqualTo(book.size()).isGreaterThanOrEqualTo(8_700);
        assertThat(answer).isInstanceOfSatisfying(ShardResult.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardResult.Reason.NONE_LEFT));
        requireBound(book, tenants(assigned), 2, "all assigned");
        assertThat(tenants(assigned)).allMatch(tenant -> book.find(tenant).orElseThrow().size() == 4);
    }

    @Test
    void of_8_slots_each_of_the_28_shards_of_2_has_one_tenant_and_the_next_is_refused() {
        ShardRegistry book = new ShardRegistry(8, 1);
        Set<Shard> shards = new HashSet<>();
        for (int i = 0; i < 28; i++) {
            shards.add(shardOf(book.assign("tenant-" + i, 2, 7)));
        }
        assertThat(shards).hasSize(28);
        assertThat(book.assign("one-more", 2, 7)).isInstanceOfSatisfying(ShardResult.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardResult.Reason.FULL));
        assertThat(book.find("one-more")).isEmpty();
    }

    @Test
    void of_2048_slots_2_000_tenants_have_what_the_sharder_draws_for_them_but_where_that_breaks_the_bound() {
        ShardRegistry book = new ShardRegistry(2048, 2);
        ShuffleSharder sharder = new ShuffleSharder(2048, 11);
        int same = 0;
        for (String tenant : tenants(2_000)) {
            Shard shard = shardOf(book.assign(tenant, 4, 11));
            same += shard.equals(Shard.of(sharder.shard(tenant, 4))) ? 1 : 0;
        }
        requireBound(book, tenants(2_000), 2, "2048 slots");
        assertThat(same).isGreaterThan(1_990);
    }

    @ParameterizedTest
    @CsvSource({"64, 4, 2, 6000", "60, 4, 2, 5000", "40, 3, 1, 200", "64, 4, 1, 250", "30, 5, 0, 6", "128, 8, 4, 3000", "9, 3, 2, 84"})
    void after_random_releases_and_reassignments_every_pair_keeps_the_bound(int slots, int size, int overlap, int tenants) {
        Seed seed = new Seed();
        ShardRegistry book = new ShardRegistry(slots, overlap);
        Set<String> assigned = new HashSet<>();
        for (int round = 0; round < 2 * tenants; round++) {
            String tenant = "tenant-" + seed.random().nextInt(tenants);
            Shard before = book.find(tenant).orElse(null);
            if (before != null && seed.random().nextInt(10) == 0) {
                assertThat(book.release(tenant)).as(seed.toString()).hasValue(before);
                assigned.remove(tenant);
            } else if (before != null && seed.random().nextBoolean()) {
                ShardResult answer = book.reassign(tenant, size, seed.random().nextLong());
                Shard after = book.find(tenant).orElseThrow();
                assertThat(after.equals(before)).as("%s: %s", seed, answer).isEqualTo(answer instanceof ShardResult.Refused);
            } else if (book.assign(tenant, size, 1) instanceof ShardResult.Assigned given) {
                assertThat(given.shard().size()).as(seed.toString()).isEqualTo(size);
                assigned.add(tenant);
            }
        }
        assertThat(book.size()).isEqualTo(assigned.size());
        assertThat(book.conflicts()).isEmpty();
        requireBound(book, new ArrayList<>(assigned), overlap, seed.toString());
    }

    @Test
    void the_answer_follows_from_what_is_assigned_and_not_from_the_order_it_came_in() {
        ShardRegistry book = new ShardRegistry(64, 2);
        List<String> tenants = tenants(3_000);
        tenants.forEach(tenant -> book.assign(tenant, 4, 5));
        tenants.subList(0, 500).forEach(book::release);
        List<String> shuffled = new ArrayList<>(tenants.subList(500, 3_000));
        Collections.shuffle(shuffled, new Random(1));
        ShardRegistry again = new ShardRegistry(64, 2);
        for (String tenant : shuffled) {
            assertThat(again.restore(tenant, book.find(tenant).orElseThrow())).isEqualTo(new ShardRecord.Kept());
        }
        for (int i = 0; i < 500; i++) {
            assertThat(again.assign("new-" + i, 4, 5)).isEqualTo(book.assign("new-" + i, 4, 5));
        }
    }

    @Test
    void a_tenant_keeps_its_shard_and_gets_a_new_one_only_for_another_size() {
        ShardRegistry book = new ShardRegistry(64, 2);
        Shard shard = shardOf(book.assign("acme", 4, 1));

        assertThat(book.assign("acme", 4, 999)).isEqualTo(new ShardResult.Assigned(shard, ShardResult.Effort.NONE));
        assertThat(shardOf(book.assign("acme", 5, 1)).size()).isEqualTo(5);
        assertThat(book.size()).isEqualTo(1);
        assertThat(shardOf(book.reassign("acme", 4, 1))).isEqualTo(shard);
        assertThat(shardOf(book.reassign("acme", 4, 1))).isNotEqualTo(shard);
    }

    @Test
    void a_tenant_that_can_have_no_other_shard_keeps_what_it_has() {
        ShardRegistry book = new ShardRegistry(4, 0);
        Shard shard = shardOf(book.assign("acme", 2, 1));
        Shard rest = shardOf(book.assign("globex", 2, 1));

        assertThat(book.reassign("acme", 2, 2)).isInstanceOf(ShardResult.Refused.class);
        assertThat(book.find("acme")).hasValue(shard);
        assertThat(book.assign("acme", 3, 2)).isInstanceOf(ShardResult.Refused.class);
        assertThat(book.find("acme")).hasValue(shard);
        assertThat(shard.overlap(rest)).isZero();
    }

    @Test
    void when_the_draws_fail_the_last_shard_there_is_is_found() {
        for (int last = 0; last < 84; last++) {
            ShardRegistry book = new ShardRegistry(9, 2);
            int number = 0;
            Shard left = null;
            for (int a = 0; a < 9; a++) {
                for (int b = a + 1; b < 9; b++) {
                    for (int c = b + 1; c < 9; c++) {
                        if (number == last) {
                            left = Shard.of(a, b, c);
                        } else {
                            book.restore("tenant-" + number, Shard.of(a, b, c));
                        }
                        number++;
                    }
                }
            }
            assertThat(shardOf(book.assign("late", 3, last))).isEqualTo(left);
        }
    }

    @Test
    void a_search_that_would_take_too_long_is_given_up() {
        // A shard must have a slot on each of 16 partitions, but all of the last are taken: found out only at the end.
        int[] partitionOf = new int[160];
        Arrays.setAll(partitionOf, slot -> slot / 10);
        ShardRegistry book = new ShardRegistry(VirtualSlots.of(16, partitionOf), 0);
        for (int i = 150; i < 160; i++) {
            book.restore("tenant-" + i, Shard.of(i));
        }
        ShardResult answer = book.assign("late", 16, 1);

        assertThat(answer).isInstanceOfSatisfying(ShardResult.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardResult.Reason.GAVE_UP));
        assertThat(answer.effort().steps()).isBetween(ShardSearch.MAX_STEPS, ShardSearch.MAX_STEPS + 20_000);
        assertThat(book.find("late")).isEmpty();
        assertThat(book.assign("late", 15, 1)).isInstanceOf(ShardResult.Assigned.class);
    }

    @Test
    void conflicting_records_are_kept_and_the_pairs_named_whatever_the_order() {
        Map<String, Shard> records = Map.of(
                "a", Shard.of(1, 2, 3, 4), "b", Shard.of(2, 3, 4, 5), "c", Shard.of(9, 10, 11, 12),
                "d", Shard.of(1, 2, 3, 4), "e", Shard.of(4, 5, 6, 7));
        List<ShardConflict> conflicts = List.of(
                new ShardConflict("a", "b", 3), new ShardConflict("a", "d", 4), new ShardConflict("b", "d", 3));
        for (int round = 0; round < 20; round++) {
            List<String> order = new ArrayList<>(records.keySet());
            Collections.sort(order);
            Collections.shuffle(order, new Random(round));
            ShardRegistry book = new ShardRegistry(64, 2);
            long reported = order.stream().filter(t -> book.restore(t, records.get(t)) instanceof ShardRecord.Conflicting).count();

            assertThat(reported).as("%s", order).isEqualTo(2);
            assertThat(book.conflicts()).as("%s", order).isEqualTo(conflicts);
            assertThat(book.find("d")).hasValue(records.get("d"));
            book.reassign("a", 4, round);
            assertThat(book.conflicts()).as("%s", order).containsExactly(new ShardConflict("b", "d", 3));
            book.release("d");
            assertThat(book.conflicts()).isEmpty();
        }
    }

    @Test
    void a_record_that_cannot_be_is_named_and_not_taken_in() {
        ShardRegistry book = new ShardRegistry(VirtualSlots.of(2, 0, 0, 0, 0, 1, 1, 1, 1), 1);

        assertThat(book.restore("acme", Shard.of(1, 8))).isEqualTo(new ShardRecord.Unfit("slot 8: there are 8 slots"));
        assertThat(book.restore("acme", Shard.of(1, 2))).isInstanceOfSatisfying(ShardRecord.Unfit.class,
                unfit -> assertThat(unfit.detail()).contains("same partition", "[1, 2]"));
        assertThat(book.find("acme")).isEmpty();
        assertThat(book.restore("acme", Shard.of(1, 5))).isEqualTo(new ShardRecord.Kept());
    }

    @Test
    void nonsense_is_refused_with_what_is_allowed() {
        assertThatThrownBy(() -> new ShardRegistry(0, 0)).hasMessageContaining("slots = 0: must be from 1 to 4096");
        assertThatThrownBy(() -> new ShardRegistry(4097, 0)).hasMessageContaining("4097");
        assertThatThrownBy(() -> new ShardRegistry(64, -1)).hasMessageContaining("overlap = -1: must be from 0 to 9");
        assertThatThrownBy(() -> new ShardRegistry(4096, 5)).hasMessageContaining("from 0 to 4");
        assertThatThrownBy(() -> new ShardRegistry(8, 1).assign("a", 9, 0)).hasMessageContaining("size = 9: must be from 1 to 8");
        assertThatThrownBy(() -> new ShardRegistry(64, 1).assign("a", 17, 0)).hasMessageContaining("from 1 to 16");
        assertThatThrownBy(() -> Shard.of(3, 3)).hasMessageContaining("[3, 3]");
        assertThatThrownBy(() -> Shard.of(-1)).hasMessageContaining("0 or more");
        assertThatThrownBy(Shard::of).hasMessageContaining("from 1 to 16");
    }

    static List<String> tenants(int count) {
        List<String> tenants = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tenants.add("tenant-" + i);
        }
        return tenants;
    }

    static Shard shardOf(ShardResult answer) {
        return ((ShardResult.Assigned) answer).shard();
    }

    /** Compares every pair, and not by the book's own index. */
    static void requireBound(ShardRegistry book, List<String> tenants, int overlap, String what) {
        Shard[] shards = tenants.stream().map(tenant -> book.find(tenant).orElseThrow()).toArray(Shard[]::new);
        Map<String, Integer> broken = new HashMap<>();
        for (int i = 0; i < shards.length; i++) {
            for (int j = 0; j < i; j++) {
                int shared = shards[i].overlap(shards[j]);
                if (shared > overlap) {
                    broken.put(tenants.get(i) + " and " + tenants.get(j), shared);
                }
            }
        }
        assertThat(broken).as(what).isEmpty();
    }
}
