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
        ShardRegistry registry = new ShardRegistry(64, 2);
        int assigned = 0;
        ShardResult answer = registry.assign("tenant-0", 4, 1);
        while (answer instanceof ShardResult.Assigned && assigned < 10_416) {
            assigned++;
            answer = registry.assign("tenant-" + assigned, 4, 1);
        }
        System.out.println("64 slots, 4 a tenant, 2 shared: " + assigned + " tenants, then " + answer);
        assertThat(assigned).isEqualTo(registry.size()).isGreaterThanOrEqualTo(8_700);
        assertThat(answer).isInstanceOfSatisfying(ShardResult.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardResult.Reason.NONE_LEFT));
        requireBound(registry, tenants(assigned), 2, "all assigned");
        assertThat(tenants(assigned)).allMatch(tenant -> registry.find(tenant).orElseThrow().size() == 4);
    }

    @Test
    void each_of_the_28_shards_of_2_of_8_has_one_tenant_and_the_next_is_rejected() {
        ShardRegistry registry = new ShardRegistry(8, 1);
        Set<Shard> shards = new HashSet<>();
        for (int i = 0; i < 28; i++) {
            shards.add(shardOf(registry.assign("tenant-" + i, 2, 7)));
        }
        assertThat(shards).hasSize(28);
        assertThat(registry.assign("one-more", 2, 7)).isInstanceOfSatisfying(ShardResult.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardResult.Reason.FULL));
        assertThat(registry.find("one-more")).isEmpty();
    }

    @Test
    void with_2048_slots_2_000_tenants_have_the_sharders_draw_unless_it_breaks_the_bound() {
        ShardRegistry registry = new ShardRegistry(2048, 2);
        ShuffleSharder sharder = new ShuffleSharder(2048, 11);
        int same = 0;
        for (String tenant : tenants(2_000)) {
            Shard shard = shardOf(registry.assign(tenant, 4, 11));
            same += shard.equals(Shard.of(sharder.shard(tenant, 4))) ? 1 : 0;
        }
        requireBound(registry, tenants(2_000), 2, "2048 slots");
        assertThat(same).isGreaterThan(1_990);
    }

    @ParameterizedTest
    @CsvSource({"64, 4, 2, 6000", "60, 4, 2, 5000", "40, 3, 1, 200", "64, 4, 1, 250", "30, 5, 0, 6", "128, 8, 4, 3000",
            "9, 3, 2, 84"})
    void after_random_releases_and_reassignments_every_pair_keeps_the_bound(
            int slots, int size, int overlap, int tenants) {
        Seed seed = new Seed();
        ShardRegistry registry = new ShardRegistry(slots, overlap);
        Set<String> assigned = new HashSet<>();
        for (int round = 0; round < 2 * tenants; round++) {
            String tenant = "tenant-" + seed.random().nextInt(tenants);
            Shard before = registry.find(tenant).orElse(null);
            if (before != null && seed.random().nextInt(10) == 0) {
                assertThat(registry.release(tenant)).as(seed.toString()).hasValue(before);
                assigned.remove(tenant);
            } else if (before != null && seed.random().nextBoolean()) {
                ShardResult answer = registry.reassign(tenant, size, seed.random().nextLong());
                Shard after = registry.find(tenant).orElseThrow();
                assertThat(after.equals(before)).as("%s: %s", seed, answer)
                        .isEqualTo(answer instanceof ShardResult.Refused);
            } else if (registry.assign(tenant, size, 1) instanceof ShardResult.Assigned given) {
                assertThat(given.shard().size()).as(seed.toString()).isEqualTo(size);
                assigned.add(tenant);
            }
        }
        assertThat(registry.size()).isEqualTo(assigned.size());
        assertThat(registry.conflicts()).isEmpty();
        requireBound(registry, new ArrayList<>(assigned), overlap, seed.toString());
    }

    @Test
    void the_result_does_not_depend_on_the_order_of_the_assignments() {
        ShardRegistry registry = new ShardRegistry(64, 2);
        List<String> tenants = tenants(3_000);
        tenants.forEach(tenant -> registry.assign(tenant, 4, 5));
        tenants.subList(0, 500).forEach(registry::release);
        List<String> shuffled = new ArrayList<>(tenants.subList(500, 3_000));
        Collections.shuffle(shuffled, new Random(1));
        ShardRegistry again = new ShardRegistry(64, 2);
        for (String tenant : shuffled) {
            assertThat(again.restore(tenant, registry.find(tenant).orElseThrow())).isEqualTo(new ShardRecord.Kept());
        }
        for (int i = 0; i < 500; i++) {
            assertThat(again.assign("new-" + i, 4, 5)).isEqualTo(registry.assign("new-" + i, 4, 5));
        }
    }

    @Test
    void a_tenant_keeps_its_shard_and_gets_a_new_one_only_for_another_size() {
        ShardRegistry registry = new ShardRegistry(64, 2);
        Shard shard = shardOf(registry.assign("acme", 4, 1));

        assertThat(registry.assign("acme", 4, 999)).isEqualTo(new ShardResult.Assigned(shard, ShardResult.Effort.NONE));
        assertThat(shardOf(registry.assign("acme", 5, 1)).size()).isEqualTo(5);
        assertThat(registry.size()).isEqualTo(1);
        assertThat(shardOf(registry.reassign("acme", 4, 1))).isEqualTo(shard);
        assertThat(shardOf(registry.reassign("acme", 4, 1))).isNotEqualTo(shard);
    }

    @Test
    void a_tenant_without_another_free_shard_keeps_its_own() {
        ShardRegistry registry = new ShardRegistry(4, 0);
        Shard shard = shardOf(registry.assign("acme", 2, 1));
        Shard rest = shardOf(registry.assign("globex", 2, 1));

        assertThat(registry.reassign("acme", 2, 2)).isInstanceOf(ShardResult.Refused.class);
        assertThat(registry.find("acme")).hasValue(shard);
        assertThat(registry.assign("acme", 3, 2)).isInstanceOf(ShardResult.Refused.class);
        assertThat(registry.find("acme")).hasValue(shard);
        assertThat(shard.overlap(rest)).isZero();
    }

    @Test
    void the_systematic_search_finds_the_last_free_shard() {
        for (int last = 0; last < 84; last++) {
            ShardRegistry registry = new ShardRegistry(9, 2);
            int number = 0;
            Shard left = null;
            for (int a = 0; a < 9; a++) {
                for (int b = a + 1; b < 9; b++) {
                    for (int c = b + 1; c < 9; c++) {
                        if (number == last) {
                            left = Shard.of(a, b, c);
                        } else {
                            registry.restore("tenant-" + number, Shard.of(a, b, c));
                        }
                        number++;
                    }
                }
            }
            assertThat(shardOf(registry.assign("late", 3, last))).isEqualTo(left);
        }
    }

    @Test
    void a_search_stops_at_the_step_limit() {
        // A shard needs a slot on each of 16 partitions, but all slots of the last one are in use.
        int[] partitionOf = new int[160];
        Arrays.setAll(partitionOf, slot -> slot / 10);
        ShardRegistry registry = new ShardRegistry(VirtualSlots.of(16, partitionOf), 0);
        for (int i = 150; i < 160; i++) {
            registry.restore("tenant-" + i, Shard.of(i));
        }
        ShardResult answer = registry.assign("late", 16, 1);

        assertThat(answer).isInstanceOfSatisfying(ShardResult.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardResult.Reason.GAVE_UP));
        assertThat(answer.effort().steps()).isBetween(ShardSearch.MAX_STEPS, ShardSearch.MAX_STEPS + 20_000);
        assertThat(registry.find("late")).isEmpty();
        assertThat(registry.assign("late", 15, 1)).isInstanceOf(ShardResult.Assigned.class);
    }

    @Test
    void conflicting_records_are_kept_and_listed_in_any_order() {
        Map<String, Shard> records = Map.of(
                "a", Shard.of(1, 2, 3, 4), "b", Shard.of(2, 3, 4, 5), "c", Shard.of(9, 10, 11, 12),
                "d", Shard.of(1, 2, 3, 4), "e", Shard.of(4, 5, 6, 7));
        List<ShardConflict> conflicts = List.of(
                new ShardConflict("a", "b", 3), new ShardConflict("a", "d", 4), new ShardConflict("b", "d", 3));
        for (int round = 0; round < 20; round++) {
            List<String> order = new ArrayList<>(records.keySet());
            Collections.sort(order);
            Collections.shuffle(order, new Random(round));
            ShardRegistry registry = new ShardRegistry(64, 2);
            long reported = order.stream()
                    .filter(t -> registry.restore(t, records.get(t)) instanceof ShardRecord.Conflicting).count();

            assertThat(reported).as("%s", order).isEqualTo(2);
            assertThat(registry.conflicts()).as("%s", order).isEqualTo(conflicts);
            assertThat(registry.find("d")).hasValue(records.get("d"));
            registry.reassign("a", 4, round);
            assertThat(registry.conflicts()).as("%s", order).containsExactly(new ShardConflict("b", "d", 3));
            registry.release("d");
            assertThat(registry.conflicts()).isEmpty();
        }
    }

    @Test
    void an_invalid_record_is_reported_and_not_restored() {
        ShardRegistry registry = new ShardRegistry(VirtualSlots.of(2, 0, 0, 0, 0, 1, 1, 1, 1), 1);

        assertThat(registry.restore("acme", Shard.of(1, 8)))
                .isEqualTo(new ShardRecord.Unfit("slot 8: must be below 8"));
        assertThat(registry.restore("acme", Shard.of(1, 2))).isInstanceOfSatisfying(ShardRecord.Unfit.class,
                unfit -> assertThat(unfit.detail()).contains("slots [1, 2]: must be on different partitions"));
        assertThat(registry.find("acme")).isEmpty();
        assertThat(registry.restore("acme", Shard.of(1, 5))).isEqualTo(new ShardRecord.Kept());
    }

    @Test
    void invalid_arguments_are_rejected_with_what_is_allowed() {
        assertThatThrownBy(() -> new ShardRegistry(0, 0)).hasMessageContaining("slots = 0: must be from 1 to 4096");
        assertThatThrownBy(() -> new ShardRegistry(4097, 0)).hasMessageContaining("4097");
        assertThatThrownBy(() -> new ShardRegistry(64, -1)).hasMessageContaining("overlap = -1: must be from 0 to 9");
        assertThatThrownBy(() -> new ShardRegistry(4096, 5)).hasMessageContaining("from 0 to 4");
        assertThatThrownBy(() -> new ShardRegistry(8, 1).assign("a", 9, 0))
                .hasMessageContaining("size = 9: must be from 1 to 8");
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

    /** Compares every pair, without the registry's index. */
    static void requireBound(ShardRegistry registry, List<String> tenants, int overlap, String what) {
        Shard[] shards = tenants.stream().map(tenant -> registry.find(tenant).orElseThrow()).toArray(Shard[]::new);
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
