package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.Seed;
import io.spillway.core.sharding.LaneAssignment.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LaneAssignmentTest {
    private static final int LANES = 3;

    private final Seed seed = new Seed();

    @Test
    void the_surplus_of_each_lane_goes_to_other_workers() {
        List<Worker> workers = equal(5);
        String[][] owners = LaneAssignment.assign(workers, none(12));
        // 36 partitions for 5 workers, and 12 of each lane.
        assertThat(totals(workers, owners)).containsExactlyInAnyOrder(8, 7, 7, 7, 7);
        assertThat(Arrays.stream(owners)).allSatisfy(lane ->
                assertThat(counts(workers, lane)).containsExactlyInAnyOrder(3, 3, 2, 2, 2));
    }

    @Test
    void a_worker_with_three_times_the_slots_gets_three_times_the_partitions() {
        List<Worker> workers = List.of(new Worker("a", 150), new Worker("b", 50));
        assertThat(Arrays.stream(LaneAssignment.assign(workers, none(12)))).allSatisfy(lane ->
                assertThat(counts(workers, lane)).containsExactly(9, 3));
    }

    @Test
    void the_smallest_worker_gets_a_partition_of_each_lane() {
        List<Worker> workers = List.of(new Worker("a", 100_000), new Worker("b", 100_000), new Worker("c", 1));
        assertThat(Arrays.stream(LaneAssignment.assign(workers, none(4)))).allSatisfy(lane ->
                assertThat(counts(workers, lane)[2]).isEqualTo(1));
    }

    @Test
    void more_workers_than_a_lane_has_partitions_get_partitions_of_other_lanes() {
        List<Worker> workers = equal(13);
        assertThat(totals(workers, LaneAssignment.assign(workers, none(12)))).containsOnly(2, 3);
    }

    @Test
    void more_workers_than_partitions_own_one_each_as_far_as_there_are_any() {
        List<Worker> workers = new ArrayList<>(equal(49));
        workers.add(new Worker("large", 100_000));
        int[] totals = totals(workers, LaneAssignment.assign(workers, none(12)));
        assertThat(totals).containsOnly(0, 1);
        assertThat(Arrays.stream(totals).sum()).isEqualTo(36);
    }

    @ParameterizedTest(name = "of {1} workers with {0} partitions of a lane")
    @CsvSource({"12, 12", "24, 12", "48, 12", "96, 12", "12, 11", "24, 11", "48, 11", "96, 11", "12, 13", "24, 13",
        "48, 13", "96, 13", "12, 3", "12, 5", "96, 7"})
    void only_the_partitions_of_a_worker_that_leaves_or_joins_move(int partitions, int size) {
        List<Worker> workers = equal(size);
        String[][] owners = LaneAssignment.assign(workers, none(partitions));
        for (Worker leaving : workers) {
            List<Worker> others = workers.stream().filter(each -> each != leaving).toList();
            String[][] without = LaneAssignment.assign(others, owners);
            assertThat(moved(owners, without)).as("%s leaves", leaving.id())
                    .isLessThanOrEqualTo(mostMoves(partitions, size - 1));
            String[][] back = LaneAssignment.assign(workers, without);
            assertThat(moved(without, back)).as("%s joins", leaving.id())
                    .isLessThanOrEqualTo(mostMoves(partitions, size - 1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 24, 48, 96})
    void restarts_and_changes_of_the_number_of_workers_move_no_more_in_the_long_run(int partitions) {
        SplittableRandom random = seed.random();
        List<Worker> workers = new ArrayList<>(equal(11));
        String[][] owners = LaneAssignment.assign(workers, none(partitions));
        for (int change = 0; change < seed.rounds(2_000); change++) {
            boolean isJoin = workers.size() < 10 || workers.size() < 14 && random.nextBoolean();
            if (isJoin) {
                workers.add(new Worker("member-" + random.nextLong(), 50));
            } else {
                workers.remove(random.nextInt(workers.size()));
            }
            String[][] next = LaneAssignment.assign(workers, owners);
            int before = workers.size() + (isJoin ? -1 : 1);
            assertThat(moved(owners, next)).as("change %d to %d workers, %s", change, workers.size(), seed)
                    .isLessThanOrEqualTo(mostMoves(partitions, Math.min(before, workers.size())));
            owners = next;
        }
    }

    @Test
    void any_assignment_is_complete_balanced_settled_and_independent_of_the_order_of_the_workers() {
        SplittableRandom random = seed.random();
        for (int round = 0; round < seed.rounds(3_000); round++) {
            int partitions = 1 + random.nextInt(40);
            String[][] owners = none(partitions);
            for (int change = 0; change < 4; change++) {
                List<Worker> workers = new ArrayList<>(random(random, 1 + random.nextInt(50)));
                owners = LaneAssignment.assign(workers, owners);
                String message = "round " + round + ", " + partitions + " partitions, " + workers + ", " + seed;
                assertBalanced(message, workers, owners);
                Collections.shuffle(workers, new Random(random.nextLong()));
                assertThat(LaneAssignment.assign(workers, owners)).as(message).isDeepEqualTo(owners);
                // As while partitions move: nobody owns them until they are released.
                for (String[] lane : owners) {
                    Arrays.setAll(lane, i -> random.nextInt(4) == 0 ? null : lane[i]);
                }
                String[][] next = LaneAssignment.assign(workers, owners);
                assertBalanced(message, workers, next);
                for (int lane = 0; lane < LANES; lane++) {
                    for (int i = 0; i < partitions; i++) {
                        assertThat(owners[lane][i]).as(message).isIn(null, next[lane][i]);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100_001})
    void slots_out_of_range_are_refused(int slots) {
        assertThatThrownBy(() -> new Worker("a", slots)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("slots = " + slots + ": must be from 1 to 100,000");
    }

    private static void assertBalanced(String message, List<Worker> workers, String[][] owners) {
        int partitions = owners[0].length;
        int[] totals = totals(workers, owners);
        assertThat(Arrays.stream(totals).sum()).as(message).isEqualTo(LANES * partitions);
        assertThat(Arrays.stream(totals).filter(total -> total > 0).count()).as(message)
                .isEqualTo(Math.min(workers.size(), LANES * partitions));
        long slots = workers.stream().mapToLong(Worker::slots).sum();
        double least = workers.stream().mapToDouble(each -> (double) partitions * each.slots() / slots).min()
                .orElseThrow();
        for (int i = 0; i < workers.size(); i++) {
            String id = workers.get(i).id();
            double quota = (double) partitions * workers.get(i).slots() / slots;
            for (String[] lane : owners) {
                int count = (int) Arrays.stream(lane).filter(id::equals).count();
                if (workers.size() <= partitions) {
                    assertThat(count).as(message).isPositive();
                }
                if (least >= 1) {
                    assertThat(count - quota).as(message).isBetween(-1.0, 1.0);
                }
                assertThat(Math.abs(count - (double) totals[i] / LANES)).as(message).isLessThan(1);
            }
            if (least >= 1) {
                assertThat(totals[i] - LANES * quota).as(message).isBetween(-1.0, 1.0);
            }
        }
    }

    /** Partitions of each lane that move at most when one of equal workers joins others, or leaves them. */
    private static int mostMoves(int partitions, int others) {
        return (partitions + others) / (others + 1) + 1;
    }

    /** Returns the most partitions of one lane that move. */
    private static int moved(String[][] before, String[][] after) {
        return IntStream.range(0, before.length).map(lane -> (int) IntStream.range(0, before[lane].length)
                .filter(i -> !Objects.equals(before[lane][i], after[lane][i])).count()).max().orElseThrow();
    }

    private static int[] totals(List<Worker> workers, String[][] owners) {
        return counts(workers, Arrays.stream(owners).flatMap(Arrays::stream).toArray(String[]::new));
    }

    private static int[] counts(List<Worker> workers, String[] owners) {
        return workers.stream().mapToInt(worker -> (int) Arrays.stream(owners).filter(worker.id()::equals).count())
                .toArray();
    }

    private static String[][] none(int partitions) {
        return Stream.generate(() -> new String[partitions]).limit(LANES).toArray(String[][]::new);
    }

    private static List<Worker> equal(int count) {
        return IntStream.range(0, count).mapToObj(i -> new Worker("member-" + i, 50)).toList();
    }

    private static List<Worker> random(SplittableRandom random, int count) {
        int most = random.nextBoolean() ? 1 : random.nextBoolean() ? 4 : 100_000;
        return IntStream.range(0, count)
                .mapToObj(i -> new Worker("member-" + random.nextInt(100) + "-" + i, 1 + random.nextInt(most)))
                .toList();
    }
}
