package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Four partitions of one or more workers, each of 10 slots and 100 items a second; the tenant's shard is 1 and 3. */
class ItemPlacementTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final TenantContext ACME = TenantContext.of("acme", 3, TenantPolicy.of(PolicySettings.NONE_SET));
    private static final TenantContext OTHER = TenantContext.of("other", 3, ACME.policy());

    private final Fleet fleet = new Fleet(ProtectionSettings.DEFAULT, 4);
    private final ItemPlacement placement = new ItemPlacement(fleet, new ItemPlacement.Shards() {
        @Override
        public int ofTenant(TenantContext tenant, String workload, int[] into) {
            into[0] = 1;
            into[1] = 3;
            return 2;
        }

        @Override
        public int[] ofExcess(TenantContext tenant) {
            return new int[] {0, 1, 2, 3};
        }
    });

    @Test
    void retries_from_outside_of_the_shard_use_all_of_it_also_if_each_is_made_by_a_thread_of_its_own()
            throws InterruptedException {
        Set<Integer> used = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 2; i++) {
            Thread.ofVirtual().start(() -> used.add(placement.retryPartition(ACME, "", 0))).join();
        }
        assertThat(used).containsExactlyInAnyOrder(1, 3);
    }

    @Test
    void items_stay_in_the_shard_while_they_need_not_wait_long_there() {
        for (Route route : new Route[] {Route.HOT, Route.OVERFLOW, Route.AGED}) {
            assertThat(partitions(route)).containsExactly(1, 3);
        }
    }

    @Test
    void what_waits_for_idle_capacity_goes_anywhere_when_the_shard_has_a_backlog_and_fresh_items_do_not() {
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0);
        PartitionBacklog behind = PartitionBacklog.of(0, 1_500, 0, 1_500);
        fleet.update(Map.of(), new LaneBacklogs(behind, behind, none), 1, NOW);
        assertThat(partitions(Route.HOT)).containsExactly(1, 3);
        assertThat(partitions(Route.OVERFLOW)).containsExactly(0, 2);
        assertThat(partitions(Route.AGED)).containsExactly(0, 2);
    }

    @Test
    void what_hot_cannot_take_is_surplus() {
        ownAll(PartitionBacklog.of(500, 0, 0, 0));
        Set<Integer> surplus = new TreeSet<>();
        for (int i = 0; i < 500; i++) {
            ItemPlacement.Placed placed = placement.place(Route.HOT, ACME, "", false, NOW);
            if (placed.route().equals(Route.SURPLUS)) {
                surplus.add(placed.partition());
            }
        }
        assertThat(surplus).as("few of one tenant").hasSize(1);
    }

    @Test
    void what_goes_to_no_lane_of_the_workers_is_not_placed() {
        for (Route route : new Route[] {Route.SWEPT, Route.SCHEDULED}) {
            assertThat(placement.place(route, ACME, "", false, NOW))
                    .isEqualTo(new ItemPlacement.Placed(route, ItemPlacement.Placed.ANYWHERE));
        }
    }

    @Test
    void a_retry_stays_in_its_partition_of_the_shard_and_returns_to_the_shard_from_any_other() {
        assertThat(placement.retryPartition(ACME, "", 3)).isEqualTo(3);
        assertThat(placement.retryPartition(ACME, "", 1)).isEqualTo(1);
        assertThat(Set.of(placement.retryPartition(ACME, "", 0), placement.retryPartition(ACME, "", 0)))
                .as("in turn").isEqualTo(Set.of(1, 3));
    }

    @Test
    void the_backlogs_of_two_tenants_are_in_different_partitions_and_leave_others_empty() {
        ownAll(PartitionBacklog.of(0, 0, 0, 0));
        List<TenantContext> tenants = List.of(ACME, OTHER, TenantContext.of("third", 3, ACME.policy()));
        List<Set<Integer>> partitions = new ArrayList<>();
        for (TenantContext tenant : tenants) {
            Set<Integer> own = new TreeSet<>();
            for (int i = 0; i < 30_000; i++) {
                own.add(placement.place(Route.OVERFLOW, tenant, "", false, NOW).partition());
            }
            partitions.add(own);
        }
        assertThat(partitions.get(0)).as("half of the empty ones").hasSize(2);
        assertThat(partitions.get(1)).hasSize(1);
        assertThat(partitions.get(2)).hasSize(1);
        assertThat(partitions.stream().flatMap(Set::stream).toList()).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void what_a_worker_moves_stays_with_it_and_apart_from_the_backlogs_of_others() {
        ownAll(PartitionBacklog.of(0, 50, 0, 0));
        assertThat(placement.moved(Route.SURPLUS, ACME, "", 1, NOW)).isEqualTo(3);
    }

    @ParameterizedTest(name = "{0} of 100 a second wait at the worker of partition {1}: moved to {2}")
    @CsvSource({"50, 1, 1", "99, 1, 1", "150, 1, 3", "50, 3, 3"})
    void what_a_worker_moves_goes_to_another_one_only_if_it_would_wait_longer_than_a_second(
            long waiting, int partition, int expected) {
        own(PartitionBacklog.of(waiting, 0, 0, 0), Set.of(0, 1), Set.of(2, 3));
        assertThat(placement.moved(Route.SURPLUS, ACME, "", partition, NOW)).isEqualTo(expected);
    }

    @Test
    void what_a_worker_without_a_partition_of_the_shard_moves_stays_where_it_is() {
        own(PartitionBacklog.of(0, 0, 0, 0), Set.of(0, 2), Set.of(1, 3));
        assertThat(placement.moved(Route.SURPLUS, ACME, "", 2, NOW)).isEqualTo(2);
    }

    /** Equal workers that get an item each in a fixed order would each get those of one tenant. */
    @Test
    void each_of_two_tenants_that_send_in_turn_gets_all_equal_workers() {
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0);
        own(none, Set.of(0), Set.of(1), Set.of(2), Set.of(3));
        assertThat(ofEachInTurn(Route.OVERFLOW)).as("in the shard").containsOnly(Set.of(1, 3));

        own(PartitionBacklog.of(150, 150, 150, 150), Set.of(0), Set.of(1), Set.of(2), Set.of(3));
        assertThat(ofEachInTurn(Route.OVERFLOW)).as("anywhere").containsOnly(Set.of(0, 1, 2, 3));

        own(none, Set.of(0), Set.of(1), Set.of(2), Set.of(3));
        for (int filled = 0; filled < 3; filled++) {
            ofEachInTurn(Route.HOT);
        }
        assertThat(placement.place(Route.HOT, ACME, "", false, NOW).route()).isEqualTo(Route.SURPLUS);
        assertThat(ofEachInTurn(Route.HOT)).as("surplus in the shard").containsOnly(Set.of(1, 3));
    }

    private List<Set<Integer>> ofEachInTurn(Route route) {
        List<Set<Integer>> partitions = List.of(new TreeSet<>(), new TreeSet<>());
        for (int i = 0; i < 40; i++) {
            partitions.get(i % 2).add(
                    placement.place(route, i % 2 == 0 ? ACME : OTHER, "", false, NOW).partition());
        }
        return partitions;
    }

    private void ownAll(PartitionBacklog overflow) {
        own(overflow, Set.of(0, 1, 2, 3));
    }

    /** Each set of partitions has a worker. */
    @SafeVarargs
    private void own(PartitionBacklog overflow, Set<Integer>... partitions) {
        Map<String, WorkerReport> reports = new HashMap<>();
        for (Set<Integer> own : partitions) {
            reports.put("worker-" + reports.size(), new WorkerReport(
                    10, 100, 100, 0, 0, 0, Map.of(Lane.HOT, own, Lane.OVERFLOW, own)));
        }
        PartitionBacklog none = PartitionBacklog.of(0, 0, 0, 0);
        fleet.update(reports, new LaneBacklogs(none, overflow, none), 1, NOW);
    }

    private Set<Integer> partitions(Route route) {
        Set<Integer> partitions = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            partitions.add(placement.place(route, ACME, "", false, NOW).partition());
        }
        return partitions;
    }
}
