package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.PoolName;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DedicationPlanTest {
    @Test
    void without_requests_no_partition_is_dedicated() {
        DedicationPlan plan = DedicationPlan.of(new TreeMap<>(), 12, 6, 0);

        assertThat(plan.dedication().sharedPartitions()).isEqualTo(12);
        assertThat(plan.refused()).isEmpty();
    }

    @ParameterizedTest(name = "{1} of {0}")
    @CsvSource({
        "12, 1, 6, true", "12, 6, 6, true", "12, 7, 6, false", "8, 4, 4, true", "8, 5, 4, false", "2, 1, 1, true",
        "1, 1, 1, false", "12, 2147483647, 6, false", "10000, 256, 5000, true", "10000, 257, 5000, false",
    })
    void a_request_is_granted_completely_or_rejected_with_what_is_allowed(
            int partitions, int wanted, int leastShared, boolean met) {
        assertThat(DedicationPlan.leastShared(partitions)).isEqualTo(leastShared);

        DedicationPlan plan = DedicationPlan.of(wishes("acme", wanted), partitions, leastShared, 42);

        assertThat(plan.dedication().of("acme")).hasSize(met ? wanted : 0);
        assertThat(plan.refused().keySet()).isEqualTo(met ? Set.of() : Set.of("acme"));
        assertThat(plan.refused().values())
                .allSatisfy(why -> assertThat(why).contains("acme: dedicated = " + wanted + ": ", "must stay shared"));
    }

    @Test
    void dedicated_partitions_belong_to_the_pool_that_is_asked_for() {
        SortedMap<String, DedicationPlan.Request> wishes = wishes("a", 2);
        wishes.put("b", new DedicationPlan.Request(3, "red"));
        wishes.put("c", new DedicationPlan.Request(3, "blue"));
        DedicationPlan plan = DedicationPlan.of(wishes, 12, 6, 7);

        assertThat(plan.refused()).as("takes too many").containsOnlyKeys("c");
        assertThat(plan.pools().keySet()).containsExactlyElementsOf(plan.dedication().of("b")).hasSize(3);
        assertThat(plan.pools().values()).containsOnly("red");
    }

    @Test
    void no_partition_has_two_tenants_and_only_the_last_request_is_rejected() {
        DedicationPlan plan = DedicationPlan.of(wishes("a", 3, "b", 2, "c", 2, "d", 1), 12, 6, 7);

        Set<Integer> all = new HashSet<>();
        for (String tenant : List.of("a", "b", "d")) {
            assertThat(plan.dedication().of(tenant)).allMatch(all::add);
        }
        assertThat(all).hasSize(6);
        assertThat(plan.refused()).containsOnlyKeys("c");
        assertThat(plan.dedication().sharedPartitions()).isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            12 | 6 | acme: dedicated = 7: must be from 1 to 6, because 6 of 12 partitions must stay shared
            7  | 6 | acme: dedicated = 7: must be from 1 to 1, because 6 of 7 partitions must stay shared
            6  | 6 | acme: dedicated = 7: no partition is available, because 6 of 6 partitions must stay shared
            """)
    void a_refusal_says_how_many_are_left(int partitions, int leastShared, String why) {
        assertThat(DedicationPlan.of(wishes("acme", 7), partitions, leastShared, 42).refused())
                .isEqualTo(Map.of("acme", why));
    }

    /** An upgrade would move tenants if these changed, and processes of two versions would disagree. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            acme   | 42 | [1, 5, 7]
            acme   | 7  | [1, 4, 18]
            globex | 42 | [4, 8, 22]
            """)
    void the_choice_of_known_tenants_is_pinned(String tenant, long seed, String partitions) {
        assertThat(DedicationPlan.of(wishes(tenant, 3), 24, 12, seed).dedication().of(tenant)).hasToString(partitions);
    }

    @Test
    void few_dedicated_tenants_move_when_one_is_added() {
        long seed = 20261121;
        Random random = new Random(seed);
        int moved = 0;
        for (int trial = 0; trial < 1_000; trial++) {
            SortedMap<String, DedicationPlan.Request> wanted = new TreeMap<>();
            for (int i = 0; i < 4; i++) {
                wanted.put("tenant-" + random.nextInt(), shared(1));
            }
            Dedication before = DedicationPlan.of(wanted, 64, 32, seed).dedication();
            SortedMap<String, DedicationPlan.Request> more = new TreeMap<>(wanted);
            more.put("tenant-" + random.nextInt(), shared(1));
            Dedication after = DedicationPlan.of(more, 64, 32, seed).dedication();
            moved += (int) wanted.keySet().stream().filter(tenant -> !before.of(tenant).equals(after.of(tenant)))
                    .count();
        }
        // Two tenants draw the same of 64 partitions with probability 1/64; about two of four others choose later.
        assertThat(moved).as("moved of 4,000, seed %d", seed).isBetween(10, 60);
    }

    private static DedicationPlan.Request shared(int partitions) {
        return new DedicationPlan.Request(partitions, PoolName.SHARED);
    }

    private static SortedMap<String, DedicationPlan.Request> wishes(Object... tenantsAndCounts) {
        Map<String, DedicationPlan.Request> wishes = new TreeMap<>();
        for (int i = 0; i < tenantsAndCounts.length; i += 2) {
            wishes.put((String) tenantsAndCounts[i], shared((Integer) tenantsAndCounts[i + 1]));
        }
        return new TreeMap<>(wishes);
    }
}
