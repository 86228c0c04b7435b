package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.headers;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.LaneProgress;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.routing.Route;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.router.route.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Partition selection of the router. The test driver has one partition, so the decisions themselves are checked. */
class PlacementRoutingTest {
    private static final int PARTITIONS = 24;

    private final List<Decision> decisions = new ArrayList<>();
    private final RouterHarness router = new RouterHarness(decider -> (record, nowMillis) -> {
        Decision decision = decider.decide(record, nowMillis);
        decisions.add(decision);
        return decision;
    });

    @AfterEach
    void close() {
        router.close();
    }

    @ParameterizedTest(name = "age {0} ms, rate {1}: {2} over {3} partitions, with a backlog over {4}")
    @CsvSource({"0, none, HOT, 4, 4", "0, 0.001, OVERFLOW, 4, 20", "400000, none, AGED, 4, 20"})
    void fresh_items_are_spread_evenly_over_the_shard_and_the_others_over_all_partitions_when_it_has_a_backlog(
            long ageMillis, String rate, Lane lane, int partitions, int withBacklog) {
        router.set("acme", PolicyField.RATE, rate);
        router.send(item("acme", START_MILLIS));
        spreads(lane, ageMillis, partitions);

        long[] waiting = new long[PARTITIONS];
        for (int partition : shard("acme", 4)) {
            waiting[partition] = 2_000;
        }
        read(backlogs(waiting, 0));
        spreads(lane, ageMillis, withBacklog);
        assertThat(counts().keySet().containsAll(List.of(shard("acme", 4)))).as("the others")
                .isEqualTo(lane == Lane.HOT);
    }

    private void spreads(Lane lane, long ageMillis, int partitions) {
        decisions.clear();
        for (int i = 0; i < 10 * partitions; i++) {
            router.send(item("acme", START_MILLIS - ageMillis));
        }
        assertThat(decisions).allMatch(decision -> decision.route() instanceof Route.ToLane to && to.lane() == lane);
        assertThat(counts()).hasSize(partitions)
                .allSatisfy((partition, count) -> assertThat(count).isBetween(9L, 11L));
    }

    @Test
    void a_changed_shard_size_applies_to_the_next_item() {
        assertThat(partitionsOf("acme", 50)).isEqualTo(Set.of(shard("acme", 4)));
        router.set("acme", PolicyField.SHARD_SIZE, "2");
        assertThat(partitionsOf("acme", 50)).isEqualTo(Set.of(shard("acme", 2)));
        router.set("acme", PolicyField.SHARD_SIZE, "10000");
        resetBacklog();
        assertThat(partitionsOf("acme", 50)).as("a size above the number of partitions means all").hasSize(PARTITIONS);
    }

    @Test
    void an_item_goes_to_the_smallest_backlog_including_items_sent_since() {
        Integer[] shard = shard("acme", 4);
        long[] waiting = new long[PARTITIONS];
        Arrays.fill(waiting, 100);
        waiting[shard[2]] = 95;
        read(backlogs(waiting, 0));

        assertThat(partitionsOf("acme", 5)).isEqualTo(Set.of(shard[2]));
        assertThat(partitionsOf("acme", 400)).as("now all are equal").isEqualTo(Set.of(shard));
    }

    @Test
    void overflow_waits_behind_hot_and_hot_waits_for_nothing_else() {
        Integer[] shard = shard("acme", 4);
        long[] hot = new long[PARTITIONS];
        long[] overflow = new long[PARTITIONS];
        Arrays.fill(hot, 100);
        Arrays.fill(overflow, 100);
        hot[shard[0]] = 0;
        hot[shard[3]] = 50;
        overflow[shard[3]] = 0;
        PartitionBacklog none = PartitionBacklog.UNKNOWN;
        read(new LaneBacklogs(PartitionBacklog.of(hot),
                PartitionBacklog.of(overflow), none));
        router.set("acme", PolicyField.RATE, "0.001");

        router.send(item("acme", START_MILLIS));
        router.send(item("acme", START_MILLIS));

        assertThat(decisions).extracting(Decision::partition).containsExactly(shard[0], shard[3]);
    }

    @Test
    void a_stuck_partition_is_avoided_while_another_of_the_shard_is_not() {
        Integer[] shard = shard("acme", 4);
        long[] waiting = new long[PARTITIONS];
        waiting[shard[1]] = 1;
        for (int other : List.of(0, 2, 3)) {
            waiting[shard[other]] = 1_000;
        }
        read(backlogs(waiting, 10_000, shard[1]));
        assertThat(partitionsOf("acme", 100)).isEqualTo(Set.of(shard[0], shard[2], shard[3]));

        read(backlogs(waiting, 10_000, shard));
        assertThat(partitionsOf("acme", 10)).as("all are stuck").isEqualTo(Set.of(shard[1]));
    }

