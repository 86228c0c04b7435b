package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.Seed;
import io.spillway.core.sharding.SlotAssignment.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlotAssignmentTest {
    private final Seed seed = new Seed();

    @Test
    void equal_workers_get_as_many_or_one_more() {
        List<Worker> workers = equal(5);
        assertThat(counts(workers, SlotAssignment.assign(workers, none(12))))
                .containsExactlyInAnyOrder(3, 3, 2, 2, 2);
    }

    @Test
    void a_worker_with_three_times_the_slots_gets_three_times_the_partitions() {
        List<Worker> workers = List.of(new Worker("a", 150), new Worker("b", 50));
        assertThat(counts(workers, SlotAssignment.assign(workers, none(12)))).containsExactly(9, 3);
    }

    @Test
    void the_smallest_worker_gets_a_partition() {
        List<Worker> workers = List.of(new Worker("a", 100_000), new Worker("b", 100_000), new Worker("c", 1));
        assertThat(counts(workers, SlotAssignment.assign(workers, none(4)))[2]).isEqualTo(1);
    }

    /** Slots of the workers a, b and so on, the owner of each partition before, with - for none, and the new one. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                           | slots    | before       | after
            the larger rest is rounded up                    | 40 60    | ---          | abb
            the larger rest may be that of the smaller one   | 60 40    | ------------ | aaaaaaabbbbb
            who has one more already keeps it                | 50 50    | bba          | bba
            who has no more than its part does not           | 60 40    | b--          | baa
            one with less than a partition gets no more      | 50 50 1  | cccc         | caab
            so does not the worker that has left             | 50 50    | xxab         | abab
            """)
    void partitions_stay_where_they_are_as_far_as_the_parts_allow(
            String what, String slots, String before, String after) {
        String[] weights = slots.split(" ");
        List<Worker> workers = IntStream.range(0, weights.length)
                .mapToObj(i -> new Worker("abc".substring(i, i + 1), Integer.parseInt(weights[i]))).toList();
        String[] owners = Arrays.stream(before.split("")).map(owner -> owner.equals("-") ? null : owner)
                .toArray(String[]::new);
        assertThat(String.join("", SlotAssignment.assign(workers, owners))).isEqualTo(after);
    }

    @Test
    void many_small_workers_get_one_each_and_the_large_ones_share_the_rest() {
        List<Worker> workers = new ArrayList<>(List.of(new Worker("large", 60), new Worker("middle", 40)));
        IntStream.range(0, 10).forEach(i -> workers.add(new Worker("small-" + i, 4)));
        assertThat(counts(workers, SlotAssignment.assign(workers, none(30))))
                .containsExactly(12, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    }

    @Test
    void more_workers_than_partitions_own_one_each_as_far_as_there_are_any() {
        List<Worker> workers = new ArrayList<>(equal(49));
        workers.add(new Worker("large", 100_000));
        int[] counts = counts(workers, SlotAssignment.assign(workers, none(12)));
        assertThat(counts).containsOnly(0, 1);
        assertThat(Arrays.stream(counts).sum()).isEqualTo(12);
    }

    @ParameterizedTest(name = "of {1} workers with {0} partitions")
    @CsvSource({"12, 12", "24, 12", "48, 12", "96, 12", "12, 11", "24, 11", "48, 11", "96, 11", "12, 13", "24, 13",
        "48, 13", "96, 13", "12, 3", "12, 5", "96, 7"})
    void only_the_partitions_of_a_worker_that_leaves_or_joins_move(int partitions, int size) {
        List<Worker> workers = equal(size);
        String[] owners = SlotAssignment.assign(workers, none(partitions));
        for (Worker leaving : workers) {
            List<Worker> others = workers.stream().filter(each -> each != leaving).toList();
            String[] without = SlotAssignment.assign(others, owners);
            assertThat(moved(owners, without)).as("%s leaves", leaving.id())
                    .isLessThanOrEqualTo(mostMoves(partitions, size - 1));
            String[] back = SlotAssignment.assign(workers, without);
            assertThat(moved(without, back)).as("%s joins", leaving.id())
                    .isLessThanOrEqualTo(mostMoves(partitions, size - 1));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 24, 48, 96})
    void restarts_and_changes_of_the_number_of_workers_move_no_more_in_the_long_run(int partitions) {
        SplittableRandom random = seed.random();
        List<Worker> workers = new ArrayList<>(equal(11));
        String[] owners = SlotAssignment.assign(workers, none(partitions));
        for (int change = 0; change < seed.rounds(2_000); change++) {
            boolean isJoin = workers.size() < 10 || workers.size() < 14 && random.nextBoolean();
            if (isJoin) {
                workers.add(new Worker("member-" + random.nextLong(), 50));
            } else {
                workers.remove(random.nextInt(workers.size()));
            }
            String[] next = SlotAssignment.assign(workers, owners);
            int before = workers.size() + (isJoin ? -1 : 1);
            assertThat(moved(owners, next)).as("change %d to %d workers, %s", change, workers.size(), seed)
                    .isLessThanOrEqualTo(mostMoves(partitions, Math.min(before, workers.size())));
            owners = next;
        }
    }

    @Tag("slow")
    @Test
    void any_assignment_is_complete_balanced_settled_and_independent_of_the_order_of_the_workers() {
        SplittableRandom random = seed.random();
        for (int round = 0; round < seed.rounds(3_000); round++) {
            int partitions = 1 + random.nextInt(40);
            String[] owners = none(partitions);
            for (int change = 0; change < 4; change++) {
                List<Worker> workers = new ArrayList<>(random(random, 1 + random.nextInt(50)));
                owners = SlotAssignment.assign(workers, owners);
                String message = "round " + round + ", " + partitions + " partitions, " + workers + ", " + seed;
                assertBalanced(message, workers, owners);
                Collections.shuffle(workers, new Random(random.nextLong()));
                assertThat(SlotAssignment.assign(workers, owners)).as(message).isEqualTo(owners);
                // As while partitions move: nobody owns them until they are released.
                String[] before = owners.clone();
                Arrays.setAll(owners, i -> random.nextInt(4) == 0 ? null : before[i]);
                String[] next = SlotAssignment.assign(workers, owners);
                assertBalanced(message, workers, next);
                for (int i = 0; i < partitions; i++) {
                    assertThat(owners[i]).as(message).isIn(null, next[i]);
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

    private static void assertBalanced(String message, List<Worker> workers, String[] owners) {
        assertThat(owners).as(message).doesNotContainNull();
        int[] counts = counts(workers, owners);
        assertThat(Arrays.stream(counts).filter(count -> count > 0).count()).as(message)
                .isEqualTo(Math.min(workers.size(), owners.length));
        long slots = workers.stream().mapToLong(Worker::slots).sum();
        double[] quotas =
                workers.stream().mapToDouble(each -> (double) owners.length * each.slots() / slots).toArray();
        if (Arrays.stream(quotas).min().orElseThrow() >= 1) {
            for (int i = 0; i < quotas.length; i++) {
                assertThat(counts[i] - quotas[i]).as(message).isBetween(-1.0, 1.0);
            }
        }
    }

    /** Partitions that move at most when one of equal workers joins others, or leaves them. */
    private static int mostMoves(int partitions, int others) {
        return (partitions + others) / (others + 1) + 1;
    }

    private static int moved(String[] before, String[] after) {
        return (int) IntStream.range(0, before.length).filter(i -> !Objects.equals(before[i], after[i])).count();
    }

    private static int[] counts(List<Worker> workers, String[] owners) {
        return workers.stream().mapToInt(worker -> (int) Arrays.stream(owners).filter(worker.id()::equals).count())
                .toArray();
    }

    private static String[] none(int partitions) {
        return new String[partitions];
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
