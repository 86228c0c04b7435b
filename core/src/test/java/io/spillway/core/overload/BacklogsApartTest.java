package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Seed;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Six partitions, of which worker a owns the first five, and b the last. */
class BacklogsApartTest {
    private static final int[] ALL = {0, 1, 2, 3, 4, 5};
    private static final int LARGE = 1_000;
    private static final FleetWorker A = new FleetWorker(ProtectionSettings.OFF, 0);
    private static final FleetWorker B = new FleetWorker(ProtectionSettings.OFF, 1);
    private static final FleetWorker[] OWNERS = {A, A, A, A, A, B};

    private final BacklogsApart apart = new BacklogsApart(6);

    @Test
    void a_flood_takes_half_of_the_empty_partitions_the_next_half_of_the_rest_and_the_last_what_is_left() {
        Set<Integer> few = send(1, LARGE);
        assertThat(few).hasSize(1);
        assertThat(send(1, 1)).hasSize(1).doesNotContainAnyElementsOf(few);
        Set<Integer> first = new TreeSet<>(few);
        first.addAll(send(1, 10 * LARGE));
        assertThat(first).hasSize(3);
        Set<Integer> second = send(2, 10 * LARGE);
        assertThat(second).hasSize(1).doesNotContainAnyElementsOf(first);
        Set<Integer> third = send(3, 10 * LARGE);
        assertThat(third).hasSize(1).doesNotContainAnyElementsOf(first).doesNotContainAnyElementsOf(second);
    }

    @Test
    void a_measurement_replaces_what_was_sent_since_the_one_before() {
        int partition = send(1, LARGE).iterator().next();
        apart.measured(PartitionBacklog.of(0, 0, 0, 0, 0, 0));
        assertThat(send(1, LARGE)).as("it is empty again").containsExactly(partition);
    }

    /** Several routers send items of a tenant, and should use the same partitions. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void of_equal_partitions_a_tenant_uses_the_same_one_whether_they_are_empty_or_not(long tenant) {
        int ofEmpty = apart.select(tenant, ALL, 6, OWNERS, A);
        apart.measured(PartitionBacklog.of(7, 7, 7, 7, 7, 7));
        assertThat(apart.select(tenant, ALL, 6, OWNERS, A)).as("with items of others").isEqualTo(ofEmpty);
        for (int partition = 0; partition < 5; partition++) {
            apart.sent(partition, tenant);
        }
        assertThat(apart.select(tenant, ALL, 6, OWNERS, A)).as("with its own").isEqualTo(ofEmpty);
    }

    @Test
    void any_selection_is_by_tenant_then_by_emptiness_and_then_by_what_waits() {
        Seed seed = new Seed();
        SplittableRandom random = seed.random();
        for (int round = 0; round < seed.rounds(3_000); round++) {
            int tenant = 1 + random.nextInt(100);
            long[] waiting = new long[6];
            int[] tenants = new int[6];
            BacklogsApart any = new BacklogsApart(6);
            for (int i = 0; i < 6; i++) {
                tenants[i] = tenant + random.nextInt(3);
                any.sent(i, tenants[i]);
                waiting[i] = random.nextInt(3) * (LARGE - 2L + random.nextInt(4));
            }
            any.measured(PartitionBacklog.of(waiting));
            int more = random.nextInt(6);
            any.sent(more, tenants[more]);
            waiting[more]++;

            int selected = any.select(tenant, ALL, 6, OWNERS, A);
            int[] own = ofA(i -> tenants[i] == tenant);
            int[] empty = ofA(i -> tenants[i] != tenant && waiting[i] == 0);
            int[] candidates = own.length > 0 && (least(own, waiting) < LARGE || empty.length <= own.length) ? own
                    : empty.length > 0 ? empty : ofA(i -> true);
            assertThat(selected).as("%s: %s of %s", seed, Arrays.toString(waiting), Arrays.toString(tenants))
                    .isIn(Arrays.stream(candidates).boxed().toList());
            assertThat(waiting[selected]).as(seed.toString()).isEqualTo(least(candidates, waiting));
        }
    }

    /** Sends items of a tenant one after the other, and returns the partitions that they go to. */
    private Set<Integer> send(long tenant, int items) {
        Set<Integer> used = new TreeSet<>();
        for (int i = 0; i < items; i++) {
            int partition = apart.select(tenant, ALL, ALL.length, OWNERS, A);
            apart.sent(partition, tenant);
            used.add(partition);
        }
        return used;
    }

    private static int[] ofA(IntPredicate which) {
        return IntStream.range(0, 5).filter(which).toArray();
    }

    private static long least(int[] partitions, long[] waiting) {
        return Arrays.stream(partitions).mapToLong(i -> waiting[i]).min().orElseThrow();
    }
}