    @Test
    void a_due_item_goes_to_the_shard_again() {
        router.sendDelayed(item("acme", START_MILLIS), headers("spillway-due", Long.toString(START_MILLIS + 1_000)));
        assertThat(decisions).isEmpty();

        router.advance(Duration.ofSeconds(2));

        assertThat(decisions).singleElement().satisfies(decision -> {
            assertThat(decision.route()).isEqualTo(Route.DUE);
            assertThat(shard("acme", 4)).contains(decision.partition());
        });
    }

    @Test
    void a_retry_moves_from_a_stuck_partition_to_another_of_the_shard() {
        router.set("acme", PolicyField.SHARD_SIZE, "2");
        Integer[] shard = shard("acme", 2);
        long[] waiting = new long[PARTITIONS];
        Arrays.fill(waiting, 1);
        read(backlogs(waiting, 10_000, shard[0]));

        for (int i = 0; i < 10; i++) {
            router.sendDelayed(item("acme", START_MILLIS),
                    headers("spillway-attempt", "1", "spillway-due", Long.toString(START_MILLIS)));
        }

        assertThat(decisions).hasSize(10).allMatch(decision -> decision.partition() == shard[1]);
    }

    @Test
    void dedicated_partitions_apply_to_the_next_item_and_so_does_their_removal() {
        Set<Integer> before = partitionsOf("acme", 50);
        router.set("acme", PolicyField.DEDICATED, "2");
        Set<Integer> own = partitionsOf("acme", 50);
        assertThat(own).hasSize(2);
        for (int i = 0; i < 50; i++) {
            resetBacklog();
            assertThat(partitionsOf("other-" + i, 20)).as("no other tenant is there").doesNotContainAnyElementsOf(own)
                    .hasSize(4);
        }
        router.set("acme", PolicyField.DEDICATED, "0");
        resetBacklog();
        assertThat(partitionsOf("acme", 50)).isEqualTo(before);
    }

    @Test
    void a_request_for_all_partitions_is_refused_and_a_request_for_all_tenants_is_ignored() {
        router.set("acme", PolicyField.DEDICATED, "13");
        assertThat(partitionsOf("acme", 50)).isEqualTo(Set.of(shard("acme", 4)));
        router.set("*", PolicyField.DEDICATED, "1");
        assertThat(partitionsOf("other", 50)).isEqualTo(Set.of(shard("other", 4)));
    }

    @Test
    void a_dead_letter_has_no_shard() {
        router.send(new byte[] {1});

        assertThat(decisions).singleElement().extracting(Decision::partition).isEqualTo(ItemPlacement.Placed.ANYWHERE);
        router.only(Lane.DEAD_LETTER);
    }

    private Set<Integer> partitionsOf(String tenant, int items) {
        decisions.clear();
        for (int i = 0; i < items; i++) {
            router.send(item(tenant, START_MILLIS));
        }
        return new TreeSet<>(counts().keySet());
    }

    private void resetBacklog() {
        read(backlogs(new long[PARTITIONS], 0));
    }

    /** Each partition counts by itself, because no worker is known. */
    private void read(LaneBacklogs backlogs) {
        router.fleet.update(Map.of(), backlogs, 1, START_MILLIS);
    }

    private Map<Integer, Long> counts() {
        return new HashMap<>(decisions.stream()
                .collect(Collectors.groupingBy(Decision::partition, Collectors.counting())));
    }

    private static LaneBacklogs backlogs(long[] waiting, long stuckForMillis, Integer... stuck) {
        Set<Integer> stuckPartitions = Set.of(stuck);
        LaneProgress<Boolean> progress = new LaneProgress<>(Duration.ofSeconds(10), (before, now) -> now);
        List<Boolean> isMade = IntStream.range(0, waiting.length).mapToObj(i -> !stuckPartitions.contains(i)).toList();
        progress.next(waiting, isMade, 0);
        PartitionBacklog work = progress.next(waiting, isMade, stuckForMillis);
        return new LaneBacklogs(work, work, work);
    }

    private static Integer[] shard(String tenant, int size) {
        return Arrays.stream(new ShuffleSharder(PARTITIONS, 0).shard(tenant, size)).boxed().toArray(Integer[]::new);
    }
}
